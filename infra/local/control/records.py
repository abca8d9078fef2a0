"""The ledger's records over all tenants, for an operator who only looks: neither billed nor locked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from infra.local.storage.engine import Engine
from shared.domain.ids import TenantId
from shared.ledger.reservation import Status

Json = Mapping[str, Any]
CREDENTIALS: Final = "credentials"
RESERVATIONS: Final = "reservations"
MANUAL_TASKS: Final = "manual_tasks"
RESIDUAL: Final = "residual"
"""No state of a key, but of what it left at a lock that would not let go."""
OF_MAIN: Final = "FROM documents WHERE db = 'main'"
# Skips from tenant to tenant along the primary key, where DISTINCT would walk over every document.
_NEXT_TENANT: Final = f"SELECT min(tenant) {OF_MAIN} AND tenant > ?"
_ONE: Final = f"SELECT body {OF_MAIN} AND tenant = ? AND collection = ? AND id = ?"
_KEYS: Final = f"""SELECT body {OF_MAIN} AND tenant = ?1 AND collection = '{CREDENTIALS}'
AND (?2 IS NULL OR json_extract(body, '$.credential.core.holder.reservation_id') = ?2)
AND (?3 IS NULL OR json_extract(body, '$.credential.core.property_id') = ?3)
AND (?4 IS NULL OR json_extract(body, '$.credential.state.type') = ?4 OR ?4 = '{RESIDUAL}' AND EXISTS (
SELECT 1 FROM documents AS at_lock WHERE db = 'main' AND tenant = ?1 AND collection = 'grants'
AND at_lock.body -> '$.credential_id' = json_quote(documents.id)
AND json_extract(at_lock.body, '$.device_id') IS NOT NULL
AND json_extract(at_lock.body, '$.grant.state.type') = '{RESIDUAL}'))
AND id BETWEEN ifnull(?6, '') AND ifnull(?6, x'ff')
ORDER BY id DESC LIMIT ?5"""  # noqa: S608 - what is put in are constants of this module
# Said as the index over grants says it, which is used where it is declared.
_GRANTS: Final = f"""SELECT body {OF_MAIN} AND tenant = ? AND collection = 'grants'
AND body -> '$.credential_id' = ? AND json_extract(body, '$.device_id') IS NOT NULL
ORDER BY json_extract(body, '$.device_id'), id"""
_EVENTS: Final = f"""SELECT body {OF_MAIN} AND tenant = ?1 AND collection = 'outbox'
AND id > ?2 || '.' AND id < ?2 || '/' ORDER BY id"""
# Whoever fails a key leaves a task with it, by which the few that failed are found among the many: a CROSS
# JOIN keeps to that order.
_FAILED: Final = f"""SELECT key.body FROM documents AS task
CROSS JOIN documents AS key ON key.db = 'main' AND key.tenant = ?1 AND key.collection = '{CREDENTIALS}'
AND key.id = task.id AND json_extract(key.body, '$.credential.state.type') = 'failed'
CROSS JOIN documents AS stay ON stay.db = 'main' AND stay.tenant = ?1 AND stay.collection = '{RESERVATIONS}'
AND stay.id = json_extract(key.body, '$.credential.core.holder.reservation_id')
AND json_extract(stay.body, '$.status') = '{Status.CONFIRMED}'
AND EXISTS (SELECT 1 FROM json_each(stay.body, '$.credentials') WHERE value = key.id)
WHERE task.db = 'main' AND task.tenant = ?1 AND task.collection = '{MANUAL_TASKS}'"""  # noqa: S608 - constants
# What is yet to be made is due, and so found by the index of what is, among all that is over and done.
_WAITING: Final = f"""SELECT count(*) {OF_MAIN} AND tenant = ? AND collection = '{CREDENTIALS}'
AND json_extract(body, '$.due_at') IS NOT NULL
AND json_extract(body, '$.credential.state.type') IN ('requested', 'pending')"""
_STAYS: Final = f"""SELECT id, json_extract(body, '$.status'), json_array_length(body, '$.credentials')
{OF_MAIN} AND tenant = ? AND collection = '{RESERVATIONS}' AND id > ? ORDER BY id LIMIT ?"""
_STANDINGS: Final = f"""SELECT id, json_extract(body, '$.device_id'), json_extract(body, '$.grant.state.type')
{OF_MAIN} AND tenant = ? AND collection = 'grants' AND id > ? ORDER BY id LIMIT ?"""


class UnknownRecord(LookupError):
    """Nothing of that name was ever heard of; its words end with what to do."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which keys are asked for; what is None does not matter. They may be residual, whatever their state."""

    tenant: TenantId | None = None
    reservation: str | None = None
    property: str | None = None
    state: str | None = None
    limit: int = 100
    key: str | None = None


class Records:
    """What was committed last; nothing here writes."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def tenants(self) -> Iterator[TenantId]:
        """Go through all tenants that have documents."""
        last = ""
        while (found := self._engine.read(_NEXT_TENANT, (last,))[0][0]) is not None:
            last = found
            yield TenantId(found)

    def credentials(self, wanted: Wanted) -> Iterator[Json]:
        """Go through keys, newest first within each tenant."""
        left = wanted.limit
        for tenant in self.tenants() if wanted.tenant is None else (wanted.tenant,):
            asked = (tenant, wanted.reservation, wanted.property, wanted.state, left, wanted.key)
            found = self._read(_KEYS, *asked)
            left -= len(found)
            yield from found

    def failed_and_wanted(self, tenant: TenantId) -> list[Json]:
        """Return the keys that failed and that a confirmed stay still names."""
        return self._read(_FAILED, tenant)

    def waiting(self, tenant: TenantId) -> int:
        """Return how many keys are yet to be made."""
        return int(self._engine.read(_WAITING, (tenant,))[0][0])

    def stays(self, tenant: TenantId, after: str, limit: int) -> list[tuple[str, str, int]]:
        """Return the first stays beyond an id: which, how it stands, and how many keys it names."""
        return self._engine.read(_STAYS, (tenant, after, limit))

    def standings(self, tenant: TenantId, after: str, limit: int) -> list[tuple[str, str | None, str]]:
        """Return the first grants beyond an id: which, at which lock, in which state."""
        return self._engine.read(_STANDINGS, (tenant, after, limit))

    def grants(self, tenant: TenantId, credential: str) -> list[Json]:
        """Return all grants a key ever had."""
        return self._read(_GRANTS, tenant, orjson.dumps(credential).decode())

    def events(self, tenant: TenantId, credential: str) -> list[Json]:
        """Return a key's outbox rows, in sequence."""
        return self._read(_EVENTS, tenant, credential)

    def one(self, tenant: TenantId, collection: str, identity: str) -> Json | None:
        """Return one document, or None."""
        return next(iter(self._read(_ONE, tenant, collection, identity)), None)

    def _read(self, sql: str, *parameters: Any) -> list[Json]:
        return [orjson.loads(body) for (body,) in self._engine.read(sql, parameters)]
