"""A key credential: what each command changes, and what it tells."""

from dataclasses import FrozenInstanceError, replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from shared.domain.commands import Accept, Amend, Fail, Provision, Revoke, Suspend, Unsuspend
from shared.domain.core import Guest, Staff
from shared.domain.credential import KeyCredential
from shared.domain.errors import IllegalTransition, InvalidInput, PlanExhausted
from shared.domain.facts import (
    Changed,
    CredentialFailed,
    CredentialIssued,
    CredentialPending,
    CredentialRequested,
    CredentialRevoked,
    CredentialSuspended,
    CredentialUnsuspended,
    CredentialUpdated,
    RevokeSettled,
)
from shared.domain.ids import KeyCredentialId, LockDeviceId, MasterKeyId, ProvisionalKeyId, RoomId, UserId
from shared.domain.kinds import (
    CLOCK_SKEW,
    REVOKE_PENDING_AT_LOCK,
    SAGA,
    WINDOW_ROUNDED,
    Area,
    FailureReason,
    KeyCredentialKind,
    KeyWarning,
    Origin,
    RevokeReason,
    SetRole,
    SuspendReason,
)
from shared.domain.plan import MAX_ATTEMPTS
from shared.domain.scope import AccessScope
from shared.domain.states import Active, Failed, LockSettlement, Pending, Requested, Revoked, Suspended

BODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
OTHER = "01ARZ3NDEKTSV4RRFFQ69G5FAW"
NOW = datetime(2026, 4, 30, 11, 0, tzinfo=UTC)
CLERK = UserId("usr_clerk")
LOCK = LockDeviceId.mint(BODY)


def test_request_tells_everything_that_was_asked_for(make_core):
    core = make_core()

    key, (fact,) = KeyCredential.request(core, at=NOW, by=CLERK)

    assert key.state == Requested()
    assert isinstance(fact, CredentialRequested)
    assert (fact.rooms, fact.window, fact.claim) == (core.rooms, core.window, core.claim)
    assert fact.preferred_kinds == (KeyCredentialKind.PIN_CODE, KeyCredentialKind.RFID_CARD)
    header = fact.header
    assert (header.credential_id, header.tenant, header.sequence) == (core.id, core.tenant, 1)
    assert (header.at, header.by, header.vendor, header.holder) == (NOW, CLERK, "ttlock", core.holder)


def test_a_key_says_which_and_whose_it_is(key_in):
    key = key_in(Requested)

    assert (key.id, key.tenant) == (KeyCredentialId.mint(BODY), "tnt_silk")


def test_accept_says_which_kind_is_being_tried(key_in):
    key, (fact,) = key_in(Requested).apply(Accept(at=NOW))

    assert key.state == Pending(NOW)
    assert fact == CredentialPending(header=fact.header, kind=KeyCredentialKind.PIN_CODE)
    assert fact.header.by is SAGA


def test_provision_issues_the_current_choice_with_the_window_asked_for(key_in):
    key, (fact,) = key_in(Pending).apply(Provision(at=NOW))

    assert isinstance(fact, CredentialIssued)
    assert (fact.kind, fact.window, fact.effective) == (
        KeyCredentialKind.PIN_CODE,
        key.core.window,
        key.core.window,
    )
    assert (key.state.key.vendor, key.state.key.issued_at) == ("ttlock", NOW)
    assert fact.warnings == ()


def test_provision_with_another_window_always_warns(key_in):
    pending = key_in(Pending)
    rounded = pending.core.window.until(pending.core.window.end + timedelta(minutes=30))

    key, (fact,) = pending.apply(
        Provision(at=NOW, effective=rounded, warnings=(KeyWarning(CLOCK_SKEW, "12 min"),))
    )

    assert key.state.key.effective == rounded
    assert [warning.code for warning in fact.warnings] == [CLOCK_SKEW, WINDOW_ROUNDED]
    assert key.core.warnings == fact.warnings


def test_an_exact_amendment_takes_the_rounding_warning_back(key_in):
    pending = key_in(Pending)
    rounded = pending.core.window.until(pending.core.window.end + timedelta(minutes=30))
    key, _ = pending.apply(Provision(at=NOW, effective=rounded))

    key, (fact,) = key.apply(Amend(at=NOW, window=rounded))

    assert key.core.warnings == fact.warnings == ()


def test_rounding_is_told_once_in_the_vendors_words_if_it_has_some(key_in):
    pending = key_in(Pending)
    rounded = pending.core.window.until(pending.core.window.end + timedelta(minutes=30))
    warning = KeyWarning(WINDOW_ROUNDED, "whole hours")
    key, _ = pending.apply(Provision(at=NOW, effective=rounded, warnings=(warning,)))

    key, _ = key.apply(Amend(at=NOW, rooms=(RoomId("rmu_9"),)))

    assert key.core.warnings == (warning,)


