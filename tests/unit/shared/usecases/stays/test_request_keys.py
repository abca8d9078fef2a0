"""The keys of a stay as they are first written down, and the stays that are refused."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId
from shared.domain.kinds import Area
from shared.domain.states import Failed, Requested
from shared.keywork.manual_task import MANUAL_TASKS, manual_tasks
from shared.keywork.prepare import MOST_LOCKS
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.key_record import Work
from shared.usecases.stays.read_booking import stay_of
from shared.usecases.stays.request_keys import (
    FURTHEST,
    NO_LOCK_OF_ITS_OWN,
    SCOPE_NOT_SUPPORTED,
    Wanted,
    request_keys,
)
from tests.support.few_doors import ROOMS, booking, door, premises
from tests.support.ledger_books import ARRIVAL, CAUSE, CLAIM, DAY, MOCK, SILK, TTLOCK

SCOPED = ("pin", "scope_floors", "scope_areas")


@pytest.fixture
def request_(books):
    """Request the keys of a booking at a hotel with these doors."""

    def request(event, *doors):
        stay = stay_of(event)
        wanted = Wanted(SILK, stay.held_by(event.data.reservation_id), stay, CLAIM, CAUSE)
        return request_keys(wanted, premises(*doors), books.services)

    return request


def test_a_stay_is_written_down_as_it_was_booked(books, request_):
    (change,) = request_(booking([*ROOMS[:2], ROOMS[0]]), door(1, ROOMS, "pin"))
    core, entry = change.entry.credential.core, change.entry
    assert (core.rooms, core.holder.reservation_id) == (tuple(ROOMS[:2]), "rsv_1")
    assert (core.window.start, core.window.end, core.window.zone) == (
        ARRIVAL,
        ARRIVAL + 3 * DAY,
        "Asia/Kabul",
    )
    assert (core.claim, entry.cause) == (CLAIM, CAUSE)
    assert (entry.saga.kind, entry.saga.generation, entry.saga.execution) == (Work.ISSUE, 1, None)
    assert entry.due == books.clock.now() + STARTED_WITHIN
    assert isinstance(entry.credential.state, Requested)
    assert [fact.header.sequence for fact in change.facts] == [1]
    assert manual_tasks([change], books.services.log) == []
    assert books.lines == []


def test_keys_of_two_vendors_share_the_claim_and_nothing_else(request_):
    doors = door(1, ROOMS[:1], "pin"), door(2, ROOMS[1:], "pin", vendor=TTLOCK)
    changes = request_(booking(ROOMS[:2]), *doors)
    assert [each.entry.credential.core.plan.current.vendor for each in changes] == [MOCK, TTLOCK]
    assert len({each.entry.id for each in changes}) == 2
    assert {each.entry.saga.claim for each in changes} == {CLAIM}


@pytest.mark.parametrize("ago", [timedelta(0), timedelta(days=3)])
def test_a_stay_that_is_over_is_refused(books, request_, ago):
    end = books.clock.now() - ago
    with pytest.raises(InvalidInput, match="in the past") as refused:
        request_(booking(start=end - DAY, end=end), door(1, ROOMS, "pin"))
    assert refused.value.field == "data.validUntil"


def test_an_end_that_nobody_can_mean_is_refused_and_a_stay_of_years_is_not(books, request_):
    now, doors = books.clock.now(), door(1, ROOMS, "pin")
    for end in (now + FURTHEST + timedelta(seconds=1), datetime.max.replace(tzinfo=UTC)):
        with pytest.raises(InvalidInput, match="too far away") as refused:
            request_(booking(start=now, end=end), doors)
        assert refused.value.field == "data.validUntil"
        assert "1096 days" in refused.value.remedy
    assert request_(booking(start=now, end=now + FURTHEST), doors)


def test_a_key_of_more_locks_than_can_be_written_down_at_once_is_refused(request_):
    rooms = [f"rmu_{number}" for number in range(MOST_LOCKS + 1)]
    doors = [
        replace(door(1, [room], "pin"), id=LockDeviceId(f"lck_{number:026}"))
        for number, room in enumerate(rooms)
    ]
    with pytest.raises(InvalidInput, match="151 locks") as refused:
        request_(booking(rooms), *doors)
    assert (refused.value.field, "several stays" in refused.value.remedy) == ("data.rooms", True)
    assert len(request_(booking(rooms[1:]), *doors)) == 1


def test_a_stay_that_has_begun_gets_its_key(books, request_):
    now = books.clock.now()
    assert request_(booking(start=now - DAY, end=now + timedelta(seconds=1)), door(1, ROOMS, "pin"))


def test_kinds_in_words_we_do_not_know_are_passed_over(request_):
    (change,) = request_(booking(kinds=("hologram", "qr_code", "pin_code")), door(1, ROOMS, "pin", "qr"))
    assert change.entry.credential.core.plan.kinds == ("qr_code", "pin_code")


def test_a_key_that_no_kind_can_make_fails_at_once_and_is_an_alarm_and_a_task(books, request_):
    (change,) = request_(booking(kinds=("pin_code",)), door(1, ROOMS))
    state = change.entry.credential.state
    assert isinstance(state, Failed)
    assert state.reason == "no_supported_kind"
    assert [fact.header.sequence for fact in change.facts] == [1, 2]
    (task,) = manual_tasks([change], books.services.log)
    assert (task.ref.collection, task.ref.id) == (MANUAL_TASKS, change.entry.id)
    assert (task.data["reservation_id"], task.data["rooms"]) == ("rsv_1", ["rmu_1"])
    assert task.data["reason"] == "no_supported_kind"
    (alarm,) = books.lines
    assert (alarm["severity"], alarm["message"]) == ("ALERT", "MELMASTOON.LOCK.KEY_ISSUE_FAILED")
    assert (alarm["runbook"], alarm["reason"]) == ("lock/key-issue", "no_supported_kind")
    assert (alarm["keyCredentialId"], alarm["reservationId"]) == (change.entry.id, "rsv_1")
    assert alarm["rooms"] == ["rmu_1"]


@pytest.mark.parametrize("scope", [{"floors": ("1",), "areas": ()}, {"floors": (), "areas": ("spa",)}])
def test_a_scope_that_the_locks_do_not_know_is_left_out_with_a_warning(request_, scope):
    (change,) = request_(booking(scope=scope), door(1, ROOMS[:1], "pin"))
    core = change.entry.credential.core
    assert not core.scope
    assert core.warnings == (SCOPE_NOT_SUPPORTED,)


def test_a_scope_that_all_the_locks_know_is_granted(request_):
    scope = {"floors": ("1", "2"), "areas": ("spa", "roof-of-another-hotel")}
    (change,) = request_(booking(scope=scope), door(1, ROOMS[:1], *SCOPED), door(2, ROOMS[:1], *SCOPED))
    core = change.entry.credential.core
    assert (core.scope.floors, core.scope.areas) == (("1", "2"), ("spa",))
    assert core.warnings == ()


def test_a_scope_is_granted_only_where_every_lock_knows_it(request_):
    scope = {"floors": ("1",), "areas": ()}
    (change,) = request_(booking(scope=scope), door(1, ROOMS[:1], *SCOPED), door(2, ROOMS[:1], "pin"))
    assert change.entry.credential.core.warnings == (SCOPE_NOT_SUPPORTED,)


def test_a_scope_is_granted_where_each_part_has_a_door_that_knows_the_key(request_):
    room, gym = door(1, ROOMS[:1], "pin"), replace(door(2, ROOMS[:1], "pin"), rooms=(), areas=(Area.GYM,))
    for areas, warnings in ((("gym",), ()), (("gym", "spa"), (SCOPE_NOT_SUPPORTED,))):
        (change,) = request_(booking(scope={"floors": (), "areas": areas}), room, gym)
        core = change.entry.credential.core
        assert (bool(core.scope), core.warnings) == (not warnings, warnings)


def test_a_stay_without_a_scope_has_nothing_to_warn_of(request_):
    (change,) = request_(booking(), door(1, ROOMS[:1], "pin"))
    assert change.entry.credential.core.warnings == ()


def test_a_room_whose_own_lock_is_not_mapped_gets_its_key_with_a_warning(request_):
    doors = door(9, ROOMS[:2], "pin"), door(1, ROOMS[:1], "pin")
    (change,) = request_(booking(ROOMS[:1]), *doors)
    assert change.entry.credential.core.warnings == ()
    (change,) = request_(booking(ROOMS[1:2]), *doors)
    assert change.entry.credential.core.warnings == (NO_LOCK_OF_ITS_OWN,)


def test_a_house_of_one_door_has_nothing_to_warn_of(request_):
    (change,) = request_(booking(ROOMS[:1]), door(1, ROOMS[:1], "pin"))
    assert change.entry.credential.core.warnings == ()
