"""The LockPort of a vendor that works lock by lock: written down first, then settled at each lock."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from shared.domain.capabilities import supported_kinds
from shared.domain.grant import name_at_vendor
from shared.domain.ids import CredentialId, LockDeviceId, PropertyId, RoomId
from shared.domain.kinds import KeyCredentialKind, RevokeReason, SuspendReason, merge_warnings
from shared.domain.lock_errors import (
    CredentialExpired,
    DeviceNotPaired,
    KeyIssueFailed,
    KeyRevokeFailed,
    LockError,
    LockErrorCause,
)
from shared.domain.premises import LockDevice
from shared.domain.scope import AccessScope
from shared.domain.secret import Secret
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import StaleVersion
from shared.ports.lock import (
    AdapterDescription,
    DeviceHealth,
    KeyAtLock,
    ListedDevice,
    LockKey,
    LockVendor,
)
from shared.ports.lock_causes import about_the_pin
from shared.ports.lock_port import (
    Artifact,
    ArtifactType,
    IssuedCredential,
    IssueInput,
    IssueResult,
    UpdateInput,
)
from shared.vendor_kit.binding import Binding
from shared.vendor_kit.kept_key import (
    KeptDoor,
    KeptKey,
    as_placed,
    id_for,
    lock_key,
    vendor_key,
)
from shared.vendor_kit.key_book import KeyBook
from shared.vendor_kit.pins import draw_pin

SECRET_TRIES: Final = 3
ARTIFACTS: Final[dict[KeyCredentialKind, ArtifactType]] = {
    KeyCredentialKind.PIN_CODE: "pin",
    KeyCredentialKind.MOBILE_APP: "mobile_token",
}
"""The kinds a LockPort can make by itself; a card's number would have to come from an encoder."""


