"""The policy of a property's keys, as its tenant's settings make it."""

from typing import Final

from shared.domain.policy import DEFAULT_POLICY, KeyKindPolicy
from shared.ledger.reading import reading
from shared.ports.documents import Ref, TenantDocuments

POLICIES: Final = "policies"
OF_TENANT: Final = "tenant"


async def policy_for(store: TenantDocuments, property_id: str) -> KeyKindPolicy:
    """Return the policy of a property: its own settings over its tenant's over ours."""
    policy = DEFAULT_POLICY
    for identity in (OF_TENANT, property_id):
        kept = await store.get(Ref(POLICIES, identity))
        if kept is not None:
            with reading(kept):
                policy = policy.with_settings(kept.data["settings"])
    return policy
