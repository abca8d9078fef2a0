"""What is worked with on vendors' accounts, and what waits sealed: the next account, and whom to wake."""

import base64
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Self

from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ports.ambient import Clock, Ids
from shared.ports.documents import Create, Delete, DocumentStore, Ref, TenantDocuments, Update
from shared.ports.sagas import CallbackGone, Sagas
from shared.ports.vault import Cipher, SealContext

if TYPE_CHECKING:  # not every function needs them at its start
    from shared.kernel.log import Log
    from shared.ledger.hotel_directory import HotelDirectory

WAITING: Final = "account_callbacks"
NEXT: Final = "next_accounts"
OF_CALLBACKS: Final = "account-callback"
KEPT_FOR: Final = timedelta(days=14)


def next_account(vendor: str) -> str:
    """Return the purpose under which a vendor's next accounts are sealed: its adapter alone opens them."""
    return f"next-account-{vendor}"


@dataclass(frozen=True, slots=True)
class AccountServices:
    """The ports that commands on accounts use."""

    documents: DocumentStore
    sealed: DocumentStore
    cipher: Cipher
    sagas: Sagas
    clock: Clock
    ids: Ids
    log: "Log"
    hotels: "HotelDirectory"

    @classmethod
    def on(cls, on: Any) -> Self:
        """Return those of a platform."""
        ports = (on.documents, on.sealed, on.cipher, on.sagas, on.clock, on.ids, on.log, on.hotels)
        return cls(*ports)

    @property
    def now(self) -> datetime:
        """The present."""
        return self.clock.now()

    def sealed_of(self, tenant: TenantId) -> "SealedDocuments":
        """Return what waits sealed of a tenant."""
        return SealedDocuments(self.sealed.tenant(tenant), self.cipher)

    async def wake(self, tenant: TenantId, name: str, said: Mapping[str, Any]) -> bool:
        """Wake who waits under a name; where nobody is heard of, they look by themselves within the hour."""
        address = await self.sealed_of(tenant).find(WAITING, name, OF_CALLBACKS)
        if address is None:
            return False
        with suppress(CallbackGone):
            await self.sagas.call_back(address.reveal().decode(), said)
            return True
        return False


@dataclass(frozen=True, slots=True)
class SealedDocuments:
    """Documents of one sealed field, each until its end."""

    store: TenantDocuments
    cipher: Cipher

    async def keep(
        self, collection: str, name: str, purpose: str, secret: Secret[bytes], until: datetime
    ) -> None:
        """Keep a secret in place of what was there; StaleVersion if somebody else was first."""
        ref = Ref(collection, name)
        sealed = await self.cipher.seal(self._context(ref, purpose), secret)
        data = {"schema_version": 1, "sealed": base64.b64encode(sealed).decode()}
        found = await self.store.get(ref)
        write = Create(ref, data, until) if found is None else Update(ref, data, found.version, until)
        await self.store.commit([write])

    async def known(self, collection: str, name: str) -> bool:
        """Say whether a secret is kept, which takes no key."""
        return await self.store.get(Ref(collection, name)) is not None

    async def find(self, collection: str, name: str, purpose: str) -> Secret[bytes] | None:
        """Return a secret, or None."""
        ref = Ref(collection, name)
        found = await self.store.get(ref)
        if found is None:
            return None
        return await self.cipher.open(self._context(ref, purpose), base64.b64decode(found.data["sealed"]))

    async def forget(self, collection: str, name: str) -> None:
        """Destroy a secret."""
        found = await self.store.get(Ref(collection, name))
        if found is not None:
            await self.store.commit([Delete(found.ref, found.version)])

    def _context(self, ref: Ref, purpose: str) -> SealContext:
        return SealContext(purpose, self.store.tenant, str(ref), "sealed")