@pytest.mark.parametrize("words", ["until noon of the 5th", ""])
def test_words_about_an_earlier_window_go_when_the_locks_enforce_another(key_in, words):
    pending = key_in(Pending)
    asked = pending.core.window.until(pending.core.window.end + timedelta(days=1))
    rounded, longer = (
        window.until(window.end + timedelta(hours=1)) for window in (pending.core.window, asked)
    )
    first, skew = KeyWarning(WINDOW_ROUNDED, "until noon of the 4th"), KeyWarning(CLOCK_SKEW, "12 min")
    key, _ = pending.apply(Provision(at=NOW, effective=rounded, warnings=(first, skew)))
    again = KeyWarning(WINDOW_ROUNDED, words)
    extend = Amend(at=NOW, window=asked, effective=longer, warnings=(again,) * bool(words))

    key, (fact,) = key.apply(extend)

    assert key.core.warnings == fact.warnings == (skew, again)
    assert key.apply(extend) == (key, ())


def test_fail_tells_how_often_and_when_last_it_was_tried(key_in):
    key = key_in(Pending).attempting(NOW).attempting(NOW + timedelta(minutes=1))

    failed, (fact,) = key.apply(
        Fail(at=NOW, reason=FailureReason.KEY_ISSUE_FAILED, vendor_message="pin: 48213907")
    )

    assert isinstance(fact, CredentialFailed)
    assert (fact.attempts, fact.last_attempt_at) == (2, NOW + timedelta(minutes=1))
    assert "48213907" not in repr((failed, fact))


def test_a_key_nobody_wants_any_more_fails_without_an_attempt(key_in):
    _, (fact,) = key_in(Requested).apply(Fail(at=NOW, reason=FailureReason.CANCELLATION))

    assert (fact.attempts, fact.last_attempt_at, fact.vendor_message) == (0, None, None)


def test_amend_tells_before_and_after_of_what_changed_only(key_in):
    key = key_in(Active)
    longer = key.core.window.until(key.core.window.end + timedelta(days=1))

    amended, (fact,) = key.apply(Amend(at=NOW, window=longer))

    assert isinstance(fact, CredentialUpdated)
    assert fact.window == Changed(key.core.window, longer)
    assert (fact.rooms, fact.scope) == (None, None)
    assert amended.state.key.effective == fact.effective == longer
    assert amended.state.key.issued_at == key.state.key.issued_at


def test_amend_may_contract_the_window_and_rotate_rooms(key_in):
    key = key_in(Active)
    shorter = key.core.window.until(key.core.window.end - timedelta(days=1))
    scope = AccessScope(areas=(Area.POOL,))

    amended, (fact,) = key.apply(Amend(at=NOW, window=shorter, rooms=(RoomId("rmu_9"),), scope=scope))

    assert (amended.core.window, amended.core.rooms, amended.core.scope) == (shorter, ("rmu_9",), scope)
    assert fact.rooms == Changed(("rmu_204",), ("rmu_9",))
    assert fact.scope == Changed(AccessScope(), scope)


def test_amend_to_what_already_is_changes_and_tells_nothing(key_in):
    key = key_in(Active)

    again, facts = key.apply(
        Amend(at=NOW, window=key.core.window, rooms=key.core.rooms, scope=key.core.scope)
    )

    assert again is key
    assert facts == ()


def test_amend_that_would_open_nothing_is_refused(key_in):
    with pytest.raises(InvalidInput, match="opens nothing"):
        key_in(Active).apply(Amend(at=NOW, rooms=()))


def test_suspend_keeps_the_key_and_unsuspend_brings_the_same_one_back(key_in):
    active = key_in(Active)

    resting, (suspended,) = active.apply(Suspend(at=NOW, reason=SuspendReason.FRAUD_REVIEW))
    back, (unsuspended,) = resting.apply(Unsuspend(at=NOW, by=CLERK))

    assert resting.state == Suspended(active.state.key, SuspendReason.FRAUD_REVIEW, NOW, SAGA)
    assert suspended == CredentialSuspended(header=suspended.header, reason=SuspendReason.FRAUD_REVIEW)
    assert back.state == active.state
    assert unsuspended == CredentialUnsuspended(header=unsuspended.header, reason=SuspendReason.FRAUD_REVIEW)
    assert unsuspended.header.by == CLERK


