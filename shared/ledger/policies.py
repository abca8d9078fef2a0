"""The policy of a property's keys, as its tenant's settings make it."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from shared.domain.policy import DEFAULT_POLICY, KeyKindPolicy
from shared.ledger.reading import reading
from shared.ports.documents import Ref, TenantDocuments

POLICIES: Final = "policies"
OF_TENANT: Final = "tenant"
Settings = Mapping[str, Any]


async def settings_for(store: TenantDocuments, property_id: str) -> tuple[Settings, Settings]:
    """Return what a tenant set for all its properties, and what it set for one."""
    return await _settings(store, OF_TENANT), await _settings(store, property_id)


def policy_of(settings: Iterable[Settings]) -> KeyKindPolicy:
    """Return the policy that settings make: the later lie over the earlier, and all over ours."""
    policy = DEFAULT_POLICY
    for layer in settings:
        policy = policy.with_settings(layer)
    return policy


async def _settings(store: TenantDocuments, identity: str) -> Settings:
    kept = await store.get(Ref(POLICIES, identity))
    if kept is None:
        return {}
    with reading(kept):
        settings: Settings = kept.data["settings"]
        return settings
