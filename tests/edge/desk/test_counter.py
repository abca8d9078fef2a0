"""What a clerk orders at a desk in touch: copies, longer stays, replacements and ends."""

import asyncio
import re

import pytest

from edge_agent.console.desk_port import ClerkProblem
from edge_agent.console.words import words
from infra.simulators.key_cards.classic_card import ClassicCard
from tests.edge.desk.paired_desk import play_desk
from tests.edge.desk.test_alone_and_back import CLERK, booked, opened
from tests.edge.desk.test_console import signed_in

NIGHT = "2026-03-04"


async def job_here(desk, count=1):
    """Pull until so many cards are to be written."""
    for _ in range(60):
        await asyncio.sleep(5)
        if len(await desk.agent.post.pull()) == count:
            return
    raise AssertionError("no such job came")


async def issued(house, desk):
    """Write the stay's first card, and return the screen and the card."""
    await opened(desk)
    await booked(house, desk)
    await job_here(desk)
    desk.agent.reach.heard()
    screen, plastic = await signed_in(desk), desk.lay_down()
    await screen.press("/issue", reservation="rsv_1")
    assert words("en")["issued"] in screen.page
    await desk.agent.post.pull()
    await asyncio.sleep(5)
    return screen, plastic


async def pressed(screen, desk, path, **form):
    """Press a button while the cloud is heard."""
    desk.agent.reach.heard()
    await screen.press(path, reservation="rsv_1", **form)
    return screen.page.replace("&#39;", "'")


async def states(house):
    return sorted((each["core"]["role"], each["state"]["type"]) for each in await house.keys())


def test_a_copy_is_ordered_once_and_opens_beside_the_first(tmp_path):
    async def scenario(house, desk):
        screen, first = await issued(house, desk)
        for _ in range(2):
            assert words("en")["copy_ordered"] in await pressed(screen, desk, "/copy")
        await job_here(desk)
        second = desk.lay_down(ClassicCard(bytes.fromhex("0badcafe")))
        assert words("en")["issued"] in await pressed(screen, desk, "/issue")
        await desk.agent.post.pull()
        await asyncio.sleep(5)
        door, noon = await desk.door(), desk.clock.now()
        assert [door.present(card, noon) for card in (first, second, first)] == ["opens"] * 3
        assert await states(house) == [("copy", "active"), ("first", "active")]

    play_desk(tmp_path, scenario)


async def ordered_unheard(screen, desk, order):
    """Press a button whose answer is lost, have its card written, and press it again; return what is said."""
    desk.wire.lose.add("/edge/v1/orders")
    assert words("en")["needs_cloud"] in await pressed(screen, desk, order)
    await job_here(desk)
    desk.lay_down(ClassicCard(bytes.fromhex("0badcafe")))
    assert words("en")["issued"] in await pressed(screen, desk, "/issue")
    await desk.agent.post.pull()
    await asyncio.sleep(5)
    return await pressed(screen, desk, order)


def test_an_order_repeated_after_a_lost_answer_makes_no_other_card_and_the_next_one_does(tmp_path):
    async def scenario(house, desk):
        screen, _ = await issued(house, desk)
        said = await ordered_unheard(screen, desk, "/copy")
        assert words("en")["copy_ordered"] in said
        await asyncio.sleep(30)
        assert await desk.agent.post.pull() == []
        assert await states(house) == [("copy", "active"), ("first", "active")]

        said = await ordered_unheard(screen, desk, "/replace")
        assert words("en")["replace_ordered"] in said
        await asyncio.sleep(30)
        assert await desk.agent.post.pull() == []
        living = [role for role, state in await states(house) if state == "active"]
        assert living == ["copy", "replacement"]

        assert words("en")["copy_ordered"] in await pressed(screen, desk, "/copy")
        await job_here(desk)
        assert [role for role, _ in await states(house)].count("copy") == 2

    play_desk(tmp_path, scenario)


def test_a_stay_is_prolonged_its_key_replaced_and_all_of_it_ended(tmp_path):
    async def scenario(house, desk):
        screen, first = await issued(house, desk)
        assert words("en")["day_unclear"] in await pressed(screen, desk, "/extend", day="2026-03-01")
        assert words("en")["extend_ordered"] in await pressed(screen, desk, "/extend", day=NIGHT)
        await job_here(desk)
        assert words("en")["issued"] in await pressed(screen, desk, "/issue")
        assert f"{NIGHT} " in screen.page

        await desk.agent.post.pull()
        await asyncio.sleep(5)
        assert words("en")["replace_ordered"] in await pressed(screen, desk, "/replace")
        await job_here(desk)
        second = desk.lay_down(ClassicCard(bytes.fromhex("0badcafe")))
        assert words("en")["issued"] in await pressed(screen, desk, "/issue")
        door = await desk.door()
        assert [door.present(card, desk.clock.now()) for card in (second, first)] == ["opens", "superseded"]

        await desk.agent.post.pull()
        await asyncio.sleep(5)
        assert words("en")["revoke_ordered"] in await pressed(screen, desk, "/revoke")
        assert {state for _, state in await states(house)} == {"revoked"}
        told = re.sub("<[^>]*>", " ", screen.page)
        assert all(words("en")[each] in told for each in ("extend_ordered", "replace_ordered", "issued"))

    play_desk(tmp_path, scenario)


def test_a_card_for_one_time_is_refused_where_doors_tell_of_nothing_and_the_guest_s_opens_on(tmp_path):
    async def scenario(house, desk):
        screen, first = await issued(house, desk)
        assert words("en")["not_once"] in await pressed(screen, desk, "/once")
        door, noon = await desk.door(), desk.clock.now()
        assert [door.present(first, noon) for _ in range(2)] == ["opens"] * 2
        assert (await states(house), await desk.agent.post.pull()) == ([("first", "active")], [])

    play_desk(tmp_path, scenario)


def test_what_needs_the_cloud_is_said_so_and_whoever_left_the_staff_orders_nothing(tmp_path):
    async def scenario(house, desk):
        screen, _ = await issued(house, desk)
        desk.wire.down = True
        for path in ("/copy", "/once", "/replace", "/revoke"):
            assert words("en")["needs_cloud"] in await pressed(screen, desk, path)
        desk.wire.down = False
        await desk.order(do="staff", user=CLERK, roles=[])
        desk.agent.reach.heard()
        with pytest.raises(ClerkProblem, match="not_permitted"):
            await screen.front.order(CLERK, "copy", "rsv_1")
        assert await states(house) == [("first", "active")]

    play_desk(tmp_path, scenario)