@pytest.mark.parametrize("state", [Active, Suspended])
def test_revoke_ends_the_key_at_once_and_says_what_the_lock_cannot(key_in, state):
    warning = KeyWarning(REVOKE_PENDING_AT_LOCK)
    newer = KeyCredentialId.mint(OTHER)

    key, (fact,) = key_in(state).apply(
        Revoke(at=NOW, reason=RevokeReason.LOST, replaced_by=newer, warnings=(warning,))
    )

    assert (key.state.reason, key.state.revoked_at, key.state.replaced_by) == (RevokeReason.LOST, NOW, newer)
    assert isinstance(fact, CredentialRevoked)
    assert (fact.was_provisional, fact.replaced_by, fact.warnings) == (False, newer, (warning,))
    assert key.core.warnings == (warning,)


def test_settling_a_revocation_tells_each_lock(key_in):
    until = NOW + timedelta(days=2)
    locks = (
        LockSettlement(LOCK, ok=True),
        LockSettlement(LockDeviceId.mint(OTHER), ok=False, exposure_until=until),
    )

    key, (fact,) = key_in(Revoked).settle_revoke(locks, at=NOW)

    assert key.state.settlement == locks
    assert fact == RevokeSettled(header=fact.header, locks=locks)
    assert not fact.ok


def test_settling_again_tells_only_news(key_in):
    open_lock, closed = LockSettlement(LOCK, ok=False), LockSettlement(LOCK, ok=True)
    key, _ = key_in(Revoked).settle_revoke((open_lock,), at=NOW)

    same, silence = key.settle_revoke((open_lock,), at=NOW)
    closed_key, (fact,) = key.settle_revoke((closed,), at=NOW, by=CLERK)

    assert same is key
    assert silence == ()
    assert fact.ok
    assert fact.header.sequence == closed_key.sequence == key.sequence + 1


@pytest.mark.parametrize("state", [Requested, Pending, Active, Suspended, Failed])
def test_only_a_revoked_key_can_be_settled(key_in, state):
    with pytest.raises(IllegalTransition, match="settle_revoke"):
        key_in(state).settle_revoke((LockSettlement(LOCK, ok=True),), at=NOW)


@pytest.mark.parametrize("locks", [(), (LockSettlement(LOCK, ok=True), LockSettlement(LOCK, ok=False))])
def test_a_settlement_names_each_lock_once(key_in, locks):
    with pytest.raises(InvalidInput):
        key_in(Revoked).settle_revoke(locks, at=NOW)


def test_a_lock_that_no_longer_opens_has_no_exposure():
    with pytest.raises(InvalidInput, match="no longer opens"):
        LockSettlement(LOCK, ok=True, exposure_until=NOW)


def test_attempts_are_counted_without_telling_anybody(key_in):
    key = key_in(Pending)

    tried = key.attempting(NOW).refused("VENDOR_UNREACHABLE", NOW)

    assert tried.core.plan.attempts == 1
    assert tried.core.plan.made[0].problem == "VENDOR_UNREACHABLE"
    assert (tried.sequence, tried.version) == (key.sequence, key.version + 2)


def test_falling_back_issues_the_next_choice(key_in):
    key, (fact,) = key_in(Pending).falling_back(NOW).apply(Provision(at=NOW))

    assert fact.kind == KeyCredentialKind.RFID_CARD
    assert key.state.key.vendor == fact.header.vendor == "generic-wiegand"


def test_the_budget_of_attempts_is_per_credential_and_final(key_in):
    key = key_in(Pending)
    for _ in range(MAX_ATTEMPTS):
        key = key.attempting(NOW).refused("KEY_ISSUE_FAILED", NOW)

    with pytest.raises(PlanExhausted, match="manual-key"):
        key.falling_back(NOW).attempting(NOW)


@pytest.mark.parametrize("state", [Active, Suspended, Revoked, Failed])
@pytest.mark.parametrize(
    "step",
    [
        lambda key: key.attempting(NOW),
        lambda key: key.falling_back(NOW),
        lambda key: key.refused("VENDOR_UNREACHABLE", NOW),
    ],
)
def test_a_key_past_pending_is_not_tried_again(key_in, make_core, state, step):
    core = make_core()
    with pytest.raises(IllegalTransition):
        step(key_in(state, replace(core, plan=core.plan.attempting(NOW))))


def test_time_never_runs_backwards(key_in):
    key, _ = key_in(Requested).apply(Accept(at=NOW))

    key, (fact,) = key.apply(Provision(at=NOW - timedelta(hours=5)))

    assert fact.header.at == key.changed_at == key.state.key.issued_at == NOW


