"""Any order of commands to a key and its grants, with clocks that step back, keeps the promises."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from shared.domain.capabilities import LockCapabilities
from shared.domain.commands import (
    Accept,
    Amend,
    Fail,
    HandOver,
    Provision,
    Revoke,
    Suspend,
    Unsuspend,
)
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.documents import from_document, to_document
from shared.domain.errors import IllegalTransition, InvalidInput, PlanExhausted
from shared.domain.grant import Grant
from shared.domain.grant_lifecycle import (
    Close,
    ConfirmRemoval,
    GiveUp,
    Intended,
    Lapse,
    Place,
    Removed,
    Withdraw,
)
from shared.domain.ids import (
    GrantId,
    GuestId,
    KeyCredentialId,
    LockDeviceId,
    PropertyId,
    ReservationId,
    RoomId,
    TenantId,
    UserId,
)
from shared.domain.kinds import ClaimKey, FailureReason, KeyCredentialKind, RevokeReason, SuspendReason
from shared.domain.plan import Choice, IssuePlan
from shared.domain.states import Active, LockSettlement, Pending, Requested, Revoked, Suspended
from shared.domain.window import StayWindow
from tests.support.vendors import SALTO, TTLOCK

BODIES = ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAW"]
NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
ROOMS = [RoomId("rmu_204"), RoomId("rmu_205")]
MINUTES = st.integers(-90, 90).map(lambda minutes: NOW + timedelta(minutes=minutes))
WINDOWS = st.integers(1, 5).map(lambda days: StayWindow(NOW, NOW + timedelta(days=days), "Asia/Kabul"))
COMMANDS = st.one_of(
    st.builds(Accept, at=MINUTES),
    st.builds(Provision, at=MINUTES, effective=st.none() | WINDOWS),
    st.builds(Fail, at=MINUTES, reason=st.sampled_from(FailureReason)),
    st.builds(
        Amend,
        at=MINUTES,
        rooms=st.none() | st.lists(st.sampled_from(ROOMS), max_size=2).map(tuple),
        window=st.none() | WINDOWS,
    ),
    st.builds(
        HandOver,
        at=MINUTES,
        holder=st.sampled_from(["rsv_1", "rsv_2"]).map(
            lambda id_: Guest(GuestId("gst_1"), ReservationId(id_))
        ),
        claim=st.just(ClaimKey("sha256:" + "0" * 64)),
    ),
    st.builds(Suspend, at=MINUTES, reason=st.sampled_from(SuspendReason)),
    st.builds(Unsuspend, at=MINUTES),
    st.builds(Revoke, at=MINUTES, reason=st.sampled_from(RevokeReason)),
)
GRANT_COMMANDS = st.one_of(
    st.builds(Place, at=MINUTES),
    st.builds(Withdraw, at=MINUTES),
    st.builds(ConfirmRemoval, at=MINUTES),
    st.builds(GiveUp, at=MINUTES, cause=st.just("vendor_unreachable")),
    st.builds(Close, at=MINUTES, by=st.just(UserId("usr_1"))),
    st.builds(Lapse, at=MINUTES),
)


def wanted():
    return CredentialCore(
        id=KeyCredentialId.mint(BODIES[0]),
        tenant=TenantId("tnt_1"),
        property_id=PropertyId("ppt_1"),
        holder=Guest(GuestId("gst_1"), ReservationId("rsv_1")),
        rooms=(ROOMS[0],),
        window=StayWindow(NOW, NOW + timedelta(days=2), "Asia/Kabul"),
        plan=IssuePlan(
            (Choice(TTLOCK, KeyCredentialKind.PIN_CODE), Choice(SALTO, KeyCredentialKind.RFID_CARD))
        ),
        claim=ClaimKey("sha256:" + "0" * 64),
    )


def intended(body):
    return Grant(
        id=GrantId.mint(body),
        tenant=TenantId("tnt_1"),
        property_id=PropertyId("ppt_1"),
        credential_id=KeyCredentialId.mint(BODIES[0]),
        device_id=LockDeviceId.mint(body),
        rooms=(ROOMS[0],),
        vendor=TTLOCK,
        kind=KeyCredentialKind.PIN_CODE,
        vendor_key="0" * 64,
        capabilities=LockCapabilities(pin=True),
        exposure_until=NOW + timedelta(minutes=45),
        state=Intended(),
        version=1,
        changed_at=NOW,
    )


class KeyAndGrants(RuleBasedStateMachine):
    """Drives one key and its two grants with any commands, and remembers everything that was told."""

    @initialize(at=MINUTES)
    def request(self, at):
        self.key, facts = KeyCredential.request(wanted(), at=at)
        self.told = list(facts)
        self.history = [self.key]
        self.grants = {body: intended(body) for body in BODIES}

    def settle(self, step):
        """Take a step, or see that its refusal left everything as it was."""
        before = to_document(self.key)
        try:
            key, facts = step()
        except (IllegalTransition, InvalidInput, PlanExhausted):
            assert to_document(self.key) == before
            return
        assert bool(facts) == (key is not self.key), "a change is told, and only a change"
        self.key = key
        self.told.extend(facts)
        self.history.append(key)

    @rule(command=COMMANDS)
    def command(self, command):
        was = type(self.key.state)
        self.settle(lambda: self.key.apply(command))
        assert not (was is Revoked and type(self.key.state) is not Revoked)

    @rule(at=MINUTES, ok=st.booleans())
    def hear_from_the_locks(self, at, ok):
        locks = tuple(LockSettlement(grant.device_id, ok=ok) for grant in self.grants.values())
        self.settle(lambda: self.key.settle_revoke(locks, at=at))

    @rule(at=MINUTES, falls_back=st.booleans())
    def try_the_vendor(self, at, falls_back):
        try:
            tried = self.key.falling_back(at) if falls_back else self.key.attempting(at)
        except (IllegalTransition, PlanExhausted):
            return
        assert type(self.key.state) in {Requested, Pending}
        assert (tried.sequence, tried.version) == (self.key.sequence, self.key.version + 1)
        self.key = tried
        self.history.append(tried)

    @rule(body=st.sampled_from(BODIES), command=GRANT_COMMANDS)
    def command_a_grant(self, body, command):
        grant = self.grants[body]
        try:
            changed = grant.apply(command)
        except (IllegalTransition, InvalidInput):
            return
        assert not isinstance(grant.state, Removed), "what is removed stays removed"
        assert changed is grant or changed.version == grant.version + 1
        assert changed.changed_at >= grant.changed_at
        self.grants[body] = changed

    @invariant()
    def sequence_has_no_gap(self):
        assert [fact.header.sequence for fact in self.told] == list(range(1, len(self.told) + 1))
        assert self.key.sequence == len(self.told)

    @invariant()
    def times_never_run_backwards(self):
        times = [fact.header.at for fact in self.told]
        assert times == sorted(times)
        assert self.key.changed_at >= times[-1]

    @invariant()
    def versions_count_every_change(self):
        versions = [key.version for key in dict.fromkeys(self.history)]
        assert all(later == earlier + 1 for earlier, later in pairwise(versions))

    @invariant()
    def nothing_is_active_that_was_not_pending(self):
        names = [type(key.state) for key in self.history]
        for state in (Active, Suspended, Revoked):
            assert state not in names or Pending in names[: names.index(state)]

    @invariant()
    def documents_say_everything(self):
        assert from_document(KeyCredential, to_document(self.key)) == self.key
        for grant in self.grants.values():
            assert from_document(Grant, to_document(grant)) == grant


KeyAndGrants.TestCase.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
TestKeyAndGrants = KeyAndGrants.TestCase
