"""Master keys: their own small life, and what shifts and schedules ask of their credential."""

from datetime import UTC, datetime, time, timedelta
from itertools import product

import pytest

from shared.domain.commands import Fail, Revoke, Suspend, Unsuspend
from shared.domain.documents import from_document, to_document
from shared.domain.errors import IllegalTransition, InvalidInput
from shared.domain.ids import KeyCredentialId, MasterKeyId, PropertyId, ShiftId, TenantId, UserId
from shared.domain.kinds import KeyCredentialKind, RevokeReason, SuspendReason
from shared.domain.master_key import (
    ExpiryTrigger,
    MasterKey,
    MasterKeyExpired,
    MasterKeyIssued,
    MasterKeyState,
    PerShift,
    Standing,
)
from shared.domain.schedule import WeeklySchedule, WeeklyShift
from shared.domain.scope import MasterScope
from shared.domain.states import Active, Failed, Pending, Requested, Revoked, Suspended
from shared.domain.window import StayWindow

BODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
WORK = datetime(2026, 5, 4, 5, 0, tzinfo=UTC)
REST = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
STANDING = Standing(WeeklySchedule((WeeklyShift(0, time(6), time(14)),), "Asia/Kabul"))
PER_SHIFT = PerShift(ShiftId("shift-7"))


def master_key(regime=PER_SHIFT, state=MasterKeyState.REQUESTED):
    return MasterKey(
        id=MasterKeyId.mint(BODY),
        tenant=TenantId("tnt_silk"),
        property_id=PropertyId("ppt_kabul"),
        staff=UserId("usr_1"),
        credential_id=KeyCredentialId.mint(BODY),
        scope=MasterScope.parse("floor:3"),
        regime=regime,
        window=StayWindow(WORK, WORK + timedelta(hours=8), "Asia/Kabul"),
        kind=KeyCredentialKind.RFID_CARD,
        changed_at=WORK,
        state=state,
    )


STEPS = {
    "issue": lambda key: key.issued(REST),
    "expire": lambda key: key.expired(REST, ExpiryTrigger.SHIFT_ENDED),
}
EXPECTED = {
    ("requested", "issue"): "live",
    ("requested", "expire"): "expired",
    ("live", "expire"): "expired",
}


@pytest.mark.parametrize(("state", "step"), list(product(MasterKeyState, STEPS)))
def test_a_master_key_takes_what_its_table_says_and_refuses_the_rest(state, step):
    key = master_key(state=state)
    expected = EXPECTED.get((state.value, step))

    if expected is None:
        with pytest.raises(IllegalTransition):
            STEPS[step](key)
    else:
        changed, fact = STEPS[step](key)
        assert (changed.state, changed.version, changed.changed_at) == (expected, 2, REST)
        assert (fact.master_key, fact.at) == (changed, REST)


def test_issuing_and_expiring_are_told():
    live, issued = master_key().issued(WORK)
    over, expired = live.expired(REST, ExpiryTrigger.USER_DEACTIVATED)

    assert issued == MasterKeyIssued(master_key=live, at=WORK)
    assert expired == MasterKeyExpired(master_key=over, at=REST, trigger=ExpiryTrigger.USER_DEACTIVATED)


def test_the_trigger_of_a_shifts_end_is_the_specifications():
    assert ExpiryTrigger.SHIFT_ENDED.value == "shift.ended"


def test_a_master_keys_time_never_runs_backwards():
    assert master_key().issued(WORK - timedelta(hours=1))[0].changed_at == WORK


@pytest.mark.parametrize("regime", [PER_SHIFT, STANDING])
def test_a_master_key_survives_its_document(regime):
    key = master_key(regime)

    assert from_document(MasterKey, to_document(key)) == key


@pytest.mark.parametrize("start", ["six", 6, None])
def test_a_stored_schedule_holds_times_of_day(start):
    document = to_document(master_key(STANDING))
    document["regime"]["schedule"]["shifts"][0]["start"] = start

    with pytest.raises(InvalidInput, match=r"regime\.schedule\.shifts\[0\]\.start: not a time of day"):
        from_document(MasterKey, document)


@pytest.mark.parametrize(
    ("state", "command"),
    [
        (Requested, Fail),
        (Pending, Fail),
        (Active, Revoke),
        (Suspended, Revoke),
        (Revoked, None),
        (Failed, None),
    ],
)
def test_the_end_of_a_shift_withdraws_a_per_shift_key_in_any_state(key_in, state, command):
    asked = master_key().at_shift_end(key_in(state), REST)

    assert (asked and type(asked)) is command
    assert asked is None or asked.reason == RevokeReason.CHECKOUT.value


@pytest.mark.parametrize("state", [Requested, Pending, Active, Suspended, Revoked, Failed])
def test_the_end_of_a_shift_only_lets_a_standing_key_rest(key_in, state):
    asked = master_key(STANDING).at_shift_end(key_in(state), REST)

    expected = Suspend(at=REST, reason=SuspendReason.MANUAL) if state is Active else None
    assert asked == expected


def test_a_standing_key_rests_outside_its_schedule_and_wakes_inside_it(key_in):
    master, active = master_key(STANDING), key_in(Active)

    resting, _ = active.apply(master.by_schedule(active, REST))

    assert isinstance(resting.state, Suspended)
    assert master.by_schedule(resting, REST) is None
    assert master.by_schedule(resting, WORK) == Unsuspend(at=WORK)
    assert master.by_schedule(active, WORK) is None


@pytest.mark.parametrize(
    "suspension",
    [
        Suspend(at=WORK, reason=SuspendReason.FRAUD_REVIEW),
        Suspend(at=WORK, reason=SuspendReason.MANUAL, by=UserId("usr_gm")),
    ],
)
def test_the_schedule_never_wakes_what_a_person_or_a_review_stopped(key_in, suspension):
    stopped, _ = key_in(Active).apply(suspension)

    assert master_key(STANDING).by_schedule(stopped, WORK) is None


def test_a_per_shift_key_has_no_schedule(key_in):
    assert master_key().by_schedule(key_in(Active), REST) is None
