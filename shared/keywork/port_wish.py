"""A key that a LockPort's caller wishes for: chosen by what its locks can do, and written down once.

1. The accounts that a vendor's app is told are sealed under the new key's name: an orphan expires.
2. The key and the word that this idempotency key made it are one commit; of many who ask, one makes it.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from shared.domain.capabilities import supported_kinds
from shared.domain.core import CredentialCore, Guest, Holder, Staff
from shared.domain.credential import KeyCredential
from shared.domain.documents import from_document, to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, GuestId, KeyCredentialId, RoomId, credential_id
from shared.domain.kinds import SAGA, ClaimKey, KeyCredentialKind
from shared.domain.lock_errors import DeviceNotPaired, KeyIssueFailed, LockErrorCause
from shared.domain.plan import Choice, IssuePlan
from shared.domain.premises import LockDevice
from shared.domain.scope import AccessScope
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.keywork.prepare import MOST_LOCKS
from shared.keywork.services import Services
from shared.keywork.vault import KEPT_AFTER_STAY
from shared.keywork.vendor_session import VendorSession
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.key_record import Cause, KeyRecord, Saga, Work
from shared.ledger.ledger import Change, Ledger
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.documents import AlreadyExists, Create, Ref
from shared.ports.lock_causes import LockCause
from shared.ports.lock_port import IssueInput
from shared.ports.secret_sources import SecretSource
from shared.vendor_kit.registry import unenforced_kinds

ASKED_KEYS: Final = "asked_keys"


@dataclass(frozen=True, slots=True)
class AskedKey:
    """Which key an idempotency key made."""

    schema_version: ClassVar[int] = 1

    key: str


async def key_asked_for(idempotency_key: str, desk: VendorSession, ledger: Ledger) -> CredentialId | None:
    """Return the key that an idempotency key made, if it made one."""
    found = await ledger.documents.get(_ref(idempotency_key, desk))
    return None if found is None else credential_id(from_document(AskedKey, found.data).key)


async def write_down(
    request: IssueInput, desk: VendorSession, ledger: Ledger, services: Services
) -> CredentialId:
    """Write a key down as it is wished for, unless somebody was quicker; return which one it is."""
    wish = _Wish(request, desk, services)
    change, accounts = wish.change(), wish.accounts()
    core = change.entry.credential.core
    expires = core.window.end + KEPT_AFTER_STAY
    for kind, account in accounts.items():
        await desk.secrets.keep(SealedKey(SecretName(core.id, kind, 0), account, expires))
    asked = Create(_ref(request.idempotency_key, desk), to_document(AskedKey(str(core.id))), expires)
    try:
        await ledger.save(change, asked)
    except AlreadyExists:
        for kind in accounts:
            await desk.secrets.destroy(SecretName(core.id, kind, 0))
        known = await key_asked_for(request.idempotency_key, desk, ledger)
        return core.id if known is None else known
    return core.id


def doors_to(rooms: Sequence[RoomId], desk: VendorSession, scope: AccessScope) -> tuple[LockDevice, ...]:
    """Return the locks that lead to rooms, each of which must have one, and to what a scope adds."""
    binding = desk.binding
    if not all(binding.doors((room,)) for room in rooms) or not (doors := binding.doors(tuple(rooms), scope)):
        raise DeviceNotPaired(vendor=desk.vendor, cause=LockErrorCause(LockCause.ROOM_WITHOUT_LOCK))
    if len(doors) > MOST_LOCKS:
        raise refusal(desk, LockCause.BAD_REQUEST)
    return doors


def check_scope(scope: AccessScope | None, desk: VendorSession) -> AccessScope:
    """Return the scope that is wished for, or refuse what no lock of the vendor knows."""
    able, wanted = desk.port.describe_adapter().capabilities, scope or AccessScope()
    if (wanted.floors and not able.scope_floors) or (wanted.areas and not able.scope_areas):
        raise refusal(desk, LockCause.NOT_SUPPORTED)
    return wanted


def refusal(desk: VendorSession, cause: LockCause, *, permanent: bool = True) -> KeyIssueFailed:
    """Return why there is no such key; no vendor was asked."""
    return KeyIssueFailed(vendor=desk.vendor, cause=LockErrorCause(cause), permanent=permanent)


@dataclass(frozen=True, slots=True)
class _Wish:
    request: IssueInput
    desk: VendorSession
    services: Services

    def change(self) -> Change:
        now, request = self.services.now, self.request
        try:
            credential, facts = KeyCredential.request(self._core(), at=now, by=request.requested_by or SAGA)
        except InvalidInput:
            raise refusal(self.desk, LockCause.BAD_REQUEST) from None
        saga = Saga(kind=Work.ISSUE, claim=credential.core.claim)
        return Change(KeyRecord(credential, saga, new_cause(self.services), due=now + STARTED_WITHIN), facts)

    def accounts(self) -> dict[KeyCredentialKind, Secret[str]]:
        """Return what is to be sealed before anybody is asked: where the holder has the vendor's app."""
        account = self._account
        told = [kind for kind in self._kinds() if self.desk.source(kind) is SecretSource.ACCOUNT]
        return {} if account is None else dict.fromkeys(told, account)

    def _core(self) -> CredentialCore:
        request, binding = self.request, self.desk.binding
        kinds = self._kinds()
        if not kinds:
            raise refusal(self.desk, LockCause.KIND_NOT_OFFERED)
        return CredentialCore(
            id=KeyCredentialId.mint(self.services.ids.ulid()),
            tenant=binding.tenant,
            property_id=binding.property.id,
            holder=self._holder(),
            rooms=request.rooms,
            window=StayWindow(request.valid_from, request.valid_until, binding.property.zone),
            plan=IssuePlan(tuple(Choice(self.desk.vendor, kind) for kind in kinds)),
            claim=ClaimKey(f"sha256:{_digest(request.idempotency_key)}"),
            scope=check_scope(request.scope, self.desk),
        )

    def _holder(self) -> Holder:
        id_, stay = self.request.holder.id, self.request.reservation_id
        if not isinstance(id_, GuestId):
            return Staff(id_)
        if stay is None:
            raise refusal(self.desk, LockCause.BAD_REQUEST)
        return Guest(id_, stay)

    def _kinds(self) -> tuple[KeyCredentialKind, ...]:
        """Return the kinds that adapter, locks and policy allow and whose secret is at hand, as preferred."""
        request, vendor = self.request, self.desk.vendor
        doors = doors_to(request.rooms, self.desk, check_scope(request.scope, self.desk))
        able = [door.capabilities for door in doors]
        allowed = self.desk.binding.policy.kinds_for(vendor, unenforced_kinds(vendor))
        wished = [kind for kind in dict.fromkeys(request.preferred_kinds) if kind in allowed]
        adapter = self.desk.port.describe_adapter().capabilities
        return tuple(kind for kind in supported_kinds(adapter, able, wished) if self._at_hand(kind))

    def _at_hand(self, kind: KeyCredentialKind) -> bool:
        source = self.desk.source(kind)
        return not source.known_before or (source is SecretSource.ACCOUNT and self._account is not None)

    @property
    def _account(self) -> Secret[str] | None:
        contact = self.request.holder.contact
        return contact.email or contact.phone_e164


def new_cause(services: Services) -> Cause:
    """Return the cause of what a caller asks for: a trace that begins with it."""
    drawn = services.entropy.token(24).hex()
    return Cause(f"00-{drawn[:32]}-{drawn[32:]}-01")


def _digest(idempotency_key: str) -> str:
    return hashlib.sha256(idempotency_key.encode()).hexdigest()


def _ref(idempotency_key: str, desk: VendorSession) -> Ref:
    return Ref(ASKED_KEYS, _digest(f"{desk.vendor}|{desk.binding.property.id}|{idempotency_key}"))
