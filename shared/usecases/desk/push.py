"""A desk's outbox, heard row by row (A §9.2, B §7): each proved, acted upon, then counted.

1. A row that was counted before is passed over; one that does not follow from the last is refused, and the
   desk is told which one is wanted. So a push that broke off goes on where it ended.
2. What the row tells is proved and done, which is idempotent by the key's own name.
3. One commit keeps the row without its secret, and counts it. A crash before it does 2 once more.

| the row | | |
|---|---|---|
| is not the desk's own: the chain, a second history, the signature | somebody is called | stops the outbox |
| is its own, and breaks its bounds | somebody is called, once; nothing of it is done | is kept and counted |
| is dated ahead of our clock | somebody is called; it is done as of now | is kept and counted |
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import credential_id
from shared.domain.lifecycle import name_of
from shared.domain.secret import Secret
from shared.keywork.orders import Order, end_key
from shared.keywork.services import retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.key_record import Cause
from shared.ledger.ledger import Ledger
from shared.offline.chain import GENESIS, NO_SECRET, commitment, link
from shared.offline.rows import FORKED, ISSUED, READ, REFUSED, REVOKED
from shared.ports.documents import Create, Ref
from shared.usecases.desk.desk_facts import (
    FactRefused,
    MadeAlone,
    ReadAtLock,
    WithdrawnAlone,
    prove,
)
from shared.usecases.desk.desks import KnownDesk
from shared.usecases.desk.local_keys import local_key
from shared.usecases.desk.reconcile import reconcile
from shared.usecases.desk.services import DeskRefused, DeskServices
from shared.usecases.devices.hear_reading import LockReading, hear_reading

ROWS: Final = "desk_rows"
REFUSED_ROW: Final = "refused: "
MOST: Final = 25
"""Rows in one push: each may cost a dozen writes, and a push ends within its time."""
Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PushedRow:
    """A row as the desk tells it."""

    sequence: int
    at: str
    subject: str
    key_id: str
    body: bytes
    commitment: bytes
    hash: bytes
    salt: bytes = field(default=b"", repr=False)
    secret: bytes = field(default=b"", repr=False)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read a row, or refuse its form."""
        try:
            at, subject, key_id, body = (str(told[name]) for name in ("at", "subject", "keyId", "body"))
            committed, hashed, salt, secret = (
                base64.b64decode(told.get(name, ""), validate=True)
                for name in ("commitment", "hash", "salt", "secret")
            )
            sequence = int(told["sequence"])
            return cls(sequence, at, subject, key_id, body.encode(), committed, hashed, salt, secret)
        except (KeyError, TypeError, ValueError):
            raise InvalidInput("rows", "not rows of an outbox", "send each as the desk keeps it") from None

    @property
    def told(self) -> Json:
        """What it tells."""
        try:
            told = json.loads(self.body)
        except ValueError:
            told = None
        if not isinstance(told, dict):
            raise FactRefused("malformed")
        return told

    def follows(self, previous: bytes) -> bool:
        """Say whether it follows from the row before, with the secret that it was written with."""
        fact = (self.at, self.subject, self.key_id, self.body)
        whole = self.hash == link(previous, self.sequence, fact, self.commitment)
        hidden = self.commitment == commitment(self.salt or NO_SECRET, self.secret or NO_SECRET)
        return whole and (hidden or not self.secret)


async def push(desk: KnownDesk, body: Mapping[str, Any], on: DeskServices) -> Json:
    """Hear a desk's rows, and return up to which one all are heard, and which keys they became."""
    rows = body.get("rows")
    if not isinstance(rows, list) or len(rows) > MOST:
        raise InvalidInput("rows", f"not a list of at most {MOST}", "send them in the order of their numbers")
    keys: dict[str, Json] = {}
    for row in map(PushedRow.of, rows):
        if row.sequence <= desk.record.pushed:
            _check_known(row, desk, on)
        elif row.sequence == desk.record.pushed + 1:
            desk = await _heard(row, desk, on)
        else:
            break
        if row.key_id:
            keys[row.key_id] = await _standing(row, desk, on)
    return {"heard": desk.record.pushed, "keys": keys}


async def _heard(row: PushedRow, desk: KnownDesk, on: DeskServices) -> KnownDesk:
    previous = bytes.fromhex(desk.record.head) if desk.record.head else GENESIS
    if not row.follows(previous):
        raise _alarmed("chain", row, desk, on)
    told, reference = _proven(row, desk, on)
    try:
        outcome = await _done(row, told, reference, desk, on)
    except FactRefused as refusal:
        _somebody_called(refusal.reason, row, desk, on)
        outcome = f"{REFUSED_ROW}{refusal.reason}"
    record = replace(desk.record, pushed=row.sequence, head=row.hash.hex())
    kept = {
        "schema_version": 1,
        "at": row.at,
        "subject": row.subject,
        "key": row.key_id,
        "body": row.body.decode(),
        "hash": row.hash.hex(),
        "outcome": outcome,
    }
    (_, version) = await desk.store.commit([Create(_place_of(row, desk), kept), record.write()])
    return replace(desk, record=record.as_found(version))


