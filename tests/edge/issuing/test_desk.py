"""A desk alone: keys by the rules, once, whatever breaks in between, and a door that agrees."""

import asyncio
import json
from base64 import b64decode
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest

from edge_agent.hardware.cards.keycard import Desk, KeyCardPress
from edge_agent.hardware.cards.keys import KeyMaterial
from edge_agent.hardware.encoders.encoder import DeskOfEncoders, Encoder
from edge_agent.hardware.encoders.models import MODELS, EncoderSetup
from edge_agent.hardware.encoders.usb import Sighting, Transport
from edge_agent.hardware.errors import CardMissing, LinkLost, PinTaken
from edge_agent.hardware.ttlock.commands import LockKeys
from edge_agent.hardware.ttlock.door import TtlockDoor
from edge_agent.hardware.ttlock.frames import LockVersion
from edge_agent.issuing import facts
from edge_agent.issuing.desk import DeskHands, OfflineDesk, OfflineRefused
from edge_agent.issuing.makers import CardMaker, PinMaker
from edge_agent.issuing.reach import PROBE_SECONDS, CloudReach
from edge_agent.ledger.errors import UnknownWork
from edge_agent.ledger.ledger import DeskLedger, LedgerThread
from infra.local.ambient import SystemEntropy
from infra.simulators.ble_locks.ble_lock import BleLock
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard
from infra.simulators.key_cards.door import Door
from infra.simulators.wires.pty_port import PtyPort
from shared.domain.ids import (
    DesktopDeviceId,
    RoomId,
)
from shared.domain.kinds import KeyCredentialKind, RevokeReason
from shared.domain.secret import Secret
from shared.domain.states import Active, Failed, Revoked
from shared.kernel.ids import DrawnIds
from shared.offline.rows import PURPOSE, REFUSED
from shared.offline.signing import message
from tests.edge.issuing.scene import (
    CARDS,
    CERTIFICATE,
    DEVICE,
    MATERIAL,
    NOTHING_REVOKED,
    NOW,
    PACK,
    SERIAL,
    STANDING,
    STAY,
    USB,
    WISH,
)
from tests.edge.wires import DirectLink
from tests.support.vendors import TTLOCK


class Crash(BaseException):
    """The process ends here."""


class CrashingLedger:
    """A ledger whose process ends before or after one of its commits."""

    def __init__(self, thread, at, before):
        self.thread, self.at, self.before, self.calls = thread, at, before, 0

    async def run(self, work):
        self.calls += 1
        if self.calls == self.at and self.before:
            raise Crash
        result = await self.thread.run(work)
        if self.calls == self.at:
            raise Crash
        return result


class LockLink(DirectLink):
    """A link to a lock of the usual version."""

    version = LockVersion()


def lock_of_the_house(front):
    """Return a lock whose clock is the desk's."""
    return BleLock(now=lambda: front.now.astimezone(ZoneInfo("Asia/Kabul")))


def door_by_radio(front, lock):
    """Return the door of a lock."""

    async def connect():
        lock.greeting()
        return LockLink(lock)

    keys = LockKeys(Secret(lock.key), Secret(lock.admin), Secret(lock.unlock.to_bytes(4, "big")))
    return TtlockDoor(connect, keys, SimpleNamespace(now=lambda: front.now), ZoneInfo("Asia/Kabul"))


class FrontDesk:
    """A desk with an encoder, a ledger, and time that passes a second with each name."""

    def __init__(self, stack, path):
        self.now = NOW
        self.plastic = ClassicCard()
        self.device = Pn532(self.plastic)
        self.line = stack.enter_context(PtyPort(self.device))
        self.ledger = LedgerThread(path, Secret(bytes(32)), SystemEntropy())
        self.ids = DrawnIds(self._tick, SystemEntropy().token)
        clock = SimpleNamespace(now=lambda: self.now)
        whose = DeskOfEncoders(
            CERTIFICATE.property_id, CERTIFICATE.device, clock, self.ids, lambda fact: None
        )
        plugged = [Sighting(USB, Transport.SERIAL, self.line.path)]
        self.encoder = Encoder(EncoderSetup("left", MODELS["pn532_serial"], USB), whose, lambda: plugged)
        cards = Desk(KeyMaterial(1, Secret(MATERIAL)), CARDS, (CARDS.verify_key,))
        self.hands = DeskHands(self.ledger, DEVICE, clock, self.ids)
        self.desk = OfflineDesk(self.hands)
        self.cards, self.plugged = CardMaker(self.encoder, cards, self.ids, self.ledger), plugged
        self.locks = {room: lock_of_the_house(self) for room in STAY.rooms}
        doors = {room: door_by_radio(self, lock) for room, lock in self.locks.items()}
        self.pins = PinMaker(TTLOCK, doors, SystemEntropy())

    def _tick(self):
        self.now += timedelta(seconds=1)
        return self.now

    def lay_down(self, plastic):
        """Lay another card on the encoder."""
        self.plastic = self.device.card = plastic

    def issue(self, wish=WISH, standing=STANDING, ledger=None, maker=None):
        """Make a key."""
        hands = replace(self.hands, ledger=ledger or self.ledger)
        return OfflineDesk(hands).issue(wish, standing, maker or self.cards)

    def issue_with(self, wish):
        """Make a key at the one desk that all clerks share."""
        return self.desk.issue(wish, STANDING, self.cards)

    async def rows(self):
        """Return the outbox."""
        return await self.ledger.run(lambda it: it.unsent(1000))


