"""Service accounts of a tenant: issued, given another secret, and stopped, on an administrator's word.

| ordered | the account | its secrets |
|---|---|---|
| issue | is made | one, shown once |
| rotate | | another, shown once; the one before it counts until the next rotation |
| rotate at once | | another, shown once; it alone counts |
| stop | calls no more, within seconds | none counts |

Only digests are kept: whoever loses a secret rotates it. What is known of an account is remembered for some
seconds: so long may a new secret be refused, and a stopped one be taken. Stopped is for good.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import IntegratorId, PropertyId, TenantId
from shared.domain.permissions import Permission, held_by_key
from shared.domain.sign_in import Integrator
from shared.kernel.api_keys import ApiKey, draw_key
from shared.ledger.service_account import Account
from shared.ports.documents import TenantDocuments

LONGEST: Final = timedelta(days=366)
"""A secret that nobody looked at for a year is nobody's."""
Draw = Callable[[int], bytes]


@dataclass(frozen=True, slots=True)
class AccountWanted:
    """What a program is to be called, and what it may do where, until when."""

    name: str
    permissions: tuple[Permission, ...]
    properties: tuple[PropertyId, ...]
    everywhere: bool
    expires_at: datetime

    def check(self, now: datetime, known: Sequence[str]) -> None:
        """Refuse what no key may hold, properties that there are not, and a key for too long."""
        if held_by_key(self.permissions) != frozenset(self.permissions) or not self.permissions:
            remedy = "give what infra/docs/permissions.md marks for integrators"
            raise InvalidInput("permissions", "none, or more than such a key may hold", remedy)
        if self.everywhere == bool(self.properties):
            raise InvalidInput(
                "properties", "none, or some beside everywhere", "name some, or say everywhere"
            )
        if not set(known).issuperset(self.properties):
            raise InvalidInput("properties", "not all of this tenant", "name properties of yours")
        if not now < self.expires_at <= now + LONGEST:
            raise InvalidInput("expiresAt", "past, or more than a year away", "give an end within a year")


async def issue_account(
    wanted: AccountWanted, name: IntegratorId, store: TenantDocuments, draw: Draw
) -> tuple[Account, ApiKey]:
    """Make a service account; return it with its secret, which nobody can be shown again."""
    key = draw_key(TenantId(store.tenant), name, draw)
    made = Integrator(
        id=name,
        name=wanted.name,
        digests=(key.digest,),
        permissions=wanted.permissions,
        properties=wanted.properties,
        everywhere=wanted.everywhere,
        expires_at=wanted.expires_at,
    )
    return await Account(made).saved(made, store), key


async def rotate_account(
    account: Account, store: TenantDocuments, draw: Draw, now: datetime, *, at_once: bool
) -> tuple[Account, ApiKey]:
    """Give a service account another secret; the one before it counts on, unless it is to end at once."""
    if not account.integrator.is_live(now):
        raise InvalidInput("account", "stopped, or past its end", "issue another one")
    key = draw_key(TenantId(store.tenant), account.integrator.id, draw)
    kept = () if at_once else account.integrator.digests[:1]
    return await account.saved(replace(account.integrator, digests=(key.digest, *kept)), store), key


async def stop_account(account: Account, store: TenantDocuments, now: datetime) -> Account:
    """Have a service account call no more; doing so again changes nothing."""
    if account.integrator.stopped_at is not None:
        return account
    return await account.saved(replace(account.integrator, stopped_at=now), store)
