"""A company leaves for another cell: this one stops working for it, and hands over what it keeps, sealed.

| step | what it does | if it is done again |
|---|---|---|
| frozen | its pin says that it moved: events, people and sagas are refused from then on | the same |
| rested | for so long as the longest of what was begun before may last, nothing is handed over | the same |
| exported | documents as they are; what is sealed or proves people, sealed for the other cell | anew |
| removed | only for whoever says what the other cell printed when it had it whole | it goes on |

What is sealed here is opened by its own header: it names the key, and so its purpose (decision 0249).
"""

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import orjson
from nacl.public import PublicKey, SealedBox

from infra.local.cipher import HEADER, MAGIC, LocalCipher
from infra.local.delivery.instants import micros
from infra.local.tenancy import AUDIT, PROOFS_OF_PEOPLE, Tenancy, instant_of
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.ledger.admission import ELSEWHERE, EXPORTED, MOVED_AWAY, MOVED_TO, PIN, RECORD
from shared.ledger.audit_log import LOGS, OF_TENANT
from shared.ledger.hotel_directory import KNOWN_FOR
from shared.ports.ambient import Clock
from shared.ports.dead_letters import ParkedMessage
from shared.ports.documents import Document, Ref, Update
from shared.ports.vault import SealBroken

REST: Final = KNOWN_FOR + timedelta(minutes=10)
"""So long a process may take a tenant for one of this cell, and then work at what it began."""
MOVED_AT: Final = "moved_at"
PAGE: Final = 100
NOT_OPENED: Final = frozenset(
    {
        "account_callbacks",
        "challenge_codes",
        "opened_accounts",
        "probe_callbacks",
        "telemetry_peppers",
        "vendor_tokens",
    }
)
"""Sealed, and of this cell alone: another draws its own, or asks the vendor for it."""
FIELDS: Final = ("artifact", "refs", "ref", "contact", "device", "secret", "seed", "locks")
"""As what part of its record something is sealed."""
_SEALED_BEGINS: Final = base64.b64encode(MAGIC[:3]).decode()
_ROWS: Final = """SELECT db, collection, id, unpacked(body), expires_at FROM packed
WHERE tenant = ? AND (db, collection, id) > (?, ?, ?) ORDER BY db, collection, id LIMIT ?"""
_UNDER_WAY: Final = """SELECT count(*) FROM packed WHERE db = ? AND tenant = ? AND collection = ?
AND (db = 'sealed' OR json_extract(keys, '$."due_at"') IS NOT NULL)
AND (expires_at IS NULL OR expires_at > ?)"""
_HINDERING: Final = (
    ("sealed", "next_accounts", "an account is being replaced: wait for its end, keyfleet account list"),
    ("sealed", "opened_accounts", "an account is shown to somebody: keyfleet break-glass list"),
    ("main", "canaries", "a next build is on trial: keyfleet canary stop"),
)
_TOLD: Final = """SELECT id FROM packed WHERE db = 'main' AND tenant = ? AND collection = 'outbox'
AND json_extract(keys, '$."day"') <= ? ORDER BY id"""
_HEADS: Final = """SELECT id, unpacked(body) FROM packed
WHERE db = 'main' AND tenant = ? AND collection = 'audit_streams'"""
_LOG: Final = (
    "SELECT unpacked(body) FROM packed WHERE db = 'main' AND tenant = ? AND collection = 'audit_logs'"
)
Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Departure:
    """What a company's move needs of the cell that it leaves."""

    tenancy: Tenancy
    cipher: LocalCipher
    clock: Clock
    cell: str

    async def freeze(self, tenant: TenantId, to: str) -> dict[str, Any]:
        """Stop working for a company, which goes to another cell; nothing else of it is changed."""
        record = await self._record(tenant)
        if record.data.get(PIN) != MOVED_AWAY:
            self._check_unhindered(tenant)
            pinned = {PIN: MOVED_AWAY, MOVED_TO: to, MOVED_AT: instant_to_text(self.clock.now())}
            frozen = Update(RECORD, {**record.data, **pinned}, record.version)
            await self.tenancy.main.tenant(tenant).commit([frozen, *await self._log_held(tenant)])
        elif record.data.get(MOVED_TO) != to:
            raise InvalidInput("to", "another cell than it is frozen for", "thaw the company first")
        return {"tenant": tenant, "to": to, "rests_until": instant_to_text(await self._rested(tenant))}

    async def thaw(self, tenant: TenantId, *, nowhere: bool = False) -> dict[str, Any]:
        """Work for a company again; one that was exported may be at work elsewhere, unless somebody knows."""
        record = await self._record(tenant)
        if record.data.get(EXPORTED) and not nowhere:
            remedy = f"if {record.data[MOVED_TO]} has nothing of it, say the company once more: --really"
            raise InvalidInput("tenant", "handed over already: two cells would work for it", remedy)
        if record.data.get(PIN) == MOVED_AWAY:
            here = {**stayed(record.data), PIN: self.cell}
            await self.tenancy.main.tenant(tenant).commit([Update(RECORD, here, record.version)])
        return {"tenant": tenant}

    async def exported(self, tenant: TenantId, digest: str) -> dict[str, Any]:
        """Note which export is the one that goes: no other lets the company be removed."""
        await self.manifest(tenant)
        record = await self._record(tenant)
        await self.tenancy.main.tenant(tenant).commit(
            [Update(RECORD, {**record.data, EXPORTED: digest}, record.version)]
        )
        return {"tenant": tenant, "exported": digest}

    async def manifest(self, tenant: TenantId) -> dict[str, Any]:
        """Return what whoever takes the company in must know first; refuse one that works here still."""
        record = await self._record(tenant)
        if record.data.get(PIN) != MOVED_AWAY:
            raise InvalidInput("tenant", "not frozen", "keyfleet tenant freeze first")
        if self.clock.now() < (until := await self._rested(tenant)):
            remedy = f"wait until {instant_to_text(until)}: what was begun before ends by then"
            raise InvalidInput("tenant", "frozen just now", remedy)
        return {
            "from": self.cell,
            "to": record.data[MOVED_TO],
            "record": stayed(record.data),
            "audit": self._audit(tenant),
        }

    async def boxes(self, tenant: TenantId, key: bytes, after: Place) -> dict[str, Any]:
        """Return the next of what is sealed or proves people, each opened and sealed for a key."""
        await self.manifest(tenant)
        box, rows = SealedBox(PublicKey(key)), self.tenancy.engine.read(_ROWS, (tenant, *after, PAGE))
        found = [_Row(tenant, *row) for row in rows]
        told = [each.boxed(box, self.cipher) for each in found if each.is_boxed]
        if len(rows) == PAGE:
            return {"boxes": told, "next": found[-1].place}
        return {
            "boxes": [*told, *[await self._secret(each, box) for each in self._secrets(tenant)]],
            "next": None,
        }

    def set_aside(
        self, tenant: TenantId, key: bytes, letters: Iterable[ParkedMessage]
    ) -> list[dict[str, Any]]:
        """Return what came for a company since it was frozen, each event once, sealed for a key."""
        box, events = SealedBox(PublicKey(key)), dict[str, dict[str, Any]]()
        for letter in letters:
            if (told := _told_to(tenant, letter)) is not None:
                events.setdefault(told["id"], told)
        return [
            {"db": "events", "collection": "events", "id": id_, "box": _shut(box, told)}
            for id_, told in events.items()
        ]

    def _secrets(self, tenant: TenantId) -> list[str]:
        return sorted({name for name, _ in self.tenancy.secrets_of(tenant)})

    async def _secret(self, name: str, box: "SealedBox[PublicKey]") -> dict[str, Any]:
        value = (await self.tenancy.secrets.latest(name)).value
        place = {"db": "secrets", "collection": "secrets", "id": name}
        inside = {**place, "value": base64.b64encode(value.reveal()).decode()}
        return {**place, "box": _shut(box, inside)}

    async def _record(self, tenant: TenantId) -> Document:
        self.tenancy.standing(tenant)
        found = await self.tenancy.main.tenant(tenant).get(RECORD)
        if found is None or found.data.get(PIN) not in (self.cell, MOVED_AWAY):
            raise InvalidInput("tenant", "not a company of this cell", "name one: keyfleet status")
        return found

    async def _rested(self, tenant: TenantId) -> datetime:
        record = await self._record(tenant)
        return instant_from_text(str(record.data[MOVED_AT]), MOVED_AT) + REST

    async def _log_held(self, tenant: TenantId) -> list[Update]:
        """Return what lets whoever is closing a day of its log find that it changed: that may take long."""
        found = await self.tenancy.main.tenant(tenant).get(Ref(LOGS, OF_TENANT))
        return [] if found is None else [Update(found.ref, found.data, found.version)]

    def _check_unhindered(self, tenant: TenantId) -> None:
        for database, collection, remedy in _HINDERING:
            now = micros(self.clock.now())
            ((many,),) = self.tenancy.engine.read(_UNDER_WAY, (database, tenant, collection, now))
            if many:
                what, _, how = remedy.partition(": ")
                raise InvalidInput("tenant", what, how)

    def _audit(self, tenant: TenantId) -> dict[str, Any] | None:
        """Return where the company's log stands, which goes on in the other cell; None if it never began."""
        logs = [orjson.loads(body) for (body,) in self.tenancy.engine.read(_LOG, (tenant,))]
        if not logs or not logs[0]["closed_at"]:
            return None
        log = logs[0]
        late = self._late(tenant, log["date"])
        if late:
            remedy = (
                "thaw the company, have its log closed once more, keyfleet audit anchor, and freeze it again"
            )
            raise InvalidInput("tenant", f"{len(late)} streams were told of late", remedy)
        return {name: log[name] for name in ("origin", "date", "size", "root", "keys")}

    def _late(self, tenant: TenantId, date: str) -> list[str]:
        """Return the streams of which the log lacks something of the days that it closed."""
        told = dict(_numbered(id_) for (id_,) in self.tenancy.engine.read(_TOLD, (tenant, date)))
        kept = {id_: orjson.loads(body)["head"] for id_, body in self.tenancy.engine.read(_HEADS, (tenant,))}
        return [each for each, head in kept.items() if head and told.get(each, 0) > head["sequence"]]