@pytest.fixture
async def front(tmp_path):
    """A front desk."""
    with ExitStack() as stack:
        front = FrontDesk(stack, tmp_path / "desk.db")
        yield front
        await front.encoder.close()
        await front.ledger.run(DeskLedger.verify)
        await front.ledger.close()


def door(room="rmu_204"):
    """Return a door of the house."""
    return Door(room, "ppt_lake", MATERIAL, [bytes(CARDS.verify_key)])


async def test_key_is_made_written_and_opens_its_door_for_48_hours(front):
    key = await front.issue()

    assert isinstance(key.state, Active)
    assert key.core.provisional
    assert key.core.window.duration == timedelta(hours=48)
    assert door().present(front.plastic, NOW) == "opens"
    assert door().present(front.plastic, NOW + timedelta(hours=48)) == "too_late"
    assert door("rmu_205").present(front.plastic, NOW) == "another_door"
    assert await front.ledger.run(lambda it: it.key(key.id)) == key


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(seconds=3)])
async def test_replacement_of_a_lost_card_ends_it_also_when_the_desk_s_clock_was_set_back(front, back):
    first, lost, entrance = await front.issue(), front.plastic, door()
    assert entrance.present(lost, NOW) == "opens"
    await front.desk.revoke(str(first.id), RevokeReason.LOST, CERTIFICATE, None)
    front.now -= back
    front.lay_down(ClassicCard(uid=bytes.fromhex("0A0B0C0D")))
    standing = replace(STANDING, now=front.now)
    await front.issue(replace(WISH, once="press-2", replaces=first.id), standing)

    assert entrance.present(front.plastic, NOW) == "opens"
    assert entrance.present(lost, NOW) != "opens"


async def test_card_made_alone_is_above_what_the_cloud_had_written_at_this_desk(front):
    ahead = int((NOW + timedelta(hours=2)).timestamp() * 1000)
    await front.ledger.run(lambda it: it.jobs.take({"job": "job_1", "number": ahead}))

    await front.issue()

    (row,) = await front.rows()
    assert facts.for_push(row)["vendorRef"].endswith(f".{ahead + 1}")


async def test_card_made_alone_is_above_what_another_desk_of_the_property_wrote(front):
    ahead = int((NOW + timedelta(hours=2)).timestamp() * 1000)

    await front.issue(maker=replace(front.cards, newest=ahead))

    (row,) = await front.rows()
    assert facts.for_push(row)["vendorRef"].endswith(f".{ahead + 1}")


async def test_card_of_the_key_before_is_not_taken_for_the_key_that_takes_its_place(front):
    early = replace(STAY, window=replace(STAY.window, start=NOW + timedelta(hours=1)))
    standing = replace(STANDING, pack=replace(PACK, stays=(early,)))
    ahead = replace(front.cards, newest=int((NOW + timedelta(hours=2)).timestamp() * 1000))
    first = await front.issue(standing=standing, maker=ahead)
    number = await front.ledger.run(lambda it: it.card_of(first.id))

    second = await front.issue(replace(WISH, once="press-2", replaces=first.id), standing)

    assert await front.ledger.run(lambda it: it.card_of(second.id)) == number + 1
    assert [facts.for_push(row).get("vendorRef", "")[-len(str(number)) :] for row in await front.rows()] == [
        str(number),
        "",
        str(number + 1),
    ]


