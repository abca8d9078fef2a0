"""Databases with their collections and indexes, cipher keys, secrets and buckets."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from infra.manifest.load import Manifest
from infra.manifest.rights import RECORDS
from shared.events.subject import RETENTION_RULES, Retention
from shared.gcp.documents.indexes import composite_indexes, field_settings
from shared.ports.collections import collections_in
from shared.ports.documents import Index
from shared.ports.vault import names
from shared.runtime.indexes import INDEXES

Table = dict[str, Any]

KEY_RING: Final = "melmastoon-lock"
CONFIG: Final = "lock-config"
"""The key of A §13.1; whoever's purpose it is, it is there."""
ROTATED_EVERY: Final = 90
DATABASE_LIMITS: Final = {"fields": 1_000, "indexes": 1_000}
"""What Firestore takes of one database: settings of fields, and composite indexes."""
_DATABASES: Final = {"main": "keyfleet", "sealed": "keyfleet-sealed"}


def databases() -> Table:
    """Return both databases with what lies in them."""
    return {name: _database(name, identity) for name, identity in _DATABASES.items()}


def _database(name: str, identity: str) -> Table:
    sealed = name == "sealed"
    return {
        "id": identity,
        "delete_protection": True,
        # What was destroyed here must not be readable for a week more.
        "point_in_time_recovery": not sealed,
        "backed_up": not sealed,
        "collections": {
            each.name: {"expires": each.expires, "holds": each.holds}
            for each in collections_in(sealed=sealed)
        },
    }


def indexes(declared: Iterable[Index] = INDEXES) -> Table:
    """Return every composite index of the main database; none of the sealed one is asked for anything."""
    made = [each for index in declared for each in composite_indexes(index)]
    return {_index_name(each): {"database": "main", **each} for each in made}


def _index_name(made: Mapping[str, Any]) -> str:
    fields = "+".join(field["field_path"] for field in made["fields"])
    return f"{made['collection']}/{fields}/{made['query_scope'].lower()}"


def fields(declared: Iterable[Index] = INDEXES) -> Table:
    """Return every field whose indexing or expiry is not the default, of both databases."""
    rows = [
        {"database": name, **each}
        for name, indexed in (("main", tuple(declared)), ("sealed", ()))
        for each in field_settings(indexed, collections_in(sealed=name == "sealed"))
    ]
    return {f"{row['database']}/{row['collection']}/{row['field']}": row for row in rows}


def keys(manifest: Manifest) -> Table:
    """Return the cipher's keys, one a purpose, and whose accounts may use each."""
    named = {it.account: (it.deployable.opens, it.deployable.seals) for it in manifest.functions.values()}
    purposes = {each for opens, seals in named.values() for each in (*opens, *seals) if "*" not in each}
    return {
        purpose: {
            "rotated_every_days": ROTATED_EVERY,
            "openers": sorted(name for name, (opens, _) in named.items() if names(opens, purpose)),
            "sealers": sorted(
                name
                for name, (opens, seals) in named.items()
                if names(seals, purpose) and not names(opens, purpose)
            ),
        }
        for purpose in sorted({CONFIG, *purposes})
    }


def secrets(manifest: Manifest) -> Table:
    """Return which secrets each function reads, as what their names begin and end with."""
    return {
        f"{name}/{pattern}": {
            "function": name,
            "begins": pattern.partition("*")[0],
            "ends": pattern.rpartition("*")[2],
        }
        for name, function in sorted(manifest.functions.items())
        for pattern in function.deployable.secrets
    }


def buckets() -> Table:
    """Return the bucket of records: what is written there once stays for as long as regulated events do."""
    days = RETENTION_RULES[Retention.AUDIT].sink_days
    return {
        RECORDS: {
            "retention_days": days,
            "retention_locked": True,
            "versioned": False,
            "object_retention": True,
        }
    }
