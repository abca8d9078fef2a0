"""What a tenant's desks trust: a key for certificates, one for arrivals, and each property's key cards.

Each is drawn when it is first needed, sealed, and opened by nobody but the desks' gateway. A certificate is
signed by a key that signs nothing else. What cards are written with goes to each desk of the property, sealed
to the desk's own key.
"""

import base64
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from nacl.public import SealedBox
from nacl.signing import SigningKey, VerifyKey

from shared.domain.ids import PropertyId, TenantId
from shared.domain.secret import Secret
from shared.ports.documents import AlreadyExists, Create, Document, Ref
from shared.ports.vault import SealContext
from shared.usecases.desk.services import DeskServices

COLLECTION: Final = "desk_keys"
SIGNS, WRITES = "desk-authority", "desk-cards"
"""The purposes: what signs for desks, and what cards are written with."""
CERTIFICATES, ARRIVALS = "certificates", "arrivals"
SEED_BYTES, MATERIAL_BYTES = 32, 32


@dataclass(frozen=True, slots=True)
class DeskAuthority:
    """The keys of one tenant's desks."""

    tenant: TenantId
    on: DeskServices

    async def signs(self, what: str) -> SigningKey:
        """Return the key that signs certificates, or arrivals."""
        return SigningKey((await self._secret(SIGNS, what, SEED_BYTES)).reveal())

    async def public(self) -> dict[str, str]:
        """Return the public halves, by which a desk proves what it is given."""
        keys = {what: await self.signs(what) for what in (CERTIFICATES, ARRIVALS)}
        return {what: base64.b64encode(bytes(key.verify_key)).decode() for what, key in keys.items()}

    async def cards_for(self, property_id: PropertyId, device_key: bytes) -> str:
        """Return what a property's cards are written with, sealed to a desk's own key."""
        drawn = await self._secret(WRITES, str(property_id), SEED_BYTES + MATERIAL_BYTES)
        box = SealedBox(VerifyKey(device_key).to_curve25519_public_key())
        return base64.b64encode(box.encrypt(drawn.reveal())).decode()

    async def _secret(self, purpose: str, what: str, size: int) -> Secret[bytes]:
        ref, store = Ref(COLLECTION, f"{purpose}.{what}"), self.on.sealed.tenant(self.tenant)
        found = await store.get(ref)
        if found is None:
            drawn = Secret(self.on.keys.entropy.token(size))
            sealed = await self.on.cipher.seal(self._context(purpose, ref), drawn)
            data = {"schema_version": 1, "sealed": base64.b64encode(sealed).decode()}
            with suppress(AlreadyExists):
                await store.commit([Create(ref, data)])
            # Of two that draw at once, one is kept, and both go by that one.
            found = await store.get(ref)
        return await self._opened(purpose, found)

    async def _opened(self, purpose: str, found: Document | None) -> Secret[bytes]:
        if found is None:
            raise LookupError("a key of the desks is gone as it was drawn")
        return await self.on.cipher.open(
            self._context(purpose, found.ref), base64.b64decode(found.data["sealed"])
        )

    def _context(self, purpose: str, ref: Ref) -> SealContext:
        return SealContext(purpose, self.tenant, str(ref), "seed")