async def test_row_is_the_specification_s_signed_whole_and_its_reference_stands_apart(front):
    key = await front.issue()

    (row,) = await front.rows()
    assert row.subject == "melmastoon.lock.credential.issued.local.v1"
    document = facts.for_push(row)
    assert {
        name: document[name] for name in ("localId", "reservationId", "kind", "certSerial", "vendorRef")
    } == {
        "localId": key.id,
        "reservationId": "rsv_1",
        "kind": "rfid_card",
        "certSerial": SERIAL,
        "vendorRef": f"{front.plastic.uid.hex().upper()}.{document['vendorRef'].partition('.')[2]}",
    }
    signature = b64decode(document.pop("deviceSig"))
    DEVICE.verify_key.verify(message(PURPOSE, document), signature)
    assert b"vendorRef" not in row.body


REFUSALS = {
    "clock_untrue": {"clock_untrue": True},
    "no_certificate": {"certificate": None},
    "expired": {"now": CERTIFICATE.ends},
    "another_device": {"device_key": bytes(32)},
    "revoked": {"revoked": replace(NOTHING_REVOKED, serials=frozenset({SERIAL}))},
    "no_arrivals": {"pack": None},
    "arrivals_too_old": {"pack": replace(PACK, issued=NOW - timedelta(hours=48))},
    "arrivals_of_another_desk": {"pack": replace(PACK, device=DesktopDeviceId("dev_other"))},
    "not_permitted": {"pack": replace(PACK, staff=())},
    "stay_unknown": {"pack": replace(PACK, stays=())},
    "not_confirmed": {"pack": replace(PACK, stays=(replace(STAY, status="cancelled"),))},
    "not_paid": {"pack": replace(PACK, stays=(replace(STAY, payment="pending"),))},
    "held": {"pack": replace(PACK, stays=(replace(STAY, holds=("fraud_review",)),))},
}


@pytest.mark.parametrize("reason", REFUSALS)
async def test_refusal_makes_nothing_and_is_written_down(front, reason):
    with pytest.raises(OfflineRefused, match=reason):
        await front.issue(standing=replace(STANDING, **REFUSALS[reason]))

    assert front.plastic.writes == 0
    (row,) = await front.rows()
    told = json.loads(row.body)
    assert (row.subject, told["reason"], told["reservationId"]) == (REFUSED, reason, "rsv_1")
    assert await front.desk.left() == []


async def test_serial_that_the_pack_says_is_revoked_counts_too(front):
    revoked = replace(NOTHING_REVOKED, serials=frozenset({SERIAL}))

    with pytest.raises(OfflineRefused, match="revoked"):
        await front.issue(standing=replace(STANDING, pack=replace(PACK, revoked=revoked)))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"kind": KeyCredentialKind.QR_CODE}, "kind_not_certified"),
        ({"kind": KeyCredentialKind.PIN_CODE}, "kind_not_here"),
        ({"rooms": (RoomId("rmu_301"),)}, "another_room"),
        ({"rooms": ()}, "another_room"),
        ({"until": NOW}, "stay_over"),
    ],
)
async def test_wish_beyond_the_stay_is_refused(front, change, reason):
    with pytest.raises(OfflineRefused, match=reason):
        await front.issue(replace(WISH, **change))


async def test_encoder_that_is_not_plugged_in_is_said_and_nothing_is_begun(front):
    front.plugged.clear()

    with pytest.raises(OfflineRefused, match="no_device"):
        await front.issue()
    assert await front.desk.left() == []


PIN_WISH = replace(WISH, once="press-9", kind=KeyCredentialKind.PIN_CODE, rooms=STAY.rooms)


def opens(front, pin):
    """Say which doors a PIN opens now, by the locks' own clocks."""
    return [
        lock.opens(pin.reveal(), front.now.astimezone(ZoneInfo("Asia/Kabul")))
        for lock in front.locks.values()
    ]


async def test_pin_is_put_on_every_door_and_shown_until_the_cloud_has_the_key(front):
    key = await front.issue(PIN_WISH, maker=front.pins)

    pin = await front.desk.pin(key.id)
    assert len(pin.reveal()) == 6
    assert opens(front, pin) == [True, True]
    (row,) = await front.rows()
    assert facts.for_push(row)["vendorRef"] == f"pin:{pin.reveal()}"
    assert pin.reveal().encode() not in row.body
    await front.ledger.run(lambda it: it.sent(1))
    await front.ledger.run(lambda it: it.confirmed(key.id, "key_1"))
    assert await front.desk.pin(key.id) is None


