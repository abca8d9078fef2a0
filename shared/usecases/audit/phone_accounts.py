"""Where a guest's keys on phones are sent, when the guest wants to be forgotten.

| the key | its account |
|---|---|
| is over, though a lock may still have it | is destroyed: a vendor's reference is enough to take it away |
| lives | stays sealed until the key goes: its vendor wants it for each change |
"""

from typing import Any, Final

from shared.domain.instants import instant_to_text
from shared.domain.kinds import KeyCredentialKind
from shared.domain.states import Failed, Revoked
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.key_record import ref_of as key_ref
from shared.ledger.reservation import Reservation
from shared.ledger.sealed_keys import SecretName, let_artifact_go, says_artifact
from shared.ports.documents import TenantDocuments

BECAUSE: Final = (
    "a key on a phone that still opens is changed by the account it was sent to, which goes with the key; "
    "to have it destroyed now, end the key and ask again"
)


async def forget_accounts(
    stay: Reservation, documents: TenantDocuments, sealed: TenantDocuments
) -> list[dict[str, Any]]:
    """Destroy the accounts of a stay's keys that are over; return which keys keep theirs, and why."""
    kept = list[dict[str, Any]]()
    for id_ in stay.credentials:
        found = await documents.get(key_ref(id_))
        if found is None:
            continue
        key = key_record_from(found)
        account = await sealed.get(_account_of(key).ref)
        if account is None or not says_artifact(account):
            continue
        if isinstance(key.credential.state, Revoked | Failed):
            await sealed.commit([let_artifact_go(account)])
        else:
            until = instant_to_text(key.credential.core.window.end)
            kept.append({"key": str(key.id), "until": until, "because": BECAUSE})
    return kept


def _account_of(key: KeyRecord) -> SecretName:
    return SecretName(key.credential.core.id, KeyCredentialKind.MOBILE_APP, key.secret_try)