class LockByLock:
    """LockPort over a LockVendor."""

    def __init__(
        self, vendor: LockVendor, binding: Binding, book: KeyBook, clock: Clock, entropy: Entropy
    ) -> None:
        self._vendor, self._binding, self._book = vendor, binding, book
        self._clock, self._entropy = clock, entropy

    async def issue_credential(self, request: IssueInput) -> IssueResult:
        """Make a key; the same idempotency key makes it once."""
        self._check_bound(request)
        known = await self._book.find(id_for(request.idempotency_key))
        if known is not None:
            return await self._settled(self._unless_revoked(known))
        planned = await self._book.keep(self._planned(request))
        if planned is None:
            return await self.issue_credential(request)
        return await self._settled(planned, predates=False)

    async def update_credential(self, request: UpdateInput) -> IssueResult:
        """Change a key's rooms or end."""
        self._check_scope(request.scope)
        key = await self._alive(request.key_credential_id)
        rooms = key.rooms if request.rooms is None else request.rooms
        changed = replace(key, rooms=rooms, valid_until=request.valid_until or key.valid_until)
        return await self._settled(await self._kept(replace(changed, doors=self._doors_of(changed))))

    async def revoke_credential(
        self,
        credential_id: CredentialId,
        reason: RevokeReason,  # noqa: ARG002 - the port's shape
        idempotency_key: str,  # noqa: ARG002 - a key is taken back by its id
    ) -> None:
        """Take a key back; one that is gone already is success."""
        key = await self._book.find(credential_id)
        if key is None:
            return
        doors = tuple(replace(door, wanted=False) for door in key.doors)
        try:
            await self._cleared(await self._kept(replace(key, revoked=True, doors=doors)))
        except KeyIssueFailed as overtaken:
            vendor, cause = self._binding.vendor, overtaken.cause
            raise KeyRevokeFailed(vendor=vendor, cause=cause, permanent=overtaken.permanent) from None

    async def suspend_credential(
        self,
        credential_id: CredentialId,
        reason: SuspendReason,  # noqa: ARG002 - the port's shape
        idempotency_key: str,  # noqa: ARG002 - a key is let rest by its id
    ) -> None:
        """Let a key rest."""
        key = await self._kept(replace(await self._alive(credential_id), resting=True))
        await self._at_each(key, key.doors, self._vendor.suspend)

    async def unsuspend_credential(
        self,
        credential_id: CredentialId,
        idempotency_key: str,  # noqa: ARG002 - a key is woken by its id
    ) -> None:
        """Let a resting key open again."""
        key = await self._kept(replace(await self._alive(credential_id), resting=False))
        await self._at_each(key, [door for door in key.doors if door.wanted], self._vendor.unsuspend)

    async def list_devices(self, property_id: PropertyId) -> Sequence[ListedDevice]:
        """Return the property's locks."""
        return await self._vendor.list_devices(property_id)

    async def health_check(self, device_id: LockDeviceId) -> DeviceHealth:
        """Ask a lock how it is."""
        return await self._vendor.health_check(device_id)

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do."""
        return self._vendor.describe_adapter()

    async def _settled(self, key: KeptKey, *, predates: bool = True) -> IssueResult:
        """Bring the locks to what is written down, and say what came of it."""
        key = await self._cleared(key)
        if key.resting:
            await self._at_each(key, key.doors, self._vendor.suspend)
            return self._result(key, ())
        try:
            placed = await self._at_each(key, key.doors, self._vendor.place, predates=predates)
        except KeyIssueFailed as refused:
            last = key.secret_try + 1 == SECRET_TRIES
            if last or not about_the_pin(refused):
                raise
            return await self._settled(await self._kept(self._with_another_pin(key)))
        done = replace(key, doors=tuple(map(as_placed, key.doors, placed)))
        try:
            await self._book.keep(done)
        except StaleVersion:
            return await self._overtaken(done)
        return self._result(done, placed)

    async def _cleared(self, key: KeptKey) -> KeptKey:
        """Take the key off the locks it is no longer to open, and forget those that agreed."""
        unwanted = [door for door in key.doors if not door.wanted]
        if not unwanted:
            return key
        await self._at_each(key, unwanted, self._vendor.remove)
        return await self._kept(replace(key, doors=tuple(door for door in key.doors if door.wanted)))

    async def _at_each(
        self,
        key: KeptKey,
        doors: Sequence[KeptDoor],
        act: Callable[[LockKey], Awaitable[Any]],
        *,
        predates: bool = True,
    ) -> list[Any]:
        """Act at every door, however many refuse: one lock out of reach must not keep another open."""
        done, refused = list[Any](), list[LockError]()
        async with self._vendor.visit():
            for door in doors:
                try:
                    done.append(await act(lock_key(key, door, predates=predates)))
                except LockError as error:
                    refused.append(error)
        if refused:
            raise refused[0]
        return done

    async def _kept(self, key: KeptKey) -> KeptKey:
        try:
            kept = await self._book.keep(key)
        except StaleVersion:
            raise self._refusal("changed_meanwhile", permanent=False) from None
        return key if kept is None else kept

    async def _overtaken(self, ours: KeptKey) -> IssueResult:
        """Go by what somebody wrote down while we were at the locks; take away what is no longer in it."""
        theirs = await self._book.find(ours.id) or ours
        wanted = {door.name for door in theirs.doors if door.wanted}
        stray = [door for door in ours.doors if door.name not in wanted]
        await self._at_each(ours, stray, self._vendor.remove)
        return await self._settled(self._unless_revoked(theirs))

    async def _alive(self, credential_id: CredentialId) -> KeptKey:
        key = await self._book.find(credential_id)
        if key is None:
            raise CredentialExpired(vendor=self._binding.vendor, credential_id=credential_id)
        return self._unless_revoked(key)

    def _unless_revoked(self, key: KeptKey) -> KeptKey:
        if key.revoked:
            raise CredentialExpired(vendor=self._binding.vendor, credential_id=key.id)
        return key

    def _planned(self, request: IssueInput) -> KeptKey:
        kind, secret = self._chosen(request)
        key = KeptKey(
            id=id_for(request.idempotency_key),
            idempotency_key=request.idempotency_key,
            kind=kind,
            rooms=request.rooms,
            valid_from=request.valid_from,
            valid_until=request.valid_until,
            doors=(),
        )
        return replace(key, doors=self._new_doors(key, self._locks(request.rooms), secret))

    def _chosen(self, request: IssueInput) -> tuple[KeyCredentialKind, Secret[str]]:
        """Return the first kind that all locks can have and whose secret is at hand, with that secret."""
        able = [device.capabilities for device in self._locks(request.rooms)]
        adapter = self.describe_adapter().capabilities
        contact = request.holder.contact
        at_hand: dict[KeyCredentialKind, Secret[str] | None] = {
            KeyCredentialKind.PIN_CODE: self._pin(),
            KeyCredentialKind.MOBILE_APP: contact.email or contact.phone_e164,
        }
        for kind in supported_kinds(adapter, able, request.preferred_kinds):
            secret = at_hand.get(kind)
            if secret is not None:
                return kind, secret
        raise self._refusal("no_supported_kind")

    def _doors_of(self, key: KeptKey) -> tuple[KeptDoor, ...]:
        """Return the doors of a key whose rooms have changed: kept, new, and no longer wanted."""
        locks = {lock.id: lock for lock in self._locks(key.rooms)}
        known = tuple(replace(door, wanted=door.wanted and door.device_id in locks) for door in key.doors)
        open_already = {door.device_id for door in known if door.wanted}
        missing = [lock for lock in locks.values() if lock.id not in open_already]
        return (*known, *self._new_doors(key, missing, key.secret))

    def _with_another_pin(self, key: KeptKey) -> KeptKey:
        tried = replace(key, secret_try=key.secret_try + 1)
        given_up = tuple(replace(door, wanted=False) for door in key.doors)
        fresh = self._new_doors(tried, self._locks(key.rooms), self._pin())
        return replace(tried, doors=(*given_up, *fresh))

    def _new_doors(
        self, key: KeptKey, locks: Sequence[LockDevice], secret: Secret[str]
    ) -> tuple[KeptDoor, ...]:
        named = ((lock.id, name_at_vendor(vendor_key(key, lock.id))) for lock in locks)
        return tuple(KeptDoor(device_id, name, secret) for device_id, name in named)

    def _locks(self, rooms: tuple[RoomId, ...]) -> tuple[LockDevice, ...]:
        locks = self._binding.doors(rooms)
        if not rooms or not set(rooms) <= {room for lock in locks for room in lock.rooms}:
            raise DeviceNotPaired(vendor=self._binding.vendor, cause=LockErrorCause("room_without_lock"))
        return locks

    def _pin(self) -> Secret[str]:
        return draw_pin(self._entropy, self._binding.policy.pin_digits)

    def _check_bound(self, request: IssueInput) -> None:
        ours = (self._binding.tenant, self._binding.property.id)
        if (request.tenant_id, request.property_id) != ours:
            raise self._refusal("wrong_property")
        self._check_scope(request.scope)

    def _check_scope(self, scope: AccessScope | None) -> None:
        able = self.describe_adapter().capabilities
        wanted = scope or AccessScope()
        if (wanted.floors and not able.scope_floors) or (wanted.areas and not able.scope_areas):
            raise self._refusal("scope_not_supported")

    def _refusal(self, cause: str, *, permanent: bool = True) -> KeyIssueFailed:
        return KeyIssueFailed(vendor=self._binding.vendor, cause=LockErrorCause(cause), permanent=permanent)

    def _result(self, key: KeptKey, placed: Sequence[KeyAtLock]) -> IssueResult:
        refs = ",".join(door.vendor_ref.reveal() for door in key.doors if door.vendor_ref is not None)
        artifact = key.secret if key.kind is KeyCredentialKind.PIN_CODE else Secret(refs)
        credential = IssuedCredential(
            key_credential_id=key.id,
            kind=key.kind,
            valid_from=max([key.valid_from, *(each.valid_from for each in placed)]),
            valid_until=min([key.valid_until, *(each.valid_until for each in placed)]),
            rooms=key.rooms,
            vendor=self._binding.vendor,
            vendor_ref=Secret(refs),
            provisional=False,
            issued_at=self._clock.now(),
            artifact=Artifact(ARTIFACTS[key.kind], artifact),
        )
        return IssueResult(credential, merge_warnings(*(each.warnings for each in placed)))
