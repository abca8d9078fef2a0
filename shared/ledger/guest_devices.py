"""Where a guest's app takes pushes, sealed like contacts; and addresses that take no message more."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final, Literal

import orjson

from shared.domain.documents import to_document
from shared.domain.ids import ReservationId
from shared.domain.secret import Secret
from shared.domain.stored import UNSTORED, Json
from shared.ledger.guest_contacts import PURPOSE
from shared.ledger.reading import read_stored
from shared.ports.documents import AlreadyExists, Create, Delete, Ref, TenantDocuments, Update
from shared.ports.vault import Cipher, SealContext

GUEST_DEVICES: Final = "guest_devices"
SUPPRESSIONS: Final = "suppressions"
SUPPRESSED_FOR: Final = timedelta(days=365)
AddressKind = Literal["fid", "token"]


@dataclass(frozen=True, slots=True)
class GuestDevice:
    """What the app registered: an installation's id, or a token of before those."""

    kind: AddressKind
    address: Secret[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestDeviceRecord:
    """What is stored of a device."""

    schema_version: ClassVar[int] = 1

    sealed: str
    strays: Annotated[Mapping[str, Json] | None, UNSTORED] = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppression:
    """That an address takes no message, and why."""

    schema_version: ClassVar[int] = 1

    reason: str


class GuestDevices:
    """The devices of one tenant's guests: one a stay, the last that was registered."""

    def __init__(self, documents: TenantDocuments, cipher: Cipher) -> None:
        self._documents, self._cipher = documents, cipher

    async def register(self, stay: ReservationId, device: GuestDevice, until: datetime) -> None:
        """Keep a device in place of the one before; StaleVersion if somebody else was first."""
        ref, found = _ref(stay), await self._documents.get(_ref(stay))
        plain = orjson.dumps({"kind": device.kind, "address": device.address.reveal()})
        sealed = await self._cipher.seal(self._context(stay), Secret(plain))
        data = to_document(GuestDeviceRecord(sealed=base64.b64encode(sealed).decode()))
        write = Create(ref, data, until) if found is None else Update(ref, data, found.version, until)
        await self._documents.commit([write])

    async def find(self, stay: ReservationId) -> GuestDevice | None:
        """Return where the guest's app takes pushes, or None."""
        found = await self._documents.get(_ref(stay))
        if found is None:
            return None
        sealed = base64.b64decode(read_stored(GuestDeviceRecord, found).sealed)
        said = orjson.loads((await self._cipher.open(self._context(stay), sealed)).reveal())
        return GuestDevice(said["kind"], Secret(said["address"]))

    async def forget(self, stay: ReservationId) -> None:
        """Forget a device whose app is gone."""
        found = await self._documents.get(_ref(stay))
        if found is not None:
            await self._documents.commit([Delete(found.ref, found.version)])

    async def suppress(self, address: Secret[str], reason: str, until: datetime) -> None:
        """Keep that an address takes no message more."""
        await self.suppress_named(await self.named(address), reason, until)

    async def named(self, address: Secret[str]) -> str:
        """Return by which name an address is suppressed: keyed, so that it tells nobody of the address."""
        return (await self._suppressed_at(address))[0].id

    async def suppress_named(self, name: str, reason: str, until: datetime) -> None:
        """Keep that the address of a name takes no message more."""
        write = Create(Ref(SUPPRESSIONS, name), to_document(Suppression(reason=reason)), until)
        try:
            await self._documents.commit([write])
        except AlreadyExists:
            return

    async def suppressed(self, address: Secret[str]) -> str | None:
        """Return why an address takes no message, or None."""
        for ref in await self._suppressed_at(address):
            if (found := await self._documents.get(ref)) is not None:
                return read_stored(Suppression, found).reason
        return None

    async def _suppressed_at(self, address: Secret[str]) -> list[Ref]:
        context = SealContext(PURPOSE, self._documents.tenant, SUPPRESSIONS, "address")
        plain = Secret(address.reveal().strip().casefold().encode())
        return [Ref(SUPPRESSIONS, each) for each in await self._cipher.index(context, plain)]

    def _context(self, stay: ReservationId) -> SealContext:
        return SealContext(PURPOSE, self._documents.tenant, str(_ref(stay)), "device")


def _ref(stay: ReservationId) -> Ref:
    return Ref(GUEST_DEVICES, stay)
