"""A company's end: everything it has here, handed out, and what nobody has to keep removed, for good.

| of the company | exported | removed |
|---|---|---|
| documents | all but what proves who somebody is | all but the audit log's |
| secrets, and what lies sealed | how many | destroyed, but for what the audit log is read by |
| the audit log's files | how many; `keyfleet audit pack` has them | never here: each has its time |

Nothing is removed while a key may open a door: hotels are closed, keys gone, the log closed behind them. A
removal that broke off goes on where it stopped, for what is gone is not found again (decision 0231).
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from infra.local.ambient import EPOCH
from infra.local.documents.store import SqliteDocuments
from infra.local.secrets import SqliteSecrets
from infra.local.storage.engine import Engine
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ledger.admission import EXPORTED, MOVED_AWAY, MOVED_TO, NOBODY, PIN, RECORD
from shared.ports.documents import Ref
from shared.usecases.audit.log_files import ROOT, folder_of

AT_ONCE: Final = 100
PAGE: Final = 200
AUDIT: Final = frozenset(
    {
        "audit_expiries",
        "audit_keys",
        "audit_logs",
        "audit_settings",
        "audit_streams",
        "audit_subjects",
        "dsar_log",
        "guest_keys",
        RECORD.collection,
    }
)
"""What outlives a company: who could open which door, for as long as the law wants it (A §17.4)."""
PROOFS_OF_PEOPLE: Final = frozenset(
    {
        "api_requests",
        "console_codes",
        "console_sessions",
        "desk_invitations",
        "desk_staff",
        "guest_guesses",
        "guest_sessions",
        "guest_tokens",
        "integrators",
    }
)
"""What somebody could try to sign in by: it is in no export."""
_COUNTS: Final = "SELECT db, collection, count(*) FROM packed WHERE tenant = ? GROUP BY db, collection"
_NEXT: Final = """SELECT collection, id, unpacked(body), version, expires_at FROM packed
WHERE db = 'main' AND tenant = ? AND (collection, id) > (?, ?) ORDER BY collection, id LIMIT ?"""
_ALL: Final = "SELECT collection, id, version FROM packed WHERE db = ? AND tenant = ? ORDER BY collection, id"
_OPEN: Final = """SELECT count(*), min(json_extract(keys, '$."of_property"')) FROM packed
WHERE db = 'main' AND tenant = ? AND collection = ? AND json_extract(keys, ?) IS NOT NULL"""
_HOTELS: Final = "SELECT id, unpacked(body) FROM packed WHERE db = 'main' AND tenant = ? AND collection = ?"
_LAST_TOLD: Final = """SELECT max(json_extract(keys, '$."day"')) FROM packed
WHERE db = 'main' AND tenant = ? AND collection = 'outbox'"""
_SECRETS: Final = "SELECT secret, version FROM secrets WHERE sealed IS NOT NULL ORDER BY secret, version"
_FILES: Final = "SELECT count(*), max(kept_until) FROM objects WHERE substr(name, 1, ?) = ?"
_OWNER: Final = re.compile(r"[a-z0-9_-]+?-(tnt_.+?)(?:-ppt_.+)?-[a-z]+")
_HINDERING: Final = (
    ("credentials", "live", "keys are not over: keyfleet credentials --tenant {tenant}"),
    (
        "grants",
        "until",
        "locks may still open to live keys or to what is left: keyfleet residue list --tenant {tenant}",
    ),
    (
        "master_keys",
        "due_at",
        "master keys are on their way out: keyfleet staff show {hotel} --tenant {tenant}",
    ),
    ("bulk_jobs", "due_at", "bulk revocations are at work: keyfleet bulk list --tenant {tenant}"),
)


@dataclass(frozen=True, slots=True)
class Tenancy:
    """What the embedded cloud keeps of each company."""

    engine: Engine
    main: SqliteDocuments
    sealed: SqliteDocuments
    secrets: SqliteSecrets

    def standing(self, tenant: TenantId) -> dict[str, Any]:
        """Return how much is kept of a company, what keeps it from going, and a digest of it all."""
        self._check(tenant)
        counts: dict[str, dict[str, int]] = {"main": {}, "sealed": {}}
        for database, collection, many in self.engine.read(_COUNTS, (tenant,)):
            counts[database][collection] = many
        files, until = self._files(tenant)
        return {
            "tenant": tenant,
            "documents": counts["main"],
            "sealed": counts["sealed"],
            "secrets": len(list(self.secrets_of(tenant))),
            "audit_files": files,
            "audit_kept_until": until,
            "audit": sorted(AUDIT & {*counts["main"], *counts["sealed"]}),
            "hindered": list(self._hindered(tenant)),
            "digest": self._digest(tenant),
        }

    def page(self, tenant: TenantId, after: tuple[str, str]) -> list[dict[str, Any]]:
        """Return the company's next documents, in order; none are left after the last."""
        self._check(tenant)
        rows = self.engine.read(_NEXT, (tenant, *after, PAGE))
        return [
            {
                "collection": collection,
                "id": id_,
                "version": version,
                "data": None if collection in PROOFS_OF_PEOPLE else orjson.loads(body),
                "expires": instant_of(expires),
            }
            for collection, id_, body, version, expires in rows
        ]

    async def remove(self, tenant: TenantId, arrived: str | None = None) -> dict[str, Any]:
        """Remove what nobody has to keep, and return what remains; nothing while a key may open a door.

        One that moved goes with all its keys, once somebody says which export arrived in the other cell.
        """
        hindered = [] if self._has_arrived(tenant, arrived) else self.standing(tenant)["hindered"]
        if hindered:
            raise InvalidInput("tenant", hindered[0], "end that first; nothing was removed")
        removed = Counter[str]()
        for database in ("sealed", "main"):
            removed[database] += await self._removed(database, tenant)
        # Last: while a document of it is here, whoever looks after the rest can still reach its vendors.
        for name, version in list(self.secrets_of(tenant)):
            await self.secrets.destroy(name, version)
            removed["secrets"] += 1
        return {**self.standing(tenant), "removed": dict(removed)}

    async def _removed(self, database: str, tenant: TenantId) -> int:
        store, gone = {"main": self.main, "sealed": self.sealed}[database], 0
        rows = self.engine.read(_ALL, (database, tenant))
        refs = [Ref(collection, id_) for collection, id_, _ in rows if collection not in AUDIT]
        for first in range(0, len(refs), AT_ONCE):
            gone += await store.forget(tenant, refs[first : first + AT_ONCE])
        return gone

    def _check(self, tenant: TenantId) -> None:
        known = self.engine.read(_HOTELS, (tenant, RECORD.collection))
        if tenant == NOBODY or not known:
            raise InvalidInput("tenant", "not a company of this cell", "name one: keyfleet status knows none")

    def _has_arrived(self, tenant: TenantId, arrived: str | None) -> bool:
        record = self._record(tenant)
        return record.get(PIN) == MOVED_AWAY and arrived is not None and record.get(EXPORTED) == arrived

    def _record(self, tenant: TenantId) -> dict[str, Any]:
        self._check(tenant)
        ((_, body),) = self.engine.read(_HOTELS, (tenant, RECORD.collection))
        found: dict[str, Any] = orjson.loads(body)
        return found

    def _hindered(self, tenant: TenantId) -> Iterator[str]:
        if (record := self._record(tenant)).get(PIN) == MOVED_AWAY:
            if not {each for _, each, _ in self.engine.read(_COUNTS, (tenant,))} - AUDIT:
                return  # it is gone
            yield f"it moves to {record.get(MOVED_TO)}: say --arrived DIGEST, which its import there printed"
            return
        hotels = self.engine.read(_HOTELS, (tenant, "properties"))
        for id_, body in hotels:
            if not orjson.loads(body).get("closed_at"):
                which = f"--tenant {tenant} --property {id_} --by usr_…"
                yield f"{id_} is not closed: keyfleet bulk revoke {which}"
        for collection, field, remedy in _HINDERING:
            ((many, hotel),) = self.engine.read(_OPEN, (tenant, collection, f'$."{field}"'))
            if many:
                yield f"{many} of its {remedy.format(tenant=tenant, hotel=hotel)}"
        ((told,),) = self.engine.read(_LAST_TOLD, (tenant,))
        if told is not None and told > self._closed(tenant):
            yield f"its log is not closed up to {told}: once it is over, keyfleet audit anchor --date {told}"

    def _closed(self, tenant: TenantId) -> str:
        rows = self.engine.read(_HOTELS, (tenant, "audit_logs"))
        return max((str(orjson.loads(body).get("date") or "") for _, body in rows), default="")

    def secrets_of(self, tenant: TenantId) -> Iterator[tuple[str, int]]:
        """Yield the names and versions of a company's secrets."""
        for name, version in self.engine.read(_SECRETS, ()):
            owner = _OWNER.fullmatch(name)
            if owner is not None and owner[1] == tenant:
                yield name, version

    def _files(self, tenant: TenantId) -> tuple[int, str | None]:
        folder = f"{ROOT}/{folder_of(tenant)}/"
        ((many, until),) = self.engine.read(_FILES, (len(folder), folder))
        return many, None if until is None else datetime.fromtimestamp(until / 1e6, UTC).date().isoformat()

    def _digest(self, tenant: TenantId) -> str:
        whole = hashlib.sha256()
        for database in ("main", "sealed"):
            for row in self.engine.read(_ALL, (database, tenant)):
                whole.update(orjson.dumps([database, *row]) + b"\n")
        return whole.hexdigest()


def instant_of(expires: int | None) -> str | None:
    """Return until when a row is kept, as text."""
    return None if expires is None else (EPOCH + timedelta(microseconds=expires)).isoformat()


def next_of(page: Sequence[Mapping[str, Any]]) -> tuple[str, str] | None:
    """Return from where the page after this one begins; None behind the last."""
    return (page[-1]["collection"], page[-1]["id"]) if len(page) == PAGE else None
