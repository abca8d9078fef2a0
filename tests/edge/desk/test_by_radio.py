"""Locks in Bluetooth's reach of the desk: a PIN with the gateway away, and with the whole network away."""

import asyncio
import re
from dataclasses import dataclass, replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from nacl.signing import SigningKey

from edge_agent.agent.loop import AgentLoop
from edge_agent.agent.wiring import wired
from edge_agent.cloud.line import CannotBeDone
from edge_agent.console.words import words
from edge_agent.hardware.radio import Radio
from edge_agent.relay.jobs import STEP
from infra.simulators.ble_locks.ble_lock import BleLock
from shared.offline.signing import SignedRefused
from shared.ports.ambient import Clock
from tests.edge.desk.paired_desk import PairedDesk, play_desk
from tests.edge.desk.test_alone_and_back import CLERK, PIN, SHORT, opened
from tests.edge.desk.test_console import Screen
from tests.edge.hardware.test_ttlock_door import LockLink
from tests.support.sample_hotel import DOORS, device_at

ZONE = ZoneInfo("Asia/Kabul")
NOON = "2026-03-01T08:00:00Z"
GATEWAY = "gateways/501"


class Near:
    """A lock near the desk, which may be out of its reach."""

    def __init__(self, desk):
        self.lock = BleLock(now=lambda: desk.clock.now().astimezone(ZONE))
        self.links, self.reached = [], True

    @property
    def keys(self):
        """What the installer brings."""
        unlock = self.lock.unlock.to_bytes(4, "big").hex()
        return {
            "mac": self.lock.mac,
            "aes": self.lock.key.hex(),
            "admin": self.lock.admin.hex(),
            "unlock": unlock,
        }

    def opener(self, mac):
        assert mac == self.lock.mac

        async def connect():
            if not self.reached:
                await asyncio.sleep(1000)
            self.lock.greeting()
            self.links.append(LockLink(self.lock))
            return self.links[-1]

        return connect

    def opens(self, pin, at):
        return self.lock.opens(pin, at.astimezone(ZONE))


async def near(house, desk):
    """Pair a desk with a radio, and bring it the keys of room 101's lock."""
    await opened(desk)
    lock = Near(desk)
    said = await desk.order(do="lock-keys", lock=device_at("101"), keys=lock.keys)
    assert said == {"locks": [device_at("101")]}
    radio = Radio(desk.clock, ZONE, desk.agent.device, lock.opener)
    desk.agent = replace(desk.agent, parts=replace(desk.agent.parts, radio=radio))
    await desk.agent.papers.fetch_arrivals()
    return lock


async def booked(house, event="evt_1", reservation="rsv_1", **data):
    stay = {"rooms": ["rmu_101"], "preferredKinds": ["pin_code"], "paymentStatus": "captured"}
    told = {
        **stay,
        "reservationId": reservation,
        "validFrom": NOON,
        "validUntil": SHORT,
        "version": 1,
        **data,
    }
    await house.publish(event, **told, guest={"id": "gst_1"})
    await asyncio.sleep(5)


async def lived(desk, seconds, meanwhile=None):
    """Let the agent live for a while, in which something happens."""
    loop = AgentLoop(desk.agent, desk.entropy)
    life = asyncio.create_task(loop.forever())
    await asyncio.sleep(10)
    if meanwhile is not None:
        await meanwhile
    await asyncio.sleep(seconds)
    life.cancel()
    await asyncio.gather(life, return_exceptions=True)
    return loop


async def beside(house, desk, lock, home):
    """Pair another desk with a radio, in reach of the same lock."""
    other = PairedDesk(house, home, entropy=11)
    await other.pair()
    radio = Radio(other.clock, ZONE, other.agent.device, lock.opener)
    other.agent = replace(other.agent, parts=replace(other.agent.parts, radio=radio))
    await other.agent.papers.fetch_arrivals()
    return other


async def states(house):
    return [each["state"]["type"] for each in await house.keys()]


