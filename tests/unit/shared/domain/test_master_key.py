"""Master keys: their own small life, and when their holder is at work."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from itertools import product

import pytest

from shared.domain.documents import from_document, to_document
from shared.domain.errors import IllegalTransition, InvalidInput
from shared.domain.ids import KeyCredentialId, MasterKeyId, PropertyId, ShiftId, TenantId, UserId
from shared.domain.kinds import KeyCredentialKind, RevokeReason
from shared.domain.master_key import (
    Duty,
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
from shared.domain.window import StayWindow

BODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
WORK = datetime(2026, 5, 4, 5, 0, tzinfo=UTC)
REST = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
STANDING = Standing(WeeklySchedule((WeeklyShift(0, time(6), time(14)),), "Asia/Kabul"))
FIRST, SECOND = (KeyCredentialId.mint(BODY[:-1] + last) for last in "VW")
PIN = KeyCredentialKind.PIN_CODE
PER_SHIFT = PerShift(ShiftId("shift-7"))


def master_key(regime=PER_SHIFT, state=MasterKeyState.REQUESTED):
    return MasterKey(
        id=MasterKeyId.mint(BODY),
        tenant=TenantId("tnt_silk"),
        property_id=PropertyId("ppt_kabul"),
        staff=UserId("usr_1"),
        credentials=(FIRST, SECOND),
        scopes=(MasterScope.parse("floor:3"),),
        regime=regime,
        window=StayWindow(WORK, WORK + timedelta(hours=8), "Asia/Kabul"),
        changed_at=WORK,
        state=state,
    )


STEPS = {
    "issue": lambda key: key.issued(REST, FIRST, PIN, key.window),
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
    live, issued = master_key().issued(WORK, SECOND, PIN, master_key().window)
    over, expired = live.expired(REST, ExpiryTrigger.USER_DEACTIVATED)

    assert issued == MasterKeyIssued(master_key=live, at=WORK, window=live.window)
    assert (live.credentials, live.kind) == (
        (SECOND, FIRST),
        PIN,
    )  # the one that lives is the one events name
    assert expired == MasterKeyExpired(master_key=over, at=REST, trigger=ExpiryTrigger.USER_DEACTIVATED)


def test_the_trigger_of_a_shifts_end_is_the_specifications():
    assert ExpiryTrigger.SHIFT_ENDED.value == "shift.ended"


def test_a_master_keys_time_never_runs_backwards():
    assert (
        master_key().issued(WORK - timedelta(hours=1), FIRST, PIN, master_key().window)[0].changed_at == WORK
    )


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


def test_a_per_shift_key_opens_in_its_shift_and_never_after():
    assert master_key().duty(WORK - timedelta(days=3)) == master_key().window
    assert master_key().duty(master_key().window.end) is None


def week(*shifts):
    return Standing(WeeklySchedule(shifts, "Asia/Kabul"))


def standing(regime, days=30):
    window = StayWindow(WORK - timedelta(days=1), WORK + timedelta(days=days), "Asia/Kabul")
    return replace(master_key(regime), window=window)


def test_a_standing_key_opens_in_the_shift_that_goes_on_or_the_next():
    key = standing(STANDING)  # Mondays from six to two in Kabul, that is from half past one to half past nine
    monday = StayWindow(
        datetime(2026, 5, 4, 1, 30, tzinfo=UTC), datetime(2026, 5, 4, 9, 30, tzinfo=UTC), "Asia/Kabul"
    )

    assert key.duty(WORK) == monday
    assert key.duty(monday.end).start == monday.start + timedelta(days=7)


def test_shifts_that_touch_are_one_duty_also_past_midnight():
    regime = week(WeeklyShift(0, time(14), time(22)), WeeklyShift(0, time(22), time(6)))

    duty = standing(regime).duty(datetime(2026, 5, 4, 12, tzinfo=UTC))

    assert (duty.local_start.hour, duty.local_end.hour, duty.duration) == (14, 6, timedelta(hours=16))


def test_a_standing_key_ends_with_its_own_window_whatever_its_week_says():
    key = replace(standing(STANDING), window=StayWindow(WORK - timedelta(days=1), WORK, "Asia/Kabul"))

    assert key.duty(WORK - timedelta(hours=1)).end == WORK
    assert key.duty(WORK) is None


def test_whoever_goes_early_has_a_key_that_rests_until_the_week_s_next_shift():
    duty = Duty(ShiftId("shift-7"), WORK, WORK + timedelta(hours=2))
    on = STANDING.on_duty(duty, WORK)
    off = on.off_duty(duty.shift_id, WORK + timedelta(hours=1))

    assert standing(on).duty(WORK).covers(WORK)
    assert off.duties == ()
    assert standing(off).duty(WORK + timedelta(hours=1)).start > WORK + timedelta(days=6)


def test_a_shift_outside_the_week_is_a_duty_too_and_forgotten_when_it_is_over():
    night = Duty(ShiftId("shift-9"), REST + timedelta(hours=6), REST + timedelta(hours=9))
    on = STANDING.on_duty(night, WORK)

    assert standing(on).duty(REST).start == night.start
    assert (
        on.on_duty(Duty(ShiftId("shift-10"), night.end, night.end + timedelta(hours=1)), night.end)
        .duties[0]
        .shift_id
        == "shift-10"
    )


def test_a_standing_key_without_a_week_opens_in_duties_alone():
    assert standing(Standing()).duty(WORK) is None


@pytest.mark.parametrize(
    ("trigger", "reason"),
    [
        (ExpiryTrigger.SHIFT_ENDED, RevokeReason.CHECKOUT),
        (ExpiryTrigger.WINDOW_ENDED, RevokeReason.CHECKOUT),
        (ExpiryTrigger.USER_DEACTIVATED, RevokeReason.SECURITY),
        (ExpiryTrigger.PROPERTY_DEACTIVATED, RevokeReason.SECURITY),
        (ExpiryTrigger.OPERATOR, RevokeReason.SECURITY),
    ],
)
def test_a_planned_end_is_a_checkout_and_any_other_is_for_security(trigger, reason):
    assert trigger.reason is reason


def test_a_master_key_needs_a_scope():
    with pytest.raises(InvalidInput, match="scopes"):
        replace(master_key(), scopes=())
