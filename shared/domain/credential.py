"""The key credential: a core, a state, and `apply`, which returns the next one and the facts."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Final, Self

from shared.domain.commands import Command
from shared.domain.core import CredentialCore
from shared.domain.errors import IllegalTransition, InvalidInput
from shared.domain.facts import CredentialRequested, Fact, FactHeader, RevokeSettled
from shared.domain.ids import CredentialId, TenantId
from shared.domain.instants import utc
from shared.domain.kinds import SAGA, Actor, RevokeReason
from shared.domain.lifecycle import name_of, next_state, taken_by
from shared.domain.plan import IssuePlan
from shared.domain.replacing import born_open, replace
from shared.domain.states import Failed, LockSettlement, Pending, Requested, Revoked, State
from shared.domain.transitions import CHANGES

_WITHDRAWN: Final = frozenset(RevokeReason)
"""Why a key failed that was taken back before it was made."""


@born_open
@dataclass(frozen=True, slots=True, kw_only=True)
class KeyCredential:
    """One key of one holder; `sequence` counts its facts, `version` counts its changes."""

    schema_version: ClassVar[int] = 1

    core: CredentialCore
    state: State
    sequence: int
    version: int
    changed_at: datetime

    def __post_init__(self) -> None:
        if not 1 <= self.sequence <= self.version:
            raise InvalidInput("sequence", "below 1 or above version", "Start from KeyCredential.request")

    @classmethod
    def request(
        cls, core: CredentialCore, *, at: datetime, by: Actor = SAGA
    ) -> tuple["KeyCredential", tuple[Fact, ...]]:
        """Begin a key: the only way to a new credential."""
        credential = cls(core=core, state=Requested(), sequence=1, version=1, changed_at=utc(at, "at"))
        fact = CredentialRequested(
            header=credential._header(1, credential.changed_at, by),
            rooms=core.rooms,
            window=core.window,
            preferred_kinds=core.plan.kinds,
            claim=core.claim,
            role=core.role,
            replaces=core.replaces,
        )
        return credential, (fact,)

    @property
    def id(self) -> CredentialId:
        """Which key this is."""
        return self.core.id

    @property
    def tenant(self) -> TenantId:
        """Whose key this is."""
        return self.core.tenant

    @property
    def is_withdrawn(self) -> bool:
        """Say whether it was taken back, be it before it was made."""
        state = self.state
        return isinstance(state, Revoked) or (isinstance(state, Failed) and state.reason.value in _WITHDRAWN)

    def apply(self, command: Command) -> tuple["KeyCredential", tuple[Fact, ...]]:
        """Obey a command or refuse it; a repeat that changes nothing returns this very object and no fact."""
        next_state(type(self.state), type(command))
        header = self._next_header(command.at, command.by)
        change = CHANGES[type(command)](self.core, self.state, command, header)
        if change is None:
            return self, ()
        return self._told(change.core, change.state, header), (change.fact,)

    def attempting(self, at: datetime) -> Self:
        """Count an attempt, before the vendor is called."""
        return self._replanned("attempting", lambda plan: plan.attempting(at), at)

    def refused(self, problem: str, at: datetime) -> Self:
        """Note what came of the last attempt, by its error code."""
        return self._replanned("refused", lambda plan: plan.refused(problem), at)

    def falling_back(self, at: datetime) -> Self:
        """Turn to the next choice of the plan."""
        return self._replanned("falling_back", IssuePlan.falling_back, at)

    def settle_revoke(
        self, locks: tuple[LockSettlement, ...], *, at: datetime, by: Actor = SAGA
    ) -> tuple["KeyCredential", tuple[Fact, ...]]:
        """Record what the locks said to the revocation; told again when somebody closes a residue."""
        if not isinstance(self.state, Revoked):
            raise self._refusal("settle_revoke")
        if not locks:
            raise InvalidInput("locks", "no lock is named", "Give every lock the key was placed on")
        if locks == self.state.settlement:
            return self, ()
        header = self._next_header(at, by)
        settled = replace(self.state, settlement=locks)
        return self._told(self.core, settled, header), (RevokeSettled(header=header, locks=locks),)

    def _replanned(self, step: str, change: Callable[[IssuePlan], IssuePlan], at: datetime) -> Self:
        if not isinstance(self.state, Requested | Pending):
            raise self._refusal(step)
        core = replace(self.core, plan=change(self.core.plan))
        return replace(self, core=core, version=self.version + 1, changed_at=self._not_before(at))

    def _told(self, core: CredentialCore, state: State, header: FactHeader) -> "KeyCredential":
        return KeyCredential(
            core=core, state=state, sequence=header.sequence, version=self.version + 1, changed_at=header.at
        )

    def _next_header(self, at: datetime, by: Actor) -> FactHeader:
        return self._header(self.sequence + 1, self._not_before(at), by)

    def _not_before(self, at: datetime) -> datetime:
        # Clocks of two machines differ; the order of a credential's facts must not.
        return max(utc(at, "at"), self.changed_at)

    def _header(self, sequence: int, at: datetime, by: Actor) -> FactHeader:
        return FactHeader(
            credential_id=self.core.id,
            tenant=self.core.tenant,
            property_id=self.core.property_id,
            holder=self.core.holder,
            vendor=self.core.plan.current.vendor,
            provisional=self.core.provisional,
            sequence=sequence,
            at=at,
            by=by,
        )

    def _refusal(self, step: str) -> IllegalTransition:
        state = type(self.state)
        return IllegalTransition(name_of(state), step, taken_by(state))