async def test_pin_that_a_lock_has_already_is_drawn_anew_and_the_other_guest_s_stays(front):
    drawn = iter(["111111", "222222"])
    second = [*front.locks.values()][1]
    second.passcodes["111111"] = (bytes(5), b"")
    maker = replace(front.pins, entropy=SimpleNamespace(token=lambda _: int(next(drawn)).to_bytes(16, "big")))

    key = await front.issue(PIN_WISH, maker=maker)

    assert (await front.desk.pin(key.id)).reveal() == "222222"
    assert "111111" in second.passcodes
    assert [list(lock.passcodes) for lock in front.locks.values()] == [["222222"], ["111111", "222222"]]


async def test_three_pins_taken_leave_the_wish_to_be_made(front):
    for lock in front.locks.values():
        lock.passcodes["000007"] = (bytes(5), b"")
    maker = replace(front.pins, entropy=SimpleNamespace(token=lambda _: (7).to_bytes(16, "big")))

    with pytest.raises(PinTaken):
        await front.issue(PIN_WISH, maker=maker)
    assert len(await front.desk.left()) == 1
    assert all(list(lock.passcodes) == ["000007"] for lock in front.locks.values())


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("at", range(1, 6))
async def test_crash_around_any_commit_makes_one_pin_key(front, at, before):
    with pytest.raises(Crash):
        await front.issue(PIN_WISH, ledger=CrashingLedger(front.ledger, at, before), maker=front.pins)

    key = await front.issue(PIN_WISH, maker=front.pins)

    assert opens(front, await front.desk.pin(key.id)) == [True, True]
    assert [row.key_id for row in await front.rows()] == [key.id]
    assert await front.desk.left() == []


async def test_pin_is_taken_from_every_door_or_it_is_said(front):
    first = await front.issue(PIN_WISH, maker=front.pins)
    await front.desk.revoke(first.id, RevokeReason.LOST, CERTIFICATE, front.pins)
    second = await front.issue(replace(PIN_WISH, once="press-10", replaces=first.id), maker=front.pins)
    deaf = next(iter(front.locks.values()))
    deaf.admin = bytes(4)

    await front.desk.revoke(second.id, RevokeReason.SECURITY, CERTIFICATE, front.pins)

    removed = [json.loads(row.body).get("removedAtLock") for row in await front.rows()]
    assert removed == [None, True, None, False]
    assert len(deaf.passcodes) == 1


async def test_room_whose_lock_we_hold_no_keys_of_is_said(front):
    maker = replace(front.pins, doors={})

    with pytest.raises(OfflineRefused, match="no_device"):
        await front.issue(PIN_WISH, maker=maker)


async def test_shorter_wish_is_kept(front):
    key = await front.issue(replace(WISH, until=NOW + timedelta(hours=5)))

    assert key.core.window.end == NOW + timedelta(hours=5)


async def test_same_wish_is_one_key_and_one_card(front):
    key = await front.issue()
    writes = front.plastic.writes

    assert await front.issue() == key

    assert front.plastic.writes == writes
    assert len(await front.rows()) == 1


async def test_second_key_of_a_room_would_shut_the_first_out_and_is_refused(front):
    await front.issue()

    with pytest.raises(OfflineRefused, match="live_key"):
        await front.issue(replace(WISH, once="press-2"))
    await front.issue(replace(WISH, once="press-3", rooms=(RoomId("rmu_205"),)))


@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("at", range(1, 6))
async def test_crash_around_any_commit_costs_no_key_and_makes_none_twice(front, at, before):
    with pytest.raises(Crash):
        await front.issue(ledger=CrashingLedger(front.ledger, at, before))
    assert len(await front.desk.left()) <= 1

    key = await front.issue()

    assert await front.issue() == key
    assert await front.desk.left() == []
    assert [row.key_id for row in await front.rows()] == [key.id]
    assert len(await front.ledger.run(lambda it: it.keys_in("active"))) == 1
    assert door().present(front.plastic, NOW + timedelta(hours=1)) == "opens"


async def test_card_made_just_before_a_crash_is_adopted_and_not_written_again(front):
    with pytest.raises(Crash):
        await front.issue(ledger=CrashingLedger(front.ledger, 5, before=True))
    writes = front.plastic.writes
    assert writes > 0

    await front.issue()

    assert front.plastic.writes == writes


