"""What in the attempts at doors somebody should look at: each anomaly by name, with the facts behind it."""

import hashlib
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.domain.commands import Accept, Provision, Revoke
from shared.domain.core import Staff
from shared.domain.grant_lifecycle import Place, Placement
from shared.domain.ids import UserId
from shared.domain.kinds import RevokeReason
from shared.domain.window import StayWindow
from shared.ledger.anomaly import anomaly_from
from shared.ledger.indexes import ANOMALIES
from shared.ledger.key_record import KeyRecord, Saga, Work
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKeys
from shared.ports.door_records import DoorRecord, Means
from shared.usecases.attempts.keep_attempts import keep_attempts
from shared.usecases.attempts.trace_attempt import Tracer
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import CAUSE, CLAIM, HOUR, KABUL, MINUTE, MOCK, SILK

ROOM_1, ROOM_2, GYM = door(1, ROOMS[:1], "pin"), door(2, ROOMS[1:2], "pin"), door(3, ROOMS[:2], "pin")
CLEANER = Staff(UserId("usr_7"))


class House:
    """A hotel of three doors, its keys, and what was tried."""

    def __init__(self, books):
        self.books, self.number = books, 0
        secrets = SealedKeys(books.vault.tenant(SILK), books.cipher, MOCK)
        binding = SimpleNamespace(tenant=SILK, property=SimpleNamespace(id=KABUL))
        self.tracer = Tracer(SimpleNamespace(binding=binding, secrets=secrets), books.ledger)

    @property
    def now(self):
        return self.books.clock.now()

    async def key(self, *doors, begins=-HOUR, ends=5 * HOUR, **core):
        """Return a key that stands at doors, and its name there."""
        books = self.books
        window = StayWindow(self.now + begins, self.now + ends, "Asia/Kabul")
        credential, facts = type(books.requested()[0].credential).request(
            books.core(window=window, **core), at=self.now
        )
        for command in (Accept(at=self.now), Provision(at=self.now)):
            credential, more = credential.apply(command)
            facts = (*facts, *more)
        entry = KeyRecord(credential, Saga(kind=Work.ISSUE, claim=CLAIM), CAUSE)
        placed = Place(at=self.now, placement=Placement.ON_LOCK)
        kept = [
            books.kept(entry, each.id, vendor_key=_named(entry.id, each.id)).applied(placed) for each in doors
        ]
        (saved,) = await books.ledger.save_all([Change(entry, facts, tuple(kept))])
        return saved.entry, {kept_.grant.device_id: kept_.grant.vendor_name for kept_ in kept}

    async def tried(self, where, names=None, after=timedelta(0), opened=True):
        """Have a door tried with a key, or with something that nobody knows; return the attempt's id."""
        self.number += 1
        name = "" if names is None else names[where.id]
        record = DoorRecord(
            event=f"e{self.number}", at=self.now + after, opened=opened, means=Means.PIN, name=name
        )
        (new,) = await keep_attempts([record], where, self.tracer, self.books.services)
        return new.attempt.id

    async def odd(self):
        """Return what was found odd, by its kind."""
        found = await self.books.documents.query(ANOMALIES, {}, limit=100)
        return {each.kind.value: each for each in map(anomaly_from, found)}


def _named(*about):
    return hashlib.sha256("|".join(map(str, about)).encode()).hexdigest()


@pytest.fixture
async def house(books):
    await move_in(books, ROOM_1, ROOM_2, GYM)
    return House(books)


async def revoke(house, entry, reason):
    credential, facts = entry.credential.apply(Revoke(at=house.now, reason=reason))
    await house.books.ledger.save(Change(replace(entry, credential=credential), facts, ()))


@pytest.mark.parametrize("opened", [True, False])
async def test_off_shift_use_is_a_staff_key_that_is_tried_after_its_shift(house, opened):
    entry, names = await house.key(ROOM_1, holder=CLEANER)
    await house.tried(ROOM_1, names)
    assert "off_shift_use" not in await house.odd()
    late = await house.tried(ROOM_1, names, after=6 * HOUR, opened=opened)
    found = (await house.odd())["off_shift_use"]
    assert (found.facts, found.device_id, found.credential_id) == ((late,), ROOM_1.id, entry.id)
    assert found.at == house.now + 6 * HOUR


async def test_off_shift_use_is_told_of_no_guest(house):
    _, names = await house.key(ROOM_1)
    await house.tried(ROOM_1, names, after=6 * HOUR, opened=False)
    assert await house.odd() == {}


