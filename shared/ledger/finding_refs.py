"""The vendor's numbers of keys that nobody knows, sealed: by them a key is told from others at its lock."""

import base64
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Final

from shared.domain.documents import to_document
from shared.domain.ids import FindingId
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.domain.stored import UNSTORED
from shared.ledger.reading import read_stored
from shared.ports.documents import Create, Delete, Ref, TenantDocuments
from shared.ports.vault import Cipher, SealBroken, SealContext

FINDING_REFS: Final = "finding_refs"
KEPT_FOR: Final = timedelta(days=400)
"""A key that somebody let stand is found anew after this, and asked about once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedRef:
    """What is stored of a number."""

    schema_version: ClassVar[int] = 1

    ref: str
    strays: Annotated[Any, UNSTORED] = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FindingRefs:
    """One tenant's numbers of unknown keys at one vendor."""

    sealed: TenantDocuments
    cipher: Cipher
    vendor: VendorCode

    async def keep(self, finding: FindingId, ref: Secret[str], now: datetime) -> None:
        """Keep the number of a key, before its finding is: one that nobody refers to expires."""
        sealed = await self.cipher.seal(self._context(finding), Secret(ref.reveal().encode()))
        kept = SealedRef(ref=base64.b64encode(sealed).decode())
        await self.sealed.commit([Create(_ref(finding), to_document(kept), now + KEPT_FOR)])

    async def find(self, finding: FindingId) -> Secret[str] | None:
        """Return a key's number, or None; one that cannot be opened any more is none."""
        found = await self.sealed.get(_ref(finding))
        if found is None:
            return None
        sealed = base64.b64decode(read_stored(SealedRef, found).ref)
        try:
            return Secret((await self.cipher.open(self._context(finding), sealed)).reveal().decode())
        except SealBroken:
            return None

    async def forget(self, finding: FindingId) -> None:
        """Destroy a number; one that is gone already is success."""
        found = await self.sealed.get(_ref(finding))
        if found is not None:
            await self.sealed.commit([Delete(_ref(finding), found.version)])

    def _context(self, finding: FindingId) -> SealContext:
        return SealContext(f"vendor-ref-{self.vendor}", self.sealed.tenant, str(_ref(finding)), "ref")


def _ref(finding: FindingId) -> Ref:
    return Ref(FINDING_REFS, finding)
