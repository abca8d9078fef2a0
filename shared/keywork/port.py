"""The LockPort of a vendor at one property (A §4): whole keys, asked of the one engine, and done at once.

1. What is asked is saved first, as wishes at the locks: should we die, the sweeper has them followed.
2. Then the engine works at the locks, as it does for a saga, for as long as it need not wait.
3. What the caller is told is how the key stands then: done, or the error that keeps it from being so.

Every method may be repeated: who asks again finds the same key, and goes on with what is owed.
Decision 0119.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from shared.domain.ids import CredentialId, LockDeviceId, PropertyId, TenantId
from shared.domain.kinds import RevokeReason, SuspendReason
from shared.domain.lock_errors import CredentialExpired, KeyRevokeFailed, LockError, LockErrorCause
from shared.domain.states import Failed, Suspended
from shared.keywork.desired import act_for
from shared.keywork.orders import Order, amend_key, end_key, hold_key, release_key
from shared.keywork.port_result import in_hand_of, result_of
from shared.keywork.port_wish import (
    check_scope,
    doors_to,
    key_asked_for,
    new_cause,
    refusal,
    write_down,
)
from shared.keywork.port_work import PROMPT, Attended, PromptWork
from shared.keywork.prepare import doors_for
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.vendor_session import VendorSession, VendorSessions
from shared.ledger.grant_record import GrantRecord, Wish
from shared.ledger.key_record import KeyRecord, Target
from shared.ledger.ledger import Change, Ledger
from shared.ports.lock import AdapterDescription, DeviceHealth, ListedDevice
from shared.ports.lock_causes import LockCause
from shared.ports.lock_port import IssueInput, IssueResult, UpdateInput

_Ordering = Callable[[KeyRecord, Sequence[GrantRecord], Order], Change | None]


async def open_port(
    services: Services, sessions: VendorSessions, tenant: TenantId, property_id: PropertyId
) -> "EnginePort":
    """Open a vendor's LockPort at a property; VendorUnreachable if it has no usable account there."""
    return EnginePort(services, sessions, await sessions.at(tenant, property_id))


