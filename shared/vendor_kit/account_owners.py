"""Whose a vendor's account is: one property's, and no other's in the whole cell (A §13.2).

A leak of one account would open two houses, and one house's calls would spend the other's limits. So the
first property whose desk opens with an account owns it; another is refused, until the owner has another one.
"""

import contextlib
import hashlib
from dataclasses import dataclass
from typing import Final

import orjson

from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.ports.documents import AlreadyExists, Create, DocumentStore, Ref, StaleVersion, Update
from shared.ports.vault import SecretMissing, Secrets
from shared.vendor_kit.accounts import account_secret

CELL: Final = TenantId("tnt_platform")
"""The tenant that is nobody's: what holds for the cell is kept in its name."""
OWNERS: Final = "account_owners"
SCHEMA_VERSION: Final = 1
_CHANGES: Final = ("secret", "password", "token", "pin")
"""Parts of names of fields that change while the account stays the same."""


class AccountShared(Exception):
    """The account is another property's already."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A property of a tenant."""

    tenant: TenantId
    property: PropertyId


class AccountOwners:
    """The owners of one vendor's accounts."""

    def __init__(self, documents: DocumentStore, secrets: Secrets, vendor: VendorCode) -> None:
        self._documents, self._secrets, self._vendor = documents.tenant(CELL), secrets, vendor

    async def claim(self, account: Secret[bytes], owner: Owner) -> None:
        """Take an account for a property, or raise AccountShared; to take it again changes nothing."""
        name = identity_of(account)
        if name is None:
            return
        ref = Ref(OWNERS, f"{self._vendor}-{name}")
        data = {"schema_version": SCHEMA_VERSION, "tenant": owner.tenant, "property": owner.property}
        with contextlib.suppress(AlreadyExists):
            await self._documents.commit([Create(ref, data)])
            return
        kept = await self._documents.get(ref)
        if kept is None:
            return
        standing = Owner(TenantId(kept.data["tenant"]), PropertyId(kept.data["property"]))
        if standing == owner:
            return
        if await self._has_still(standing, name):
            raise AccountShared
        with contextlib.suppress(StaleVersion):
            await self._documents.commit([Update(ref, data, kept.version)])
            return
        raise AccountShared

    async def _has_still(self, owner: Owner, name: str) -> bool:
        try:
            secret = account_secret(self._vendor, owner.tenant, owner.property)
            return identity_of((await self._secrets.latest(secret)).value) == name
        except SecretMissing:
            return False


def identity_of(account: Secret[bytes]) -> str | None:
    """Return what an account is called among ours, whatever its passwords; None for what is no account."""
    try:
        fields = orjson.loads(account.reveal())
    except ValueError:
        return None
    if not isinstance(fields, dict):
        return None
    lasting = {name: value for name, value in fields.items() if not _changes(name)}
    if not lasting:
        return None
    return hashlib.sha256(b"account\n" + orjson.dumps(lasting, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


def _changes(name: str) -> bool:
    return any(part in name.lower() for part in _CHANGES)
