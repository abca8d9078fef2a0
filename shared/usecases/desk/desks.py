"""The desks of a tenant as the cloud knows them, and the proof of each request that one makes."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import ClassVar, Final

from nacl.signing import VerifyKey

from shared.domain.errors import InvalidInput
from shared.domain.ids import DesktopDeviceId, PropertyId, TenantId, UserId
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import KeyCredentialKind
from shared.domain.stored import Json
from shared.ledger.indexes import DESKS_AT
from shared.ledger.reading import read_record
from shared.offline.requests import GOOD_FOR, Asking, DeskSignature
from shared.offline.signing import SignedRefused
from shared.ports.documents import AlreadyExists, Create, Ref, TenantDocuments
from shared.streams.record import Record
from shared.usecases.desk.services import DeskRefused, DeskServices

DESKS, NONCES = "desks", "desk_nonces"
MOST: Final = 200
NONCE_KEPT: Final = 2 * GOOD_FOR + timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskRecord(Record):
    """One front-desk machine: its own key, its certificates, and how far its outbox was heard.

    `pushed` is the last row of its outbox that was taken in, `head` that row's hash.
    """

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("paired",)

    id: DesktopDeviceId
    property_id: PropertyId
    key: str
    name: str
    paired_by: UserId
    paired_at: Moment
    kinds: tuple[KeyCredentialKind, ...]
    certified_at: Moment
    serials: tuple[str, ...]
    stopped_at: Moment | None = None
    stopped_by: UserId | None = None
    pushed: int = 0
    head: str = ""

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return ref_of(self.id)

    def indexed(self) -> dict[str, Json]:
        """Return what a property's list of desks reads."""
        return {"paired": milliseconds(self.paired_at)}

    @property
    def serial(self) -> str:
        """The serial of its present certificate."""
        return self.serials[-1]

    @property
    def public(self) -> VerifyKey:
        """The key that its requests and rows are proved by."""
        return VerifyKey(base64.b64decode(self.key))


@dataclass(frozen=True, slots=True)
class KnownDesk:
    """A desk that proved itself, and its tenant's documents."""

    tenant: TenantId
    record: DeskRecord
    store: TenantDocuments = field(repr=False)


def ref_of(desk: str) -> Ref:
    """Return where a desk is kept."""
    return Ref(DESKS, desk)


async def desk_of(store: TenantDocuments, desk: str) -> DeskRecord | None:
    """Return a desk, or None."""
    found = await store.get(ref_of(desk))
    return None if found is None else read_record(DeskRecord, found)


async def desks_of(store: TenantDocuments, property_id: PropertyId) -> list[DeskRecord]:
    """Return a property's desks, the first paired first."""
    found = await store.query(DESKS_AT, {"property_id": str(property_id)}, limit=MOST)
    return [read_record(DeskRecord, each) for each in found]


async def proven(headers: Mapping[str, str], asking: Asking, on: DeskServices) -> KnownDesk:
    """Return the desk that makes a request, or raise DeskRefused; each request counts once."""
    try:
        said = DeskSignature.of(headers)
        store = await on.store(said.tenant)
        record = await desk_of(store, said.device)
        if record is None:
            raise DeskRefused("unknown")
        said.prove(asking, record.public, on.now)
    except SignedRefused as refusal:
        raise DeskRefused(refusal.reason) from None
    except InvalidInput:
        raise DeskRefused("unknown") from None
    if record.stopped_at is not None:
        raise DeskRefused("stopped")
    await _only_once(said, store, on)
    return KnownDesk(said.tenant, record, store)


async def _only_once(said: DeskSignature, store: TenantDocuments, on: DeskServices) -> None:
    seen = Create(Ref(NONCES, f"{said.device}.{said.nonce}"), {"schema_version": 1}, on.now + NONCE_KEPT)
    try:
        await store.commit([seen])
    except AlreadyExists:
        raise DeskRefused("replayed") from None