@dataclass(frozen=True, slots=True)
class EnginePort:
    """LockPort over the engine, bound to one property of one tenant by its vendor's session."""

    services: Services
    sessions: VendorSessions
    desk: VendorSession

    async def issue_credential(self, request: IssueInput) -> IssueResult:
        """Make a key; the same idempotency key makes it once."""
        if (request.tenant_id, request.property_id) != self._bound:
            raise refusal(self.desk, LockCause.BAD_REQUEST)
        desk = await self._desk()
        attended = await self._attended(await self._living(await self._asked_for(request, desk)))
        return await self._told(attended, desk, unmet=attended.entry.to_be_made)

    async def update_credential(self, request: UpdateInput) -> IssueResult:
        """Change a key's rooms or end."""
        if request.tenant_id != self._bound[0]:
            raise refusal(self.desk, LockCause.BAD_REQUEST)
        desk = await self._desk()
        scope = check_scope(request.scope, desk)
        made = await self._attended(await self._living(request.key_credential_id))
        if made.entry.to_be_made:
            raise made.error or self._asked_again()
        if request.scope is not None and scope != made.entry.credential.core.scope:
            raise refusal(desk, LockCause.NOT_CHANGEABLE)
        attended = await self._ordered(made.entry.id, lambda *it: self._amended(request, desk, *it))
        unmet = attended.entry.amends is not None and not attended.entry.holds
        return await self._told(attended, desk, unmet=unmet)

    async def revoke_credential(
        self,
        credential_id: CredentialId,
        reason: RevokeReason,
        idempotency_key: str,  # noqa: ARG002 - a key is taken back by its id
    ) -> None:
        """Take a key back; one that is gone already is success."""
        if await self._ledger.entry(credential_id) is None:
            return
        attended = await self._ordered(
            credential_id, lambda entry, grants, order: end_key(entry, grants, reason, order)
        )
        grants = await self._ledger.grants(attended.entry)
        if not all(kept.over for kept in grants):
            raise attended.error or self._still_there()

    async def suspend_credential(
        self,
        credential_id: CredentialId,
        reason: SuspendReason,
        idempotency_key: str,  # noqa: ARG002 - a key is let rest by its id
    ) -> None:
        """Let a key rest; one that is still being made will come to life at rest."""
        await self._living(credential_id)
        attended = await self._ordered(
            credential_id, lambda entry, grants, order: hold_key(entry, grants, reason, order)
        )
        grants = await self._ledger.grants(self._unless_over(attended.entry, attended.error))
        if not attended.entry.to_be_made and any(act_for(kept) for kept in grants if kept.wish is Wish.REST):
            raise attended.error or self._still_there()

    async def unsuspend_credential(
        self,
        credential_id: CredentialId,
        idempotency_key: str,  # noqa: ARG002 - a key is woken by its id
    ) -> None:
        """Let a resting key open again: no reason is named, so whatever holds it is taken away."""
        await self._living(credential_id)
        attended = await self._ordered(credential_id, _released)
        if isinstance(self._unless_over(attended.entry, attended.error).credential.state, Suspended):
            raise attended.error or self._asked_again()

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return the property's locks."""
        return await (await self._desk()).port.list_devices(property_id)

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask a lock how it is."""
        return await (await self._desk()).port.health_check(device_id)

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do."""
        return self.desk.port.describe_adapter()

    async def key_of(self, idempotency_key: str) -> CredentialId | None:
        """Return the key that an issue made whose answer was lost, so that it can be taken back."""
        return await key_asked_for(idempotency_key, self.desk, self._ledger)

    @property
    def _bound(self) -> tuple[TenantId, PropertyId]:
        return self.desk.binding.tenant, self.desk.binding.property.id

    @property
    def _ledger(self) -> Ledger:
        return self.services.ledger_of_key(self._bound[0])

    async def _desk(self) -> VendorSession:
        """Return the session as its property is now: locks are mapped and accounts change."""
        return await self.sessions.at(*self._bound)

    async def _told(self, attended: Attended, desk: VendorSession, *, unmet: bool) -> IssueResult:
        """Say how a key stands, or why it is not as it was asked for; what a desk is to write is as good."""
        entry = self._unless_over(attended.entry, attended.error)
        grants = await self._ledger.grants(entry)
        if unmet and (attended.error or in_hand_of(grants) is None):
            raise attended.error or self._asked_again()
        return await result_of(entry, grants, desk)

    async def _asked_for(self, request: IssueInput, desk: VendorSession) -> CredentialId:
        """Return the key of a wish, which is written down once, whoever was first to ask."""
        known = await key_asked_for(request.idempotency_key, desk, self._ledger)
        return known or await write_down(request, desk, self._ledger, self.services)

    async def _attended(self, entry: KeyRecord) -> Attended:
        execution = f"{PROMPT}{self.services.ids.ulid()}"
        return await PromptWork(self.services, self.sessions, self._ledger, execution).attend(entry)

    async def _ordered(self, id_: CredentialId, ordering: _Ordering) -> Attended:
        """Save an order, if it changes anything, and have it followed at once."""

        async def obeyed() -> KeyRecord:
            entry = await self._known(id_)
            order = Order(new_cause(self.services), self.services.now)
            change = ordering(entry, await self._ledger.grants(entry), order)
            return entry if change is None else (await self._ledger.save(change)).entry

        return await self._attended(await retry_on_conflict(obeyed))

    def _amended(
        self,
        request: UpdateInput,
        desk: VendorSession,
        entry: KeyRecord,
        grants: Sequence[GrantRecord],
        order: Order,
    ) -> Change | None:
        self._unless_over(entry)
        core = entry.credential.core
        now = entry.amends or Target(core.rooms, core.window)
        until = request.valid_until or now.window.end
        if until <= now.window.start:
            raise refusal(desk, LockCause.BAD_REQUEST)
        target = Target(request.rooms or now.rooms, now.window.until(until))
        doors_to(target.rooms, desk, core.scope)
        doors = doors_for(core, target.rooms, desk.binding.devices)
        if not all(door.capabilities.supports(core.plan.current.kind) for door in doors):
            raise refusal(desk, LockCause.KIND_NOT_OFFERED)
        return amend_key(entry, grants, target, doors, order, self.services.ids)

    async def _living(self, id_: CredentialId) -> KeyRecord:
        return self._unless_over(await self._known(id_))

    async def _known(self, id_: CredentialId) -> KeyRecord:
        """Return a key of this property's; what this port is not bound to, it does not touch."""
        entry = await self._ledger.entry(id_)
        if entry is None:
            raise self._expired(id_)
        if entry.credential.core.property_id != self._bound[1]:
            raise refusal(self.desk, LockCause.BAD_REQUEST)
        return entry

    def _unless_over(self, entry: KeyRecord, error: LockError | None = None) -> KeyRecord:
        if entry.credential.is_withdrawn:
            raise self._expired(entry.id)
        if isinstance(entry.credential.state, Failed):
            raise error or refusal(self.desk, LockCause.ATTEMPTS_SPENT)
        return entry

    def _expired(self, id_: CredentialId) -> CredentialExpired:
        return CredentialExpired(vendor=self.desk.vendor, credential_id=id_)

    def _asked_again(self) -> LockError:
        """Return what is said while others are at work on the key, or an earlier call may have an effect."""
        return refusal(self.desk, LockCause.IN_OUR_LINE, permanent=False)

    def _still_there(self) -> KeyRevokeFailed:
        cause = LockErrorCause(LockCause.IN_OUR_LINE)
        return KeyRevokeFailed(vendor=self.desk.vendor, cause=cause)


def _released(entry: KeyRecord, grants: Sequence[GrantRecord], order: Order) -> Change | None:
    """Return what takes all reasons away at once."""
    if not entry.holds:
        return None
    last = min(entry.holds)
    return release_key(replace(entry, holds=frozenset({last})), grants, last, order)
