"""The entries of a tenant's log: what was done, what was wrong with what came in, and the end of each day.

An entry is a header of canonical JSON that stays for good. What may lead to a person beyond its retention is
the body, kept apart; the header holds only its salted hash, so that the tree verifies without it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from shared.audit.errors import Malformed
from shared.audit.kept import Sifted, are_words, is_word, kept_of
from shared.audit.notes import VerifierKey
from shared.audit.subjects import Subject
from shared.audit.text import LIBRARY, Json, canonical, encode_base64

VERSION: Final = 1
LARGEST_BODY: Final = 15_000
"""Of one body: 256 of them, sealed, are one object, and no object is over four million bytes."""
ACTION, FINDING, DAY, KEY, EXPIRY = "action", "finding", "day", "key", "expiry"
_LIFTED: Final = (
    ("property", "propertyId"),
    ("device", "deviceId"),
    ("key", "keyCredentialId"),
    ("outcome", "outcome"),
    ("reason", "denyReason"),
)
"""What the header repeats of the payload, so that doors and keys are found without any body."""
_FROM_FACTS: Final = (
    ("action", "action"),
    ("at", "time"),
    ("operator", "operatorId"),
    ("staff", "staffUserId"),
    ("reason", "reason"),
    ("vendor", "vendor"),
    ("trace", "traceId"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: the bytes that are hashed into the tree, and the body they answer for."""

    header: bytes
    body: bytes = field(default=b"", repr=False)
    salt: bytes = field(default=b"", repr=False)
    data: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What the body says, for whoever makes the entry."""


def body_hash(salt: bytes, body: bytes) -> str:
    """The hash of a body, as the header has it."""
    return encode_base64(sha256(salt + body).digest())


def action_entry(row: Mapping[str, Any], subject: Subject, json: Json = LIBRARY) -> Entry:
    """The entry of an outbox row as stored: who did what to which key, when, why, and on what grounds."""
    event_id, sifted = row["eventId"], kept_of(_data_of(row, json), subject)
    data, (said, capabilities) = sifted.data, _said_of(row["audit"], sifted.withheld)
    body, salt = _body(sifted, json), subject.salt(event_id)
    header: dict[str, Any] = {
        "v": VERSION,
        "kind": ACTION,
        "tenant": row["tenantId"],
        "id": event_id,
        "type": row["subject"],
        "stream": row["aggregateId"],
        "seq": row["sequence"],
        "capabilities": capabilities,
        "body": body_hash(salt, body),
    }
    if subject.alias is not None:
        header["guest"] = subject.alias
    for name, source in _LIFTED:
        if source in data:
            header[name] = data[source]
    header |= said
    return Entry(json.write(header), body, salt, data)


def _said_of(facts: Mapping[str, Any], withheld: set[str]) -> tuple[dict[str, Any], list[Any]]:
    """What the header says of who did it, and why, and of capabilities; what is no word is withheld."""
    said = {name: value for name, source in _FROM_FACTS if (value := facts.get(source)) is not None}
    capabilities = [*facts.get("capabilities", ())]
    if are_words([*said.values(), *capabilities]):
        return said, capabilities
    withheld |= {name for name, value in said.items() if not is_word(value)}
    words = {name: value for name, value in said.items() if is_word(value)}
    return words, [each for each in capabilities if is_word(each)]


def _body(sifted: Sifted, json: Json) -> bytes:
    """The body, or only the names of what it would have held, where a bundle could not hold it."""
    write = canonical if sifted.fractions else json.write
    body = write({"data": sifted.data, "withheld": sorted(sifted.withheld)})
    if len(body) <= LARGEST_BODY:
        return body
    return write({"data": {}, "withheld": sorted({*sifted.withheld, *sifted.data})})


def finding_entry(kind: str, row: Mapping[str, Any], subject: Subject, expected: int) -> Entry:
    """The entry of what was wrong with a row; of the row itself only where it stood, and a salted hash."""
    header = _stated(FINDING, row["tenantId"], finding=kind, stream=row["aggregateId"])
    digest = body_hash(subject.salt(row["eventId"]), canonical(row, "row"))
    return Entry(canonical({**header, "seq": row["sequence"], "expected": expected, "row": digest}))


def day_entry(tenant_id: str, day: str, first: int, counts: Mapping[str, int]) -> Entry:
    """The entry that ends a day: where it began in the log, and how much of what it holds."""
    return Entry(canonical({**_stated(DAY, tenant_id, day=day), "first": first, **counts}))


def key_entry(tenant_id: str, at: str, new: VerifierKey, old: VerifierKey) -> Entry:
    """The entry of a change of keys: everything after it is signed with the new one."""
    return Entry(canonical(_stated(KEY, tenant_id, at=at, verifier=str(new), replaces=str(old))))


def expiry_entry(tenant_id: str, at: str, policy: str, first: int, count: int) -> Entry:
    """The entry that is written before bodies are destroyed, so that their absence is explained."""
    return Entry(
        canonical({**_stated(EXPIRY, tenant_id, at=at, policy=policy), "first": first, "count": count})
    )


def _stated(kind: str, tenant_id: str, **words: str | None) -> dict[str, Any]:
    header: dict[str, Any] = {"v": VERSION, "kind": kind, "tenant": tenant_id}
    return header | {name: value for name, value in words.items() if value is not None}


def _data_of(row: Mapping[str, Any], json: Json) -> Mapping[str, Any]:
    event = json.read(row["body"])
    data = event.get("data") if isinstance(event, dict) else None
    if not isinstance(data, dict):
        raise Malformed("body", "it is no event", "Quarantine the row")
    return data