@dataclass(frozen=True, slots=True)
class _Row:
    tenant: TenantId
    db: str
    collection: str
    id: str
    body: bytes
    expires: int | None

    @property
    def place(self) -> Place:
        return self.db, self.collection, self.id

    @property
    def is_boxed(self) -> bool:
        """Say whether it goes sealed: what lay sealed here, and what somebody could sign in by."""
        if self.collection in AUDIT or self.db == "sealed":
            return self.collection not in AUDIT | NOT_OPENED
        return self.collection in PROOFS_OF_PEOPLE or f'"{_SEALED_BEGINS}' in str(self.body)

    def boxed(self, box: "SealedBox[PublicKey]", cipher: LocalCipher) -> dict[str, Any]:
        data, place = orjson.loads(self.body), {"db": self.db, "collection": self.collection, "id": self.id}
        inside = {
            **place,
            "expires": instant_of(self.expires),
            "data": data,
            "opened": [self._opened(path, raw, cipher) for path, raw in _sealed_in(data)],
        }
        return {**place, "box": _shut(box, inside)}

    def _opened(self, path: Sequence[str | int], raw: bytes, cipher: LocalCipher) -> dict[str, Any]:
        purpose = cipher.keyring.purpose_of(HEADER.unpack_from(raw)[1]) or "unknown"
        for record in (f"{self.collection}/{self.id}", self.id):
            for field in FIELDS:
                try:
                    plain = cipher.unseal(purpose, (purpose, self.tenant, record, field), raw).reveal()
                except SealBroken:
                    continue
                told = {"path": [*path], "purpose": purpose, "record": record, "field": field}
                return {**told, "plain": base64.b64encode(plain).decode()}
        raise SealBroken(f"a value of {self.collection} opens in no context of its record")


