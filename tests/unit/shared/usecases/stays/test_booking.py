"""A booking event as the commands want it, and a command that decides anew when it lost a race."""

from types import SimpleNamespace

import pytest

from shared.domain.errors import InvalidInput
from shared.keywork.services import RACES, retry_on_conflict
from shared.ledger.stay import Recency
from shared.ports.documents import AlreadyExists, Ref, StaleVersion
from shared.usecases.stays.booking import BookingEvent
from tests.support.ledger_books import NOW, SILK

TRACE = "00-" + "4b" * 16 + "-" + "0f" * 8 + "-01"
REF = Ref("reservations", "rsv_1")


def event(trace=TRACE, id_="evt_1", version=3):
    data = SimpleNamespace(reservation_id="rsv_1", version=version)
    subject = "melmastoon.reservation.booking.cancelled.v1"
    return SimpleNamespace(id=id_, subject=subject, tenant_id=SILK, time=NOW, data=data, trace_id=trace)


def test_event_is_read_with_its_standing_and_its_cause():
    booking = BookingEvent.of(event())
    assert (booking.tenant, booking.reservation) == (SILK, "rsv_1")
    assert (booking.standing, booking.time) == (Recency(3, NOW), NOW)
    assert (booking.cause.trace_id, booking.cause.event_id) == (TRACE, "evt_1")


@pytest.mark.parametrize("trace", [None, "", "4b4b", TRACE.upper(), TRACE + "-more"])
def test_event_without_a_usable_trace_gets_one_of_its_own_and_the_same_each_time(trace):
    first, second = (BookingEvent.of(event(trace)).cause.trace_id for _ in range(2))
    other = BookingEvent.of(event(trace, id_="evt_2")).cause.trace_id
    assert first == second != other
    assert [len(part) for part in first.split("-")] == [2, 32, 16, 2]


@pytest.mark.parametrize("lost", [AlreadyExists(REF), StaleVersion(REF)])
async def test_command_that_lost_a_race_reads_and_decides_anew(lost):
    tries = []

    async def command():
        tries.append(1)
        if len(tries) <= RACES:
            raise lost
        return "done"

    assert await retry_on_conflict(command) == "done"
    assert len(tries) == RACES + 1


async def test_command_that_loses_every_race_lets_its_caller_come_again():
    tries = []

    async def command():
        tries.append(1)
        raise StaleVersion(REF)

    with pytest.raises(StaleVersion):
        await retry_on_conflict(command)
    assert len(tries) == RACES + 1


async def test_command_that_is_refused_is_not_tried_again():
    tries = []

    async def command():
        tries.append(1)
        raise InvalidInput("data.rooms", "empty", "give one")

    with pytest.raises(InvalidInput):
        await retry_on_conflict(command)
    assert tries == [1]
