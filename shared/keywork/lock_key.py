"""What a vendor is told of a grant: which lock, under which name, from when until when."""

from shared.domain.core import CredentialCore
from shared.domain.grant import Grant, name_at_vendor
from shared.domain.kinds import SetRole
from shared.domain.scope import NO_SCOPE
from shared.domain.window import StayWindow
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, Wish, grant_from
from shared.ledger.indexes import OF_CREDENTIAL
from shared.ledger.sealed_keys import SealedKey
from shared.ports.documents import TenantDocuments
from shared.ports.lock import LockKey


def lock_key(
    kept: GrantRecord, window: StayWindow, sealed: SealedKey | None, core: CredentialCore | None = None
) -> LockKey:
    """Return a grant's key, with the vendor's own reference where one is kept; its secret stays sealed.

    Without the key's core it is one to look for or to remove.
    """
    grant = kept.grant
    return LockKey(
        device_id=grant.device_id,
        kind=grant.kind,
        name=grant.vendor_name,
        valid_from=window.start,
        valid_until=window.end,
        idempotency_key=grant.vendor_key,
        vendor_ref=None if sealed is None else sealed.refs.get(grant.vendor_name),
        vendor_device=kept.vendor_device,
        scope=NO_SCOPE if core is None else core.scope,
        set_name=_set_name(grant),
        role=SetRole.FIRST if core is None else core.role,
    )


async def ended_by(core: CredentialCore, documents: TenantDocuments) -> frozenset[str]:
    """Return by which names vendors know the key that another replaces, if that one is to open no more."""
    if core.replaces is None:
        return frozenset()
    found = await documents.query(OF_CREDENTIAL, {"credential_id": str(core.replaces)}, limit=MOST_GRANTS)
    gone = [kept.grant for kept in map(grant_from, found) if kept.wish is Wish.GONE]
    return frozenset(name for grant in gone for name in (grant.vendor_name, _set_name(grant)))


def _set_name(grant: Grant) -> str:
    return name_at_vendor(f"{grant.credential_id}|{grant.kind}|{grant.secret_try}")