@pytest.mark.parametrize("writes", range(1, 13, 2))
async def test_card_taken_away_halfway_is_shut_out_by_the_one_that_is_made_next(front, writes):
    front.plastic.leave_after_writes = writes
    with pytest.raises(CardMissing):
        await front.issue()
    (left,) = await front.desk.left()
    broken = front.plastic
    broken.present, broken.leave_after_writes = True, None
    front.lay_down(ClassicCard(uid=bytes.fromhex("0badcafe")))

    key = await front.issue()

    lock = door()
    assert key.id == left.key.id
    assert lock.present(front.plastic, NOW + timedelta(hours=1)) == "opens"
    assert lock.present(broken, NOW + timedelta(hours=1)) in ("no_key", "forged", "superseded")
    assert [row.key_id for row in await front.rows()] == [key.id]


async def test_plug_pulled_halfway_leaves_the_wish_to_be_made(front):
    write = front.plastic.write
    loop, written = asyncio.get_running_loop(), asyncio.Event()
    front.plastic.write = lambda block, data: (loop.call_soon_threadsafe(written.set), write(block, data))[1]
    work = asyncio.create_task(front.issue())
    await written.wait()
    front.line.unplug()

    with pytest.raises(LinkLost):
        await work
    assert len(await front.desk.left()) == 1
    assert await front.rows() == []


async def test_wishes_for_one_room_see_each_other(front):
    results = await asyncio.gather(
        front.issue_with(WISH), front.issue_with(replace(WISH, once="press-2")), return_exceptions=True
    )

    assert [isinstance(result, OfflineRefused) for result in results] == [False, True]


async def test_wish_that_broke_off_is_made_or_given_up_before_another_of_its_room(front):
    front.plastic.leave_after_writes = 4
    with pytest.raises(CardMissing):
        await front.issue()
    front.plastic.present, front.plastic.leave_after_writes = True, None
    with pytest.raises(OfflineRefused, match="live_key"):
        await front.issue(replace(WISH, once="press-2"))
    (left,) = await front.desk.left()

    failed = await front.desk.give_up(left.claim, front.cards)

    assert isinstance(failed.state, Failed)
    assert isinstance((await front.issue()).state, Failed)
    with pytest.raises(UnknownWork):
        await front.desk.give_up(left.claim, None)
    await front.issue(replace(WISH, once="press-3"))
    told = [json.loads(row.body) for row in await front.rows()]
    assert [one.get("reason") for one in told] == ["live_key", "given_up", None]


async def test_pin_of_a_wish_that_is_given_up_is_taken_away(front):
    with pytest.raises(Crash):
        await front.issue(PIN_WISH, ledger=CrashingLedger(front.ledger, 5, before=True), maker=front.pins)
    (left,) = await front.desk.left()

    await front.desk.give_up(left.claim, front.pins)

    assert [lock.passcodes for lock in front.locks.values()] == [{}, {}]


async def test_lost_key_is_revoked_and_its_replacement_shuts_it_out(front):
    first = await front.issue()
    lost = front.plastic
    front.lay_down(ClassicCard(uid=bytes.fromhex("0badcafe")))
    revoked = await front.desk.revoke(first.id, RevokeReason.LOST, CERTIFICATE, front.cards)
    assert isinstance(revoked.state, Revoked)

    second = await front.issue(replace(WISH, once="press-2", replaces=first.id))

    lock = door()
    assert second.core.replaces == first.id
    assert lock.present(front.plastic, NOW + timedelta(hours=1)) == "opens"
    assert lock.present(lost, NOW + timedelta(hours=1)) == "superseded"
    told = [json.loads(row.body) for row in await front.rows()]
    assert told[1]["reason"] == "lost"
    assert told[1]["removedAtLock"] is False


async def test_lost_key_stands_until_its_replacement_may_be_made_and_ends_before_that_is(front):
    first = await front.issue()
    anew = replace(WISH, once="press-2", replaces=first.id)
    held = replace(PACK, stays=(replace(STAY, holds=("fraud_review",)),))
    with pytest.raises(OfflineRefused, match="held"):
        await front.issue(anew, replace(STANDING, pack=held))
    assert isinstance((await front.ledger.run(lambda it: it.key(first.id))).state, Active)

    front.lay_down(None)
    with pytest.raises(CardMissing):
        await front.issue(anew)
    front.lay_down(ClassicCard(uid=bytes.fromhex("0badcafe")))
    second = await front.issue(anew)

    told = [json.loads(row.body) for row in await front.rows()]
    assert [one.get("reason") for one in told] == [None, "held", "lost", None]
    assert second.core.replaces == first.id