def _place_of(row: PushedRow, desk: KnownDesk) -> Ref:
    return Ref(ROWS, f"{desk.record.id}.{row.sequence:08d}")


def _proven(row: PushedRow, desk: KnownDesk, on: DeskServices) -> tuple[Json, Secret[str] | None]:
    """Return what a row tells, proved to be the desk's own."""
    try:
        told, reference = row.told, Secret(row.secret.decode()) if row.secret else None
        prove(told, reference, desk.record.public)
    except (FactRefused, UnicodeDecodeError):
        raise _alarmed("signature", row, desk, on) from None
    return told, reference


async def _done(
    row: PushedRow, told: Json, reference: Secret[str] | None, desk: KnownDesk, on: DeskServices
) -> str:
    """Do what a row tells, and say in a word what came of it."""
    if row.subject == ISSUED:
        return await _reconciled(MadeAlone.of(told, reference or Secret("")), desk, on)
    if row.subject == REVOKED:
        return await _withdrawn(WithdrawnAlone.of(told), desk, on)
    if row.subject == READ:
        return await _lock_read(ReadAtLock.of(told).by(on.now), desk, on)
    reason = str(told.get("reason", ""))[:40]
    if row.subject == FORKED:
        seen = {"tenant": desk.tenant, "device": desk.record.id, "reason": reason}
        on.keys.log.alert("a desk remembers another audit log of the cell", runbook="audit/anchor", **seen)
        return "alarmed"
    if row.subject == REFUSED:
        on.keys.log.info("a desk refused a key", device=desk.record.id, reason=reason, sequence=row.sequence)
    return "noted"


async def _reconciled(made: MadeAlone, desk: KnownDesk, on: DeskServices) -> str:
    broken = made.why_not(desk.record, on.now)
    if broken is not None:
        raise FactRefused(broken)
    if made.ahead(on.now):
        seen = {"tenant": desk.tenant, "device": desk.record.id}
        on.keys.log.alert("a desk's clock is ahead of ours", runbook="desk/clock", **seen)
    key = await retry_on_conflict(lambda: reconcile(made.by(on.now), desk, on))
    return "unknown_stay" if key is None else "reconciled"


async def _withdrawn(gone: WithdrawnAlone, desk: KnownDesk, on: DeskServices) -> str:
    ledger = Ledger(desk.store, on.keys.ids)
    known = await local_key(gone.key, desk.store)
    try:
        key = known.key if known else credential_id(gone.key)
    except InvalidInput:
        raise FactRefused("malformed") from None

    async def ended() -> bool:
        entry = await ledger.entry(key)
        if entry is None or entry.credential.core.property_id != desk.record.property_id:
            return False
        order = Order(Cause(entry.cause.trace_id), on.now)
        change = end_key(entry, await ledger.grants(entry), gone.reason, order)
        if change is not None:
            await begin_work(await ledger.save(change), ledger, on.keys)
        return True

    return "withdrawn" if await retry_on_conflict(ended) else "unknown_key"


async def _lock_read(read: ReadAtLock, desk: KnownDesk, on: DeskServices) -> str:
    """Keep what a desk read of one of its property's locks."""
    setup = await on.keys.hotels.premises(desk.tenant, desk.record.property_id)
    locks = (each for each in setup.of_vendor(read.vendor) if each.vendor_device == read.vendor_device)
    lock = next(locks, None)
    reading = LockReading(read.at, read.battery, read.skew_ms, read.clock_set)
    known = lock is not None and await hear_reading(lock, reading, desk.store, on.keys)
    return "kept" if known else "unknown_lock"


async def _standing(row: PushedRow, desk: KnownDesk, on: DeskServices) -> Json:
    """Return which key of the ledger a desk's key is, and how it stands; one that was refused failed."""
    known = await local_key(row.key_id, desk.store)
    entry = None if known is None else await Ledger(desk.store, on.keys.ids).entry(known.key)
    if known is None or entry is None:
        kept = await desk.store.get(_place_of(row, desk))
        refused = kept is not None and str(kept.data["outcome"]).startswith(REFUSED_ROW)
        return {"keyCredentialId": None, "state": "failed" if refused else None}
    return {"keyCredentialId": known.key, "state": name_of(type(entry.credential.state))}


def _check_known(row: PushedRow, desk: KnownDesk, on: DeskServices) -> None:
    """Refuse another row under the last number that was counted: one desk has one history."""
    if row.sequence == desk.record.pushed and row.hash.hex() != desk.record.head:
        raise _alarmed("forked", row, desk, on)


def _alarmed(reason: str, row: PushedRow, desk: KnownDesk, on: DeskServices) -> DeskRefused:
    _somebody_called(reason, row, desk, on)
    return DeskRefused(f"row_{reason}")


def _somebody_called(reason: str, row: PushedRow, desk: KnownDesk, on: DeskServices) -> None:
    on.keys.log.alert(
        "a desk's outbox is not to be believed",
        runbook="desk/outbox",
        tenant=desk.tenant,
        device=desk.record.id,
        reason=reason,
        sequence=row.sequence,
    )
