"""A vendor that is back: who is here and waited for it is served at once, though nobody is due yet."""

import asyncio
from datetime import timedelta

import pytest

from shared.domain.ids import credential_id
from shared.domain.instants import instant_to_text
from shared.keywork.issue import STILL_TRIED
from shared.ledger.delays import STEP_LEASE
from shared.ports.documents import Create, Ref
from shared.ports.trouble import ServiceTrouble
from shared.runtime.keys import services_of
from shared.usecases.upkeep import serve_waiting, tend_key
from shared.vendor_kit.calm.blocks import PLATFORM
from shared.vendor_kit.http import Answer
from tests.support.sample_hotel import SILK, SampleHotel, play

HERE = {"validFrom": "2026-03-01T08:00:00Z", "validUntil": "2026-03-05T07:30:00Z"}
FAR = {"validFrom": "2026-04-02T09:30:00Z", "validUntil": "2026-04-05T07:30:00Z"}
ADD = "keyboardPwd/add"
OUTAGE = 4 * 60 + 10
SOON = 10
A_SWEEP = 60
BROKEN_LOCK = b"1000101"
"""Of room 101, as its vendor calls it."""


async def book(house, number, room="101", **times):
    stay = {"reservationId": f"rsv_{number}", "guest": {"id": f"gst_{number}"}}
    await house.publish(f"evt_{number}", **stay, rooms=[f"rmu_{room}"], **(times or HERE))
    await house.fleet.bus.idle()


async def asked(house):
    """Return how often the vendor was asked for a key."""
    return sum(each["operation"] == ADD for each in await house.steer("GET", "requests"))


async def entry_of(house, number):
    kept = (await house.documents("credentials")).values()
    wanted = f"rsv_{number}"
    (entry,) = (each for each in kept if each["credential"]["core"]["holder"]["reservation_id"] == wanted)
    return entry


def state_of(entry):
    return entry["credential"]["state"]["type"]


def attempts_of(entry):
    return len(entry["credential"]["core"]["plan"]["made"])


async def parked(house, number=0, *, outage=OUTAGE, **times):
    """Let a guest's key be parked by an outage that is over now; return how it is then."""
    await house.unmap("front")
    await house.fault("http_500", ADD)
    await book(house, number, **times)
    await asyncio.sleep(outage)
    entry = await entry_of(house, number)
    assert entry["saga"]["parked"]
    await house.mend()
    return entry


async def seconds_until_active(house, number, most=600):
    began = asyncio.get_running_loop().time()
    while state_of(await entry_of(house, number)) != "active":
        await asyncio.sleep(0.5)
        assert asyncio.get_running_loop().time() - began < most
    return asyncio.get_running_loop().time() - began


def test_who_waits_here_is_served_seconds_after_another_guest_was(tmp_path):
    async def scenario(house):
        before = await parked(house)
        await book(house, 1, "102")
        await seconds_until_active(house, 1)
        seconds = await seconds_until_active(house, 0)
        return seconds, attempts_of(before), attempts_of(await entry_of(house, 0))

    seconds, before, made = play(tmp_path, scenario)
    assert seconds <= SOON
    assert made == before  # what is begun early is no attempt


@pytest.mark.parametrize(("state", "served"), [("closed", True), ("open", False)])
def test_who_waits_here_is_served_once_a_circuit_of_the_vendor_closes(tmp_path, state, served):
    """Where nobody else of the house asks, whoever asks elsewhere finds out."""

    async def scenario(house):
        before = await parked(house)
        now = house.fleet.platform.clock.now()
        circuit = {"state": state, "changed_at": instant_to_text(now), "sequence": 2, "announced": 2}
        circuits = house.fleet.documents.tenant(PLATFORM)
        await circuits.commit([Create(Ref("breakers", "ttlock:another"), circuit)])
        await asyncio.sleep(SOON)
        after = await entry_of(house, 0)
        return state_of(after) == "active", attempts_of(after) - attempts_of(before)

    assert play(tmp_path, scenario) == (served, 0)


def test_one_sign_begins_a_key_once_though_it_is_in_vain(tmp_path):
    async def scenario(house):
        await parked(house)
        await book(house, 1, "102")
        await seconds_until_active(house, 1)
        await house.fault("http_500", ADD)
        before = await asked(house), (await entry_of(house, 0))["saga"]["generation"]
        await asyncio.sleep(60)
        after = await asked(house), (await entry_of(house, 0))["saga"]["generation"]
        return after[0] - before[0], after[1] - before[1]

    calls, begun = play(tmp_path, scenario)
    assert (calls > 0, begun) == (True, 1)


def test_two_who_look_at_once_begin_a_key_once(tmp_path, monkeypatch):
    monkeypatch.setattr(serve_waiting, "LOOKED_FOR", 0)

    async def scenario(house):
        await parked(house)
        async with house.on.unscheduled():
            await book(house, 1, "102")
            await seconds_until_active(house, 1)
            entry = await entry_of(house, 0)
            key = credential_id(entry["credential"]["core"]["id"], "key")
            services = services_of(house.fleet.platform)
            await asyncio.gather(*(serve_waiting._served(SILK, key, services) for _ in range(3)))
            await seconds_until_active(house, 0)
            return (await entry_of(house, 0))["saga"]["generation"] - entry["saga"]["generation"]

    assert play(tmp_path, scenario) == 1


