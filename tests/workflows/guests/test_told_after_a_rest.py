"""Whoever is held before their code went out is told it when the last hold is gone: once, and by day."""

import asyncio
from datetime import timedelta
from types import SimpleNamespace

import pytest

from functions.notifications.main import KEY
from shared.usecases.guests import hear_of_key
from shared.usecases.guests.told_before import told_of_stay
from tests.support.changed_stays import ordered
from tests.support.guests import GUEST, SILK
from tests.support.told_hotel import play_told
from tests.workflows.guests.test_guests_are_told import bare

CODE, RESTS = "pin_code.delivered", "key.rests"
LATER = "2026-03-01T09:20:00Z"
DAY = 24 * 3600


async def held_untold(house, *reasons, **settings):
    """Have a guest held for each reason by the time that their code is to be told."""
    await house.open(**settings)
    await house.publish("evt_2", "fraud_flagged", version=2, time=LATER, guest=GUEST)
    await house.book(version=1)
    await asyncio.sleep(60)
    for reason in reasons:
        await ordered(house, "hold-stay", reason)
    assert (await kinds(house), house.caught("email")) == ([], [])


async def kinds(house):
    """Return of what the guest was told, the oldest first."""
    return [each["kind"] for each in await house.notices() if each.get("outcome") == "reached"]


@pytest.mark.parametrize("hours", [0, pytest.param(12, marks=pytest.mark.soak)])
def test_guest_who_was_held_before_the_code_was_told_is_told_it_once_after_the_last_hold(tmp_path, hours):
    async def scenario(house):
        await held_untold(house, "manual")
        await ordered(house, "release-stay", "fraud_review")
        await asyncio.sleep(hours * 3600)
        assert house.caught("email") == []
        await ordered(house, "release-stay", "manual")
        (mail,) = house.caught("email")
        (row,) = await house.keys_at("101")
        assert f"{row['code'][:3]} {row['code'][3:]}" in bare(mail.text)
        for what in ("hold-stay", "release-stay"):
            await ordered(house, what)
        await asyncio.sleep(DAY / 2)  # by night, no telephone rang
        assert await kinds(house) == [CODE, RESTS]
        assert len(house.caught("sms")) == 1

    play_told(tmp_path, scenario)


def test_telephone_does_not_ring_at_night_for_a_code_that_waited_for_a_release(tmp_path):
    async def scenario(house):
        # It is half past one in the afternoon at the hotel, and the guest comes tomorrow.
        await held_untold(house, quiet_from=14, quiet_until=20)
        await asyncio.sleep(2 * 3600)
        await ordered(house, "release-stay", "fraud_review")
        assert (len(house.caught("email")), house.caught("sms")) == (1, [])
        await asyncio.sleep(6 * 3600)
        assert len(house.caught("sms")) == 1

    play_told(tmp_path, scenario)


@pytest.mark.soak
def test_stay_that_is_off_while_it_is_held_is_told_nothing(tmp_path):
    async def scenario(house):
        await held_untold(house)
        await house.publish("evt_3", "cancelled", version=3, time="2026-03-01T09:40:00Z")
        await asyncio.sleep(timedelta(days=2).total_seconds())
        assert {each["outcome"] for each in await house.notices()} == {"superseded"}
        assert house.caught() == []

    play_told(tmp_path, scenario)


@pytest.mark.soak
def test_notice_that_is_over_by_the_time_its_key_wakes_is_not_opened_and_nobody_is_called(
    tmp_path, monkeypatch
):
    async def scenario(house):
        await held_untold(house)
        on, (key,) = house.fleet.platform, await house.keys()
        stale = await told_of_stay("rsv_1", on.documents.tenant(SILK))
        await house.publish("evt_3", "cancelled", version=3, time="2026-03-01T09:40:00Z")
        await asyncio.sleep(2 * DAY)

        async def read_before(*_):
            return stale

        monkeypatch.setattr(hear_of_key, "told_of_stay", read_before)
        data = SimpleNamespace(key_credential_id=key["core"]["id"], property_id="ppt_kabul")
        woken = SimpleNamespace(subject=f"{KEY}.unsuspended.v1", tenant_id=SILK, data=data)
        await hear_of_key.hear_of_key(woken, hear_of_key.Hearing(on.hotels, on.sagas, on.clock))
        await asyncio.sleep(3600)
        assert (house.caught(), house.logged("ALERT")) == ([], [])

    play_told(tmp_path, scenario)


def test_release_that_meets_a_step_which_saw_the_hold_is_not_lost(tmp_path):
    """The sweeper looks at a notice each day; whoever wakes the key meanwhile is heeded all the same."""

    async def scenario(house):
        await held_untold(house, "manual")
        (notice,) = [
            each for each in (await house.documents("notices")).values() if each["tells"] == "issued"
        ]
        assert "outcome" not in notice
        body = {"tenant": "tnt_silk", "notice": next(iter(await names(house)))}
        for reason in ("fraud_review", "manual"):
            looks = [house.on.send("tell-guest", body, caller="workflow-deliver-key") for _ in range(2)]
            await asyncio.gather(*looks, ordered(house, "release-stay", reason))
        assert (await kinds(house), len(house.caught("email"))) == ([CODE], 1)

    play_told(tmp_path, scenario)


async def names(house):
    """Return the names of what waits to be told."""
    kept = await house.documents("notices")
    return [name for name, each in kept.items() if each["tells"] == "issued"]