def stayed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a company's record without what a move notes in it."""
    return {name: each for name, each in record.items() if name not in (MOVED_TO, MOVED_AT, EXPORTED)}


def _numbered(row: str) -> tuple[str, int]:
    stream, _, number = row.rpartition(".")
    return stream, int(number)


def _told_to(tenant: TenantId, letter: ParkedMessage) -> dict[str, Any] | None:
    """Return an event that was refused because its company moved; None for any other message."""
    if ELSEWHERE not in letter.notes.get("reason", ""):
        return None
    event, ours = orjson.loads(letter.data), letter.attributes
    if event.get("tenantId") != tenant:
        return None
    return {
        "db": "events",
        "collection": "events",
        "id": event["id"],
        "topic": event["subject"],
        "data": base64.b64encode(letter.data).decode(),
        "attributes": {name: each for name, each in ours.items() if name not in letter.notes},
        "ordering_key": letter.ordering_key,
    }


def _shut(box: "SealedBox[PublicKey]", inside: Mapping[str, Any]) -> str:
    return base64.b64encode(box.encrypt(orjson.dumps(inside))).decode()


def _sealed_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], bytes]]:
    """Yield what is sealed anywhere in a document, and where."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _sealed_in(each, (*path, name))
    elif isinstance(value, list):
        for number, each in enumerate(value):
            yield from _sealed_in(each, (*path, number))
    elif isinstance(value, str) and value.startswith(_SEALED_BEGINS):
        raw = base64.b64decode(value)
        if raw.startswith(MAGIC) and len(raw) > HEADER.size:
            yield path, raw