def test_whoever_dies_between_the_word_and_the_deed_is_followed_by_the_sweeper(tmp_path, monkeypatch):
    async def died(*_):
        raise ServiceTrouble("nothing can be begun")

    async def scenario(house):
        await parked(house)
        with monkeypatch.context() as patch:
            patch.setattr(tend_key, "begin_saga", died)
            await book(house, 1, "102")
            await seconds_until_active(house, 1)
            await asyncio.sleep(SOON)
            entry = await entry_of(house, 0)
            assert (entry["saga"].get("parked", False), state_of(entry)) == (False, "pending")
        return await seconds_until_active(house, 0)

    assert play(tmp_path, scenario) <= STEP_LEASE.total_seconds() + 2 * A_SWEEP


def test_who_is_yet_to_come_waits_as_before(tmp_path):
    async def scenario(house):
        await parked(house, **FAR)
        await book(house, 1, "102")
        await seconds_until_active(house, 1)
        await asyncio.sleep(SOON)
        return state_of(await entry_of(house, 0))

    assert play(tmp_path, scenario) == "pending"


def test_without_a_sign_nobody_is_begun_before_the_time(tmp_path):
    async def scenario(house):
        await parked(house)
        await house.fault("http_500", ADD)
        before = await asked(house)
        await asyncio.sleep(40)
        return await asked(house) - before

    assert play(tmp_path, scenario) == 0


def test_where_nobody_looks_the_sweeper_begins_it_within_its_minute(tmp_path, monkeypatch):
    monkeypatch.setattr(serve_waiting, "LOOKED_FOR", 0)

    async def scenario(house):
        await parked(house)
        await book(house, 1, "102")
        await seconds_until_active(house, 1)
        return await seconds_until_active(house, 0)

    assert play(tmp_path, scenario) <= A_SWEEP + SOON


def test_where_no_sweep_looks_at_vendors_it_is_begun_when_it_was_to_be_asked_again(tmp_path, monkeypatch):
    monkeypatch.setattr(serve_waiting, "_is_well", never)

    async def scenario(house):
        await parked(house)
        await book(house, 1, "102")
        await seconds_until_active(house, 1)
        return await seconds_until_active(house, 0)

    assert A_SWEEP < play(tmp_path, scenario) <= 405 + A_SWEEP


async def never(*_):
    return False


@pytest.mark.parametrize(("times", "told"), [(HERE, [STILL_TRIED]), (FAR, [])], ids=["here", "far"])
def test_somebody_is_told_a_minute_after_a_key_was_refused_to_who_is_here(tmp_path, times, told):
    """And not after six attempts, which take eight minutes: only then it has failed."""

    async def scenario(house):
        await house.unmap("front")
        await house.fault("http_500", ADD)
        await book(house, 0, **times)
        await asyncio.sleep(30)
        soon = len(house.logged("ALERT"))
        await asyncio.sleep(60)
        within, lines = len(house.logged("ALERT")), house.logged("ALERT")
        await asyncio.sleep(OUTAGE - 90)
        assert house.logged("ALERT") == lines
        return soon, within, [line["reason"] for line in lines]

    assert play(tmp_path, scenario) == (0, len(told), told)


def test_who_comes_while_the_vendor_is_down_is_told_of_at_the_next_attempt(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.fault("http_500", ADD)
        comes = house.fleet.platform.clock.now() + timedelta(seconds=90)
        await book(house, 0, validFrom=comes.isoformat(), validUntil=HERE["validUntil"])
        await asyncio.sleep(80)
        before = len(house.logged("ALERT"))
        await asyncio.sleep(OUTAGE)
        return before, [line.get("reason") for line in house.logged("ALERT")]

    assert play(tmp_path, scenario) == (0, [STILL_TRIED])


def test_one_lock_that_refuses_while_its_vendor_is_well_for_others_fails_its_key_when_it_ever_did(
    tmp_path, monkeypatch
):
    """A sign each two minutes must not begin a key for nothing for ever: nobody would be called."""
    send = SampleHotel.send

    async def broken(self, call):
        if ADD in call.url and BROKEN_LOCK in (call.body or b""):
            return Answer(500, {}, b"")
        return await send(self, call)

    monkeypatch.setattr(SampleHotel, "send", broken)

    async def scenario(house):
        await house.unmap("front")
        await book(house, 0)
        for number in range(1, 9):
            await asyncio.sleep(100)
            await book(house, number, "102")
        kept = (await house.documents("credentials")).values()
        return [(state_of(each), attempts_of(each)) for each in kept if state_of(each) == "failed"]

    assert play(tmp_path, scenario) == [("failed", 6)]


def test_who_waits_here_sees_a_circuit_close_among_hundreds(tmp_path):
    async def scenario(house):
        await parked(house)
        long_ago = {"state": "closed", "changed_at": "2026-01-01T00:00:00Z", "sequence": 2, "announced": 2}
        now = instant_to_text(house.fleet.platform.clock.now())
        circuits = house.fleet.documents.tenant(PLATFORM)
        for number in range(serve_waiting.MOST_CIRCUITS + 1):
            await circuits.commit([Create(Ref("breakers", f"salto:a{number}"), long_ago)])
        await circuits.commit([Create(Ref("breakers", "ttlock:another"), {**long_ago, "changed_at": now})])
        return await seconds_until_active(house, 0)

    assert play(tmp_path, scenario) <= SOON