async def test_repeated_denials_are_five_within_ten_minutes_at_one_door_told_once_an_hour(house):
    tried = [await house.tried(ROOM_1, after=number * MINUTE, opened=False) for number in range(4)]
    await house.tried(ROOM_2, after=4 * MINUTE, opened=False)
    assert await house.odd() == {}
    tried.append(await house.tried(ROOM_1, after=9 * MINUTE, opened=False))
    found = (await house.odd())["repeated_denials"]
    assert (set(found.facts), found.device_id) == (set(tried), ROOM_1.id)
    await house.tried(ROOM_1, after=9.5 * MINUTE, opened=False)
    assert (await house.odd())["repeated_denials"] == found
    (line,) = [each for each in house.books.lines if each.get("because") == "repeated_denials"]
    assert line["severity"] == "WARNING"


async def test_slow_denials_are_nothing_to_look_at(house):
    for number in range(6):
        await house.tried(ROOM_1, after=number * 3 * MINUTE, opened=False)
    assert await house.odd() == {}


async def test_staff_key_in_an_occupied_room_is_told_once_its_guest_has_come(house):
    guest, of_guest = await house.key(ROOM_1)
    cleaner, of_staff = await house.key(ROOM_1, holder=CLEANER)
    await house.tried(ROOM_1, of_staff)
    assert await house.odd() == {}  # nobody has come yet
    await house.tried(ROOM_1, of_guest, after=MINUTE)
    await house.tried(ROOM_1, of_staff, after=2 * MINUTE, opened=False)
    assert await house.odd() == {}  # it did not open
    entered = await house.tried(ROOM_1, of_staff, after=3 * MINUTE)
    found = (await house.odd())["staff_in_occupied_room"]
    assert (found.facts, found.credential_id) == ((entered,), cleaner.id)
    assert str(guest.id) in found.said


async def test_staff_key_at_a_shared_door_is_in_nobody_s_room(house):
    _, of_guest = await house.key(GYM)
    _, of_staff = await house.key(GYM, holder=CLEANER)
    await house.tried(GYM, of_guest)
    await house.tried(GYM, of_staff, after=MINUTE)
    assert await house.odd() == {}


async def test_two_places_at_once_are_two_rooms_opened_by_one_key_within_half_a_minute(house):
    entry, names = await house.key(ROOM_1, ROOM_2, GYM)
    first = await house.tried(ROOM_1, names)
    await house.tried(GYM, names, after=timedelta(seconds=5))
    assert await house.odd() == {}  # a shared door is on the way
    second = await house.tried(ROOM_2, names, after=timedelta(seconds=25))
    found = (await house.odd())["two_places_at_once"]
    assert (found.facts, found.credential_id) == ((first, second), entry.id)


async def test_guest_who_walks_from_room_to_room_is_nothing_to_look_at(house):
    _, names = await house.key(ROOM_1, ROOM_2)
    await house.tried(ROOM_1, names)
    await house.tried(ROOM_2, names, after=MINUTE)
    assert await house.odd() == {}


@pytest.mark.parametrize("opened", [True, False])
async def test_door_used_by_a_guest_who_checked_out_is_told_and_wakes_somebody_if_it_opened(house, opened):
    entry, names = await house.key(ROOM_1)
    await revoke(house, entry, RevokeReason.CHECKOUT)
    tried = await house.tried(ROOM_1, names, after=HOUR, opened=opened)
    odd = await house.odd()
    assert set(odd) == {"used_after_checkout", *(["revoked_key_opened"] if opened else [])}
    found = odd["used_after_checkout"]
    assert (found.facts, found.credential_id) == ((tried,), entry.id)
    alerts = [each for each in house.books.lines if each["severity"] == "ALERT"]
    assert [each["because"] for each in alerts] == (["revoked_key_opened"] if opened else [])


async def test_key_that_ended_otherwise_is_used_after_no_check_out(house):
    entry, names = await house.key(ROOM_1)
    await revoke(house, entry, RevokeReason.LOST)
    await house.tried(ROOM_1, names, after=HOUR)
    assert set(await house.odd()) == {"revoked_key_opened"}


async def test_key_that_nobody_knows_wakes_somebody_where_it_opened(house):
    await house.tried(ROOM_2, opened=False)
    assert await house.odd() == {}
    tried = await house.tried(ROOM_2, after=MINUTE)
    (found,) = (await house.odd()).values()
    assert (found.kind.value, found.facts) == ("unknown_key_opened", (tried,))
    (alert,) = [each for each in house.books.lines if each["severity"] == "ALERT"]
    assert (alert["because"], alert["deviceId"]) == ("unknown_key_opened", ROOM_2.id)
