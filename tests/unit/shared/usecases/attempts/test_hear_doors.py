"""Webhooks wait for doors that are silent: no other door waits with them, and nobody asks for ever."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.domain.lock_errors import LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.ledger.indexes import WAITING_WEBHOOKS
from shared.ledger.sealed_keys import SealedKeys
from shared.ledger.site import site_of
from shared.ledger.vendor_webhook import HintRecord, HookOutcome, VendorWebhook, webhook_from, webhook_id
from shared.ports.door_records import DoorRecord, Means
from shared.usecases.attempts.begin_hearing import HearDoors
from shared.usecases.attempts.hear_doors import AT_A_TIME, PATIENCE, hear_doors
from tests.support.few_doors import GUESTHOUSE, ROOMS, door, move_in
from tests.support.ledger_books import KABUL, MOCK, SILK

SILENT, HEARD = door(1, ROOMS[:1], "pin"), door(2, ROOMS[1:2], "pin")
SITE = site_of(KABUL, MOCK)
COMMAND = HearDoors(SILK, KABUL, MOCK)


class Doors:
    """A vendor's doors: those that are silent take their time to say nothing."""

    def __init__(self, clock):
        self.clock, self.silent, self.asked, self.at = clock, {SILENT.id}, [], clock.now()
        self.lists = False

    async def list_devices(self, _property_id):
        if not self.lists:
            raise VendorUnreachable(vendor=MOCK, cause=LockErrorCause("timeout"))
        return []

    def describe_adapter(self):
        return SimpleNamespace(oldest_firmware=None)

    async def list_attempts(self, device_id, _since):
        self.asked.append(device_id)
        if device_id in self.silent:
            self.clock.advance(seconds=40)
            raise VendorUnreachable(vendor=MOCK, cause=LockErrorCause("timeout"))
        secret = Secret("48213957")
        return [DoorRecord(event="e1", at=self.at, opened=False, means=Means.PIN, secret=secret)]


@pytest.fixture
async def ear(books):
    """A hotel of two doors, and all that hears them."""
    await move_in(books, SILENT, HEARD)
    port = Doors(books.clock)
    binding = SimpleNamespace(tenant=SILK, property=GUESTHOUSE, devices=(SILENT, HEARD), vendor=MOCK)
    secrets = SealedKeys(books.vault.tenant(SILK), books.cipher, MOCK)
    desk = SimpleNamespace(port=port, binding=binding, secrets=secrets)

    async def at(*_):
        return desk

    return SimpleNamespace(books=books, port=port, desks=SimpleNamespace(at=at))


def webhook(books, lock, number):
    now = books.clock.now()
    return VendorWebhook(
        id=webhook_id(SITE, f"{lock}-{number}", now),
        tenant=SILK,
        property_id=KABUL,
        vendor=MOCK,
        type="access.records",
        event_id=f"{lock}-{number}",
        received_at=now + timedelta(milliseconds=number),
        signed=False,
        hints=(HintRecord(lock=lock, at=now),),
        sequence=0,
    )


async def kept(books, *hooks):
    for hook in hooks:
        await books.documents.commit([hook.write()])


async def hear(ear, most=40):
    """Hear until the execution would end; return after how many calls."""
    for call in range(1, most + 1):
        said = await hear_doors(COMMAND, ear.books.services, ear.desks)
        if said["outcome"] == "done":
            return call
        ear.books.clock.advance(seconds=said["after_seconds"])
    raise AssertionError("it has no end")


async def waiting(books):
    """Return the locks for which webhooks wait."""
    found = await books.documents.query(WAITING_WEBHOOKS, {"site": SITE}, limit=1000)
    return [hint.lock for each in found for hint in webhook_from(each).hints]


async def test_two_hundred_webhooks_of_a_silent_lock_hold_no_other_door_back(ear):
    books = ear.books
    await kept(books, *(webhook(books, "1", number) for number in range(AT_A_TIME)))
    await kept(books, webhook(books, "2", AT_A_TIME))
    await hear_doors(COMMAND, books.services, ear.desks)
    await hear_doors(COMMAND, books.services, ear.desks)
    assert set(await waiting(books)) == {"1"}
    assert ear.port.asked[:2] == [SILENT.id, HEARD.id]


async def test_who_waits_for_a_silent_lock_ends_and_hears_all_once_it_is_back(ear):
    books = ear.books
    await kept(books, *(webhook(books, "1", number) for number in range(AT_A_TIME + 5)))
    books.clock.advance(seconds=PATIENCE.total_seconds())  # it has been silent for a while
    assert await hear(ear) <= 3
    assert len(await waiting(books)) == AT_A_TIME + 5
    ear.port.silent.clear()
    assert await hear(ear) <= 3
    assert await waiting(books) == []


async def test_door_for_which_there_was_no_time_is_asked_before_the_silent_one(ear):
    books = ear.books
    await kept(books, webhook(books, "1", 1), webhook(books, "2", 2))
    await hear_doors(COMMAND, books.services, ear.desks)
    assert ear.port.asked == [SILENT.id]
    await hear_doors(COMMAND, books.services, ear.desks)
    assert ear.port.asked[1] == HEARD.id


async def test_that_a_gateway_went_is_applied_once_the_locks_were_looked_at(ear):
    books = ear.books
    reach = replace(webhook(books, "1", 1), type="gateway.reach", hints=())
    await kept(books, reach)
    await hear_doors(COMMAND, books.services, ear.desks)
    found = await books.documents.query(WAITING_WEBHOOKS, {"site": SITE}, limit=10)
    assert [webhook_from(each).outcome for each in found] == [None]
    ear.port.lists = True
    await hear_doors(COMMAND, books.services, ear.desks)
    assert await books.documents.query(WAITING_WEBHOOKS, {"site": SITE}, limit=10) == []
    assert webhook_from(await books.documents.get(reach.ref)).outcome is HookOutcome.APPLIED