async def test_key_whose_card_is_brought_back_is_erased(front):
    key = await front.issue()

    await front.desk.revoke(key.id, RevokeReason.CHECKOUT, CERTIFICATE, front.cards)
    await front.desk.revoke(key.id, RevokeReason.CHECKOUT, CERTIFICATE, front.cards)

    assert door().present(front.plastic, NOW + timedelta(hours=1)) == "no_key"
    told = [json.loads(row.body) for row in await front.rows()]
    assert [one.get("removedAtLock") for one in told] == [None, True]


async def test_another_guest_s_card_is_not_erased_by_a_revocation(front):
    first = await front.issue()
    front.lay_down(ClassicCard(uid=bytes.fromhex("0badcafe")))
    await front.issue(replace(WISH, once="press-2", rooms=(RoomId("rmu_205"),)))

    await front.desk.revoke(first.id, RevokeReason.CHECKOUT, CERTIFICATE, front.cards)

    assert door("rmu_205").present(front.plastic, NOW + timedelta(hours=1)) == "opens"


async def test_what_was_over_a_week_ago_is_forgotten_once_the_cloud_has_heard_of_it(front):
    key = await front.issue()
    job = {"job": "job_1", "number": 7, "ends": "2026-11-21T08:00:00Z"}
    await front.ledger.run(lambda it: it.jobs.take(job))
    await front.ledger.run(lambda it: it.jobs.step("job_1", "written"))
    front.device.card = None
    with pytest.raises(CardMissing):
        await front.issue(replace(WISH, once="press-2", rooms=(RoomId("rmu_205"),)))
    front.now += timedelta(days=10)
    await front.desk.tidy()
    assert (await front.desk.left(), len(await front.rows())) == ([], 2)
    assert await front.ledger.run(lambda it: (it.key(key.id) is None, len(it.jobs.written()))) == (False, 1)

    await front.ledger.run(lambda it: it.sent(2))
    await front.ledger.run(lambda it: it.jobs.told(it.jobs.get("job_1")))
    await front.desk.tidy()

    assert await front.ledger.run(lambda it: (it.key(key.id), it.jobs.written())) == (None, [])
    assert await front.ledger.run(lambda it: it.jobs.highest_number()) == 7


async def test_revoking_what_this_desk_did_not_make_is_refused(front):
    with pytest.raises(UnknownWork):
        await front.desk.revoke("prov_keycred_" + "0" * 26, RevokeReason.LOST, CERTIFICATE, None)


async def test_key_is_revoked_without_an_encoder_too(front):
    key = await front.issue()

    assert isinstance(
        (await front.desk.revoke(key.id, RevokeReason.SECURITY, CERTIFICATE, None)).state, Revoked
    )


async def test_card_is_read_as_what_it_is(front):
    await front.issue()

    _, record = await front.encoder.run(lambda reader: KeyCardPress(reader, front.cards.cards).read())
    assert record.valid_until - record.valid_from == timedelta(hours=48)


@pytest.mark.parametrize(
    ("age", "fails", "offline"),
    [(None, False, True), (31, False, True), (29, False, False), (29, True, True)],
)
async def test_cloud_is_out_of_reach_when_silent_or_when_the_probe_fails(age, fails, offline):
    async def probe():
        if fails:
            raise OSError("unreachable")

    clock = SimpleNamespace(now=lambda: NOW)
    heard = None if age is None else NOW - timedelta(seconds=age)

    assert await CloudReach(probe, clock, heard).offline() is offline


@pytest.mark.parametrize("set_by", [timedelta(hours=-2), timedelta(hours=2)])
async def test_sign_of_life_says_nothing_once_the_clock_was_set(set_by):
    clock = SimpleNamespace(now=lambda: NOW + set_by)

    assert not CloudReach(lambda: asyncio.sleep(0), clock, NOW).lately


async def test_probe_that_hangs_is_given_up_within_its_time():
    reach = CloudReach(lambda: asyncio.sleep(3600), SimpleNamespace(now=lambda: NOW), NOW)
    loop = asyncio.get_running_loop()
    begun = loop.time()

    assert await reach.offline()
    assert PROBE_SECONDS == 0.8
    assert loop.time() - begun >= PROBE_SECONDS - 0.01


async def test_sign_of_life_is_noted():
    reach = CloudReach(lambda: asyncio.sleep(0), SimpleNamespace(now=lambda: NOW))

    assert await reach.offline()
    assert await reach.ask()
    assert not await reach.offline()
