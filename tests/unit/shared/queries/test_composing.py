"""A page of widgets: the slow and the broken hold nobody up, and nothing old is taken for new."""

import asyncio
import io

from infra.local.simulation.loop import run_virtually
from shared.kernel.log import Log
from shared.queries.composing import FRESH_FOR, WIDGET_SECONDS, Boards


class Widgets:
    """Widgets that take a while, and count how often they were read."""

    def __init__(self, **seconds):
        self.seconds, self.reads = seconds, dict.fromkeys(seconds, 0)

    def reading(self, name):
        async def read():
            self.reads[name] += 1
            await asyncio.sleep(self.seconds[name])
            if self.seconds[name] < 0:
                raise OSError("broken")
            return f"{name} {self.reads[name]}"

        return read

    @property
    def all(self):
        return {name: self.reading(name) for name in self.seconds}


def boards(clock):
    return Boards(clock, Log("test", io.StringIO(), clock.now))


def played(scenario):
    return run_virtually(scenario)


def shown(page):
    return {name: each.data for name, each in page.widgets.items()}


def test_one_slow_widget_never_holds_the_page_and_is_there_for_the_next_who_asks():
    async def scenario(clock):
        it, page = Widgets(quick=0.01, slow=3.0), boards(clock)
        began = asyncio.get_running_loop().time()
        first = await page.compose("tnt_a", "ppt_a", 1, it.all)
        assert asyncio.get_running_loop().time() - began <= WIDGET_SECONDS + 0.01
        assert (shown(first), first.missing, first.mode) == ({"quick": "quick 1"}, ("slow",), "composed")
        await asyncio.sleep(3)
        second = await page.compose("tnt_a", "ppt_a", 1, it.all)
        assert (shown(second), second.missing) == ({"quick": "quick 1", "slow": "slow 1"}, ())
        assert second.mode == "cached"

    played(scenario)


def test_a_broken_widget_is_missing_until_it_works_and_shown_as_it_was_read_before():
    async def scenario(clock):
        it, page = Widgets(good=0.01, bad=0.01), boards(clock)
        await page.compose("tnt_a", "ppt_a", 1, it.all)
        it.seconds["bad"] = -1
        later = await page.compose("tnt_a", "ppt_a", 2, it.all)
        assert shown(later) == {"good": "good 2", "bad": "bad 1"}
        assert later.widgets["bad"].epoch == 1
        fresh = await boards(clock).compose("tnt_a", "ppt_a", 2, it.all)
        assert fresh.missing == ("bad",)

    played(scenario)


def test_many_who_ask_at_once_are_answered_by_one_reading_and_nobody_by_anothers():
    async def scenario(clock):
        it, page = Widgets(one=0.1), boards(clock)
        pages = await asyncio.gather(*(page.compose("tnt_a", "ppt_a", 1, it.all) for _ in range(32)))
        assert {shown(each)["one"] for each in pages} == {"one 1"}
        await page.compose("tnt_b", "ppt_a", 1, it.all)
        await page.compose("tnt_a", "ppt_b", 1, it.all)
        assert it.reads["one"] == 3

    played(scenario)


def test_what_was_read_before_a_change_is_not_taken_for_what_came_after_it():
    async def scenario(clock):
        it, page = Widgets(one=0.1), boards(clock)
        before = asyncio.ensure_future(page.compose("tnt_a", "ppt_a", 1, it.all))
        await asyncio.sleep(0.05)
        after = await page.compose("tnt_a", "ppt_a", 2, it.all)
        await before
        assert (after.widgets["one"].epoch, shown(after)["one"]) == (2, "one 2")
        again = await page.compose("tnt_a", "ppt_a", 2, it.all)
        assert (again.mode, shown(again)["one"]) == ("cached", "one 2")

    played(scenario)


def test_what_was_read_is_good_for_half_a_minute():
    async def scenario(clock):
        it, page = Widgets(one=0.0), boards(clock)
        await page.compose("tnt_a", "ppt_a", 1, it.all)
        await asyncio.sleep(FRESH_FOR.total_seconds() - 1)
        assert (await page.compose("tnt_a", "ppt_a", 1, it.all)).cached
        await asyncio.sleep(2)
        assert not (await page.compose("tnt_a", "ppt_a", 1, it.all)).cached

    played(scenario)
