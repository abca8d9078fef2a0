"""A day's keys are counted once it is over, the same however often, and shown with what they are worth."""

import asyncio
from datetime import timedelta

from shared.domain.ids import TenantId
from shared.domain.permissions import Role
from shared.kernel.log import Log
from shared.ledger.day_figures import counted_up_to
from shared.queries.figures import figures
from shared.usecases.operations.count_days import count_days
from tests.support.sample_hotel import KABUL, SILK, play
from tests.unit.functions.backoffice.test_console import Browser, check

TOMORROW = timedelta(days=1)


async def count(house, now, tenants=(SILK,)):
    """Count all days that are over at an instant."""
    return await count_days(tenants, house.fleet.platform.documents, now, house.fleet.platform.log)


async def a_day(house):
    """Play a day: a key made, one lost and one taken back late, and one that no vendor made."""
    await house.publish("evt_1")
    await asyncio.sleep(10)
    ((key, _),) = (await house.documents("credentials")).items()
    body = {"tenant": str(SILK), "key": key, "by": "usr_1", "reason": "lost"}
    assert (await house.on.send("end-key", body, caller="operator"))[0] == 200
    await asyncio.sleep(10)
    await house.publish("evt_2", reservationId="rsv_2", rooms=["rmu_102"])
    await asyncio.sleep(10)
    await house.fault("http_500", "keyboardPwd/delete")
    await house.publish("evt_3", "checked_out", reservationId="rsv_2")
    await asyncio.sleep(90)
    await house.mend()
    await asyncio.sleep(3600)


def test_a_day_is_counted_when_it_is_over_and_its_figures_stay_the_same(tmp_path):
    async def scenario(house):
        await a_day(house)
        store, now = house.fleet.platform.documents.tenant(SILK), house.fleet.platform.clock.now()
        assert await count(house, now) == {"days": 0, "broken": 0}  # today is not over
        assert await count(house, now + TOMORROW) == {"days": 1, "broken": 0}
        told = await figures(store, KABUL, now)
        (day,) = told["days"]
        wanted = {"issued": 2, "stays": 2, "failed": 0, "revoked": 2, "lost": 1, "settled": 2, "left": 0}
        assert {name: day[name] for name in wanted} == wanted
        assert day["within_5s"] == 1  # the other lock was asked in vain at first
        assert sum(day[each] for each in ("within_30s", "within_5m", "within_30m", "longer")) == 1
        assert (told["issue_success"], told["revoked_within_5s"]) == (100.0, 50.0)
        assert (told["usd_avoided"], told["minutes_saved"]) == ([5, 24], [5.0, 15.0])
        assert await count(house, now + TOMORROW) == {"days": 1, "broken": 0}
        assert await figures(store, KABUL, now) == told
        assert (await counted_up_to(store)).day == day["day"]
        assert (await figures(store, "ppt_herat", now))["days"] == []
        await seen_by(house)

    play(tmp_path, scenario)


async def seen_by(house):
    """Check that the figures are drawn, for whoever may see how the hotel is set up."""
    manager = Browser(house.on, roles=(Role.GM,))
    await manager.sign_in()
    page = check(await manager.go("analytics"))
    assert page.count("<svg role=") == 2
    assert 'class="good"' in page
    assert "USD 5 – 24" in page
    clerk = Browser(house.on, roles=(Role.CONCIERGE,))
    await clerk.sign_in()
    assert (await clerk.go("analytics")).status == 403


class Broken:
    """The store of one tenant that cannot be read, before that of another."""

    def __init__(self, documents, broken):
        self.documents, self.broken = documents, broken

    def tenant(self, name):
        if name == self.broken:
            raise OSError
        return self.documents.tenant(name)


def test_a_tenant_that_cannot_be_counted_keeps_no_other_waiting(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(10)
        on, bad = house.fleet.platform, TenantId("tnt_bad")
        told = await count_days(
            (bad, SILK), Broken(on.documents, bad), on.clock.now() + TOMORROW, Log("test", _Nowhere())
        )
        assert told == {"days": 1, "broken": 1}

    play(tmp_path, scenario)


class _Nowhere:
    def write(self, _):
        """Keep nothing."""

    def flush(self):
        """Have nothing to do."""