def test_a_pin_is_put_by_radio_while_the_gateway_is_away_and_taken_away_by_radio_again(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        await house.steer("PATCH", GATEWAY, online=False)
        await lived(desk, 10)
        await booked(house)
        await lived(desk, 120)

        assert await states(house) == ["active"]
        (pin,) = lock.lock.passcodes
        assert lock.opens(pin, desk.clock.now())
        ((name, listed),) = [(each["name"], each["code"]) for each in await house.keys_at("101")]
        assert (listed, name.startswith("MM-")) == (pin, True)

        await house.publish("evt_2", "checked_out", reservationId="rsv_1", version=2)
        await lived(desk, 120)
        assert (lock.lock.passcodes, await house.keys_at("101")) == ({}, [])
        assert await states(house) == ["revoked"]

    play_desk(tmp_path, scenario)


def test_an_answer_that_was_lost_leaves_one_pin_and_a_lock_that_is_not_heard_leaves_the_way_to_others(
    tmp_path,
):
    async def scenario(house, desk):
        lock = await near(house, desk)
        await house.steer("PATCH", GATEWAY, online=False)
        await lived(desk, 10)
        lock.lock.faults.plan("ok", "ok", "ok", "lost_answer")
        await booked(house)
        await lived(desk, 120)
        (pin,) = lock.lock.passcodes
        assert await states(house) == ["active"]
        assert [each["code"] for each in await house.keys_at("101")] == [pin]
        assert lock.lock.asked.count(0x03) == 4  # added, unheard of; taken, taken away, and added anew
        await house.publish("evt_2", "checked_out", reservationId="rsv_1", version=2)
        await lived(desk, 120)
        assert lock.lock.passcodes == {}

        lock.reached = False
        await booked(house, "evt_3", "rsv_2")
        await lived(desk, 120)
        assert await states(house) == ["revoked", "active"]
        (computed,) = await house.keys_at("101")
        assert (computed["custom"], lock.lock.passcodes) == (False, {})

    play_desk(tmp_path, scenario)


def test_a_pin_that_nobody_noted_is_asked_for_again_when_its_lock_was_out_of_reach(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        await house.steer("PATCH", GATEWAY, online=False)
        await lived(desk, 10)
        await booked(house)
        await house.fault("http_500", "keyboardPwd/add", times=1000)
        await lived(desk, 10)
        assert len(lock.lock.passcodes) == 1
        await house.publish("evt_2", "cancelled", reservationId="rsv_1", version=2)
        lock.reached = False
        await lived(desk, 60)
        assert len(lock.lock.passcodes) == 1
        lock.reached = True
        await lived(desk, 600)
        assert lock.lock.passcodes == {}

    play_desk(tmp_path, scenario)


@dataclass(frozen=True)
class WrongClock:
    """A clock that is two hours ahead of another."""

    true: Clock

    def now(self):
        return self.true.now() + timedelta(hours=2)


def test_a_desk_whose_clock_is_wrong_goes_to_no_lock_and_the_guest_gets_another_key(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        wrong, agent = WrongClock(desk.clock), desk.agent
        radio = Radio(wrong, ZONE, agent.device, lock.opener)
        desk.agent = wired(replace(agent.parts, clock=wrong, radio=radio), agent.identity)
        await house.steer("PATCH", GATEWAY, online=False)
        await lived(desk, 10)
        await booked(house)
        await lived(desk, 120)
        assert (lock.lock.asked, lock.lock.skew) == ([], timedelta(0))
        assert await states(house) == ["active"]
        (computed,) = await house.keys_at("101")
        assert computed["custom"] is False

    play_desk(tmp_path, scenario)


async def at_screen(desk):
    """Sign a clerk in."""
    screen = Screen(desk)
    await screen.look()
    await screen.press("/sign-in", user=CLERK, pin=PIN)
    await screen.look()
    return screen


def pin_on(screen):
    """Return the PIN that is shown, if one is."""
    found = re.search(r"PIN for the door: <bdi>(\d+)</bdi>", screen.page)
    return found and found[1]


async def put_alone(house, desk, lock):
    """Put a PIN at the door with the network away, one answer lost on the way, and return it."""
    await house.steer("PATCH", GATEWAY, online=False)
    for operation in ("keyboardPwd/add", "keyboardPwd/get"):
        await house.fault("http_500", operation, times=1000)
    await booked(house)
    await desk.agent.papers.fetch_arrivals()
    desk.wire.down = True
    screen = await at_screen(desk)
    lock.lock.faults.plan("ok", "ok", "ok", "lost_answer")
    await screen.press("/issue", reservation="rsv_1")
    assert (words("en")["lock_silent"] in screen.page, pin_on(screen)) == (True, None)
    await screen.press("/issue", reservation="rsv_1")
    pin = pin_on(screen)
    await screen.look()
    assert pin not in screen.page
    desk.wire.down = False
    await house.mend()
    return pin


@pytest.mark.parametrize("cancelled", [False, True])
def test_a_desk_alone_puts_a_pin_at_the_door_and_the_cloud_makes_it_the_stays_own(tmp_path, cancelled):
    async def scenario(house, desk):
        lock = await near(house, desk)
        pin = await put_alone(house, desk, lock)
        assert lock.opens(pin, desk.clock.now())
        if cancelled:
            await house.publish("evt_2", "cancelled", reservationId="rsv_1", version=2)
        await lived(desk, 240)
        own = [key for key in await house.keys() if key["core"]["origin"] == "desk"]
        assert [key["state"]["type"] for key in own] == ["revoked" if cancelled else "active"]
        assert (await states(house)).count("active") == (not cancelled)
        if not cancelled:
            await lived(desk, 240, house.publish("evt_3", "checked_out", reservationId="rsv_1", version=3))
        assert lock.lock.passcodes == {}
        assert await house.keys_at("101") == []

    play_desk(tmp_path, scenario)


def test_a_desk_alone_takes_its_pin_away_again_and_a_lost_one_gives_way_to_another(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        await booked(house)
        await desk.agent.papers.fetch_arrivals()
        desk.wire.down = True
        screen = await at_screen(desk)
        await screen.press("/issue", reservation="rsv_1")
        first = pin_on(screen)
        await screen.press("/replace", reservation="rsv_1")
        second = pin_on(screen)
        assert (first in lock.lock.passcodes, second in lock.lock.passcodes) == (False, True)
        await screen.press("/revoke", reservation="rsv_1")
        assert (words("en")["revoked"] in screen.page, lock.lock.passcodes) == (True, {})

    play_desk(tmp_path, scenario)


def test_no_desk_of_another_house_and_no_copy_of_the_arrivals_opens_a_lock(tmp_path):
    async def scenario(house, desk):
        await near(house, desk)
        pack = (await desk.agent.papers.standing()).pack
        (lock,) = pack.radio
        assert (lock.door, lock.vendor_device) == ("rmu_101", DOORS["101"])
        with pytest.raises(SignedRefused):
            lock.material(SigningKey(bytes(32)))
        said = await desk.order(do="lock-keys", lock=device_at("101"), keys={"mac": "x"})
        assert said[0] == 400
        assert await desk.order(do="lock-keys", lock=device_at("101")) == {"locks": []}
        await desk.agent.papers.fetch_arrivals()
        assert (await desk.agent.papers.standing()).pack.radio == ()
        kept = await house.documents("desk_keys")
        assert kept == {}

    play_desk(tmp_path, scenario)


def test_the_locks_of_a_stopped_desk_are_named_until_each_was_paired_anew(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        device = desk.agent.identity.device
        (row,) = (await desk.order(do="list"))["desks"]
        assert row["locks_left"] == []
        for _ in range(2):  # an order whose answer was lost is given again
            assert (await desk.order(do="stop", desk=device))["locks_left"] == [device_at("101")]
        said = house.on.log.getvalue()
        assert said.count("a stopped desk has the keys of locks") == 1
        assert not any(lock.keys[name] in said for name in ("mac", "aes", "admin", "unlock"))

        await asyncio.sleep(60)
        await desk.order(do="lock-keys", lock=device_at("101"), keys=lock.keys)
        (row,) = (await desk.order(do="list"))["desks"]
        assert row["locks_left"] == [device_at("101")]
        await desk.order(do="lock-keys", lock=device_at("101"), keys={**lock.keys, "aes": "5a" * 16})
        (row,) = (await desk.order(do="list"))["desks"]
        assert row["locks_left"] == []

    play_desk(tmp_path, scenario)


def test_a_desk_that_comes_back_puts_no_pin_again_that_another_desk_put_and_took_away_since(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        other = await beside(house, desk, lock, tmp_path / "other")
        await house.steer("PATCH", GATEWAY, online=False)
        await asyncio.gather(lived(desk, 10), lived(other, 10))
        lock.lock.faults.plan("ok", "ok", "ok", "silent")
        await booked(house)
        await AgentLoop(other.agent, other.entropy).round()
        assert lock.lock.passcodes == {}  # asked, and nobody knows
        await lived(desk, 120)
        assert (await states(house), len(lock.lock.passcodes)) == (["active"], 1)
        await house.publish("evt_2", "checked_out", reservationId="rsv_1", version=2)
        await lived(desk, 120)
        assert (await states(house), lock.lock.passcodes) == (["revoked"], {})

        await lived(other, 120)
        assert lock.lock.passcodes == {}
        assert await other.agent.post.pull() == []
        await other.agent.parts.ledger.close()

    play_desk(tmp_path, scenario)


def test_a_desk_that_a_lock_s_job_was_not_sealed_for_ends_it_by_no_word_of_its_own(tmp_path):
    async def scenario(house, desk):
        lock = await near(house, desk)
        await house.steer("PATCH", GATEWAY, online=False)
        await lived(desk, 10)
        await booked(house)
        other = await beside(house, desk, lock, tmp_path / "other")
        ((job, found),) = (await house.documents("desk_jobs")).items()
        assert (found["state"], [*found["sealed"]]) == ("pending", [desk.agent.identity.device])
        for state, more in (("processed", {}), ("error", {"error": "lock_silent"})):
            with pytest.raises(CannotBeDone, match="job"):
                await other.agent.line.ask(STEP, {"job": job, "vendor": "ttlock", "state": state, **more})
        assert await states(house) == ["pending"]
        await lived(desk, 60)
        assert (await states(house), len(lock.lock.passcodes)) == (["active"], 1)
        await other.agent.parts.ledger.close()

    play_desk(tmp_path, scenario)
