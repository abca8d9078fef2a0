"""The sealed keys as one round needs them: each is opened once, and trouble is kept for its end."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.secret import Secret
from shared.keywork.errand import Errand
from shared.ledger.grant_record import GrantRecord
from shared.ledger.sealed_keys import SealedKey, SealedKeys, SecretName
from shared.ports.trouble import ServiceTrouble
from shared.ports.vault import SealBroken

KEPT_AFTER_STAY: Final = timedelta(days=60)


def secret_of(kept: GrantRecord) -> SecretName:
    """Return the name of the secret that opens here."""
    grant = kept.grant
    return SecretName(grant.credential_id, grant.kind, grant.secret_try)


class RoundVault:
    """Opens what a round needs, and keeps what vendors named in it."""

    def __init__(self, secrets: SealedKeys) -> None:
        self._secrets = secrets
        self._opened: dict[SecretName, SealedKey | None] = {}
        self.trouble: ServiceTrouble | None = None

    async def sealed(self, name: SecretName, *, needed: bool) -> SealedKey | None:
        """Return a sealed key, if it can be opened; most locks of a key share one.

        What is to go is found by its name if need be; what is to open cannot do without its secret.
        """
        if name not in self._opened:
            self._opened[name] = await self._found(name)
        if needed and self.trouble is not None:
            raise self.trouble
        return self._opened[name]

    async def lasting(self, name: SecretName, until: datetime) -> SealedKey | None:
        """Return a sealed key that is kept for as long as a key may open, and said so before it is told."""
        key = self._opened[name]
        if key is None or key.expires_at >= until + KEPT_AFTER_STAY:
            return key
        longer = replace(key, expires_at=until + KEPT_AFTER_STAY)
        self._opened[name] = await self._secrets.update(longer)
        return self._opened[name]

    async def keep_refs(self, errands: Sequence[Errand]) -> None:
        """Keep what vendors named, before it is saved that they need not be asked again."""
        named: dict[SecretName, dict[str, Secret[str]]] = {}
        for each in errands:
            if each.at_lock is not None:
                refs = named.setdefault(secret_of(each.kept), {})
                refs[each.kept.grant.vendor_name] = each.at_lock.vendor_ref
        for name, refs in named.items():
            key = self._opened[name]
            if key is not None:
                self._opened[name] = await self._secrets.update(replace(key, refs={**key.refs, **refs}))

    async def _found(self, name: SecretName) -> SealedKey | None:
        try:
            return await self._secrets.find(name)
        except SealBroken:
            return None  # without the vendor's own reference a key is found by its name
        except ServiceTrouble as trouble:
            self.trouble = trouble
            return None