def test_times_are_kept_in_utc(key_in):
    kabul = timezone(timedelta(hours=4, minutes=30))

    key, (fact,) = key_in(Requested).apply(Accept(at=NOW.astimezone(kabul)))

    assert fact.header.at == NOW
    assert key.changed_at.tzinfo is UTC


def test_a_command_without_a_zone_is_refused(key_in):
    with pytest.raises(InvalidInput, match="no zone"):
        key_in(Requested).apply(Accept(at=NOW.replace(tzinfo=None)))


@pytest.mark.parametrize(("sequence", "version"), [(0, 0), (0, 1), (3, 2)])
def test_counters_that_contradict_each_other_are_refused(key_in, sequence, version):
    with pytest.raises(InvalidInput, match="sequence"):
        replace(key_in(Requested), sequence=sequence, version=version)


def test_a_key_does_not_mutate(key_in):
    with pytest.raises(FrozenInstanceError):
        key_in(Requested).state = None


def provisional(make_core, **changes):
    core = make_core()
    window = core.window.until(core.window.start + timedelta(hours=48))
    local = {"id": ProvisionalKeyId.mint(BODY), "origin": Origin.DESK, "window": window}
    return replace(core, **{**local, **changes})


def test_a_provisional_key_walks_the_same_table(make_core):
    key, _ = KeyCredential.request(provisional(make_core), at=NOW)
    key, _ = key.apply(Accept(at=NOW))
    key, (issued,) = key.apply(Provision(at=NOW))
    key, (revoked,) = key.apply(Revoke(at=NOW, reason=RevokeReason.CANCELLATION))

    assert issued.header.provisional
    assert revoked.was_provisional


def test_a_key_made_canonical_remembers_that_it_was_provisional(make_core):
    core = make_core(origin=Origin.DESK, local_id=ProvisionalKeyId.mint(BODY))

    assert core.was_provisional
    assert not core.provisional


def test_a_provisional_key_may_not_outlast_48_hours(make_core):
    window = make_core().window

    with pytest.raises(InvalidInput, match="48 hours"):
        provisional(make_core, window=window.until(window.start + timedelta(hours=48, microseconds=1)))


def test_amending_cannot_stretch_a_provisional_key_past_its_cap(make_core):
    key, _ = KeyCredential.request(provisional(make_core), at=NOW)
    key, _ = key.apply(Accept(at=NOW))
    key, _ = key.apply(Provision(at=NOW))

    with pytest.raises(InvalidInput, match="48 hours"):
        key.apply(Amend(at=NOW, window=key.core.window.until(key.core.window.end + timedelta(seconds=1))))


@pytest.mark.parametrize(
    "changes",
    [
        {"origin": Origin.CLOUD},
        {"local_id": ProvisionalKeyId.mint(OTHER)},
    ],
)
def test_a_provisional_key_is_made_at_a_desk_and_has_one_local_id(make_core, changes):
    with pytest.raises(InvalidInput):
        provisional(make_core, **changes)


def test_only_a_desk_key_carries_a_local_id(make_core):
    with pytest.raises(InvalidInput, match="not made at a desk"):
        make_core(local_id=ProvisionalKeyId.mint(BODY))


@pytest.mark.parametrize(
    "changes",
    [
        {"role": SetRole.REPLACEMENT},
        {"replaces": KeyCredentialId.mint(OTHER)},
        {"role": SetRole.REPLACEMENT, "replaces": KeyCredentialId.mint(BODY)},
    ],
)
def test_replaces_and_its_role_belong_together(make_core, changes):
    with pytest.raises(InvalidInput, match="replaces"):
        make_core(**changes)


def test_a_replacement_names_what_it_replaces(make_core):
    older = KeyCredentialId.mint(OTHER)

    _, (fact,) = KeyCredential.request(make_core(role=SetRole.REPLACEMENT, replaces=older), at=NOW)

    assert (fact.role, fact.replaces) == (SetRole.REPLACEMENT, older)


def test_a_guest_needs_a_room_and_staff_something_to_open(make_core):
    staff = Staff(CLERK, MasterKeyId.mint(BODY))

    assert make_core(holder=staff, rooms=(), scope=AccessScope(floors=("3",))).rooms == ()
    for core in ({"rooms": ()}, {"rooms": (), "holder": staff}):
        with pytest.raises(InvalidInput, match="opens nothing"):
            make_core(**core)


def test_a_room_is_named_once(make_core):
    with pytest.raises(InvalidInput, match="twice"):
        make_core(rooms=(RoomId("rmu_1"), RoomId("rmu_1")))


def test_a_guest_and_staff_are_different_holders():
    assert not isinstance(Staff(CLERK), Guest)
