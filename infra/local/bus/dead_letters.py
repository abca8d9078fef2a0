"""Messages set aside: dead letters, quarantine, what is kept; listed, replayed to their source, discarded."""

import contextlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from infra.local.bus.envelope import decode_payload
from infra.local.bus.routing import Routing
from infra.local.bus.rows import MESSAGE_COLUMNS, Route, StoredMessage, insert, loaded
from infra.local.delivery.instants import instant, micros, rfc3339
from infra.local.delivery.parts import DeliveryParts
from infra.local.delivery.payloads import Payloads
from shared.ports.dead_letters import (
    GOOGLE,
    REASON,
    MalformedId,
    ParkedMessage,
    ReplayRefused,
)
from shared.ports.vault import SealBroken

AT_ONCE = 500
LIST = f"""SELECT {MESSAGE_COLUMNS} FROM bus_message
    WHERE parked > 0 AND id > ? AND (? IS NULL OR topic = ?) AND (? IS NULL OR source = ?)
    ORDER BY id LIMIT ?"""  # noqa: S608 - constants only
COUNT = """SELECT count(*) FROM bus_message
    WHERE parked = 1 AND (? IS NULL OR topic = ?) AND (? IS NULL OR source = ?)"""
SELECT_SOURCES = """SELECT id, source FROM bus_message
    WHERE parked = 1 AND (? IS NULL OR topic = ?) AND (? IS NULL OR source = ?)
    ORDER BY coalesce(origin, id), id"""
SELECT_KEPT = "SELECT id, source FROM bus_message WHERE id = ? AND parked = 2"
READ_PARKED = f"SELECT {MESSAGE_COLUMNS} FROM bus_message WHERE id = ? AND parked = 1"  # noqa: S608 - constants
DISCARD = "DELETE FROM bus_message WHERE id = ? AND parked > 0"

EXPIRE = "DELETE FROM bus_message WHERE parked = 1 AND published_at < ?"
KEEP_MOST = """DELETE FROM bus_message WHERE parked = 1 AND id <= (
    SELECT id FROM bus_message WHERE parked = 1 ORDER BY id DESC LIMIT 1 OFFSET ?)"""


def dead_letter_notes(
    project: str, subscription: str, message: StoredMessage, attempts: int, reason: str
) -> dict[str, str]:
    """Return the attributes Google adds to a dead letter, and our reason."""
    return {
        f"{GOOGLE}Subscription": subscription,
        f"{GOOGLE}SubscriptionProject": project,
        f"{GOOGLE}DeliveryCount": str(attempts),
        f"{GOOGLE}TopicPublishTime": rfc3339(message.published_at),
        REASON: reason,
    }


class DeadLetters:
    """Everything on parked topics."""

    def __init__(
        self, means: DeliveryParts, routing: Routing, look_again: Callable[[Sequence[str]], None]
    ) -> None:
        self._engine, self._payloads = means.engine, means.payloads
        self._routing, self._look_again = routing, look_again

    def page(
        self, *, topic: str | None = None, subscription: str | None = None, after: str = "0", limit: int = 100
    ) -> tuple[ParkedMessage, ...]:
        """Return messages in the order they were set aside, from beyond the id `after`."""
        rows = self._engine.read(LIST, (_number(after), topic, topic, subscription, subscription, limit))
        return tuple(_parked(loaded(row), self._payloads) for row in rows)

    def count(self, *, topic: str | None = None, subscription: str | None = None) -> int:
        """Return how many wait for a person."""
        rows = self._engine.read(COUNT, (topic, topic, subscription, subscription))
        return int(rows[0][0])

    async def replay(
        self, ids: Sequence[str] | None = None, *, topic: str | None = None, subscription: str | None = None
    ) -> int:
        """Deliver again, in the order of publishing, to the source alone, as if for the first time.

        Many are moved in several commits: after a crash the rest is still listed.
        """
        chosen = self._chosen(ids, topic, subscription)
        targets = {row: self._target(row, source) for row, source in chosen}
        for start in range(0, len(chosen), AT_ONCE):
            batch = {row: targets[row] for row, _ in chosen[start : start + AT_ONCE]}
            await self._engine.write(partial(_replay_all, batch))
            self._look_again([target.subscription for target in batch.values()])
        return len(chosen)

    async def discard(self, ids: Sequence[str]) -> int:
        """Delete for ever; return how many there were."""
        return await self._engine.write(partial(_discard_all, [_number(identity) for identity in ids]))

    async def expire(self, before: datetime, most: int) -> int:
        """Delete what nobody looked at in time, and of too many the oldest; return how many."""
        return await self._engine.write(partial(_expire, micros(before), most))

    def _chosen(
        self, ids: Sequence[str] | None, topic: str | None, subscription: str | None
    ) -> list[tuple[int, str | None]]:
        """Return what is to be replayed; what is kept for a function to come only where it is named."""
        rows = self._engine.read(SELECT_SOURCES, (topic, topic, subscription, subscription))
        if ids is None:
            return rows
        wanted = {_number(identity) for identity in ids}
        kept = [row for each in sorted(wanted) for row in self._engine.read(SELECT_KEPT, (each,))]
        return [*(row for row in rows if row[0] in wanted), *kept]

    def _target(self, row: int, source: str | None) -> "_Target":
        spec = self._routing.subscriptions.get(source or "")
        if spec is None:
            raise ReplayRefused(
                f"message {row} came from {source or 'no named subscription'}, which is not in the manifest: "
                "bring the subscription back, or discard the message"
            )
        return _Target(spec.name, spec.topic, spec.ordered)


@dataclass(frozen=True, slots=True)
class _Target:
    subscription: str
    topic: str
    ordered: bool

    def route(self, ordering_key: str) -> Route:
        return Route(self.subscription, ordering_key if self.ordered else "")


def _parked(message: StoredMessage, payloads: Payloads) -> ParkedMessage:
    kept, attributes = decode_payload(message.payload)
    data = b""
    with contextlib.suppress(SealBroken):  # its key was lost with the key file: the notes are all there is
        data = payloads.open(kept)
    origin_at = message.published_at if message.origin_at is None else message.origin_at
    return ParkedMessage(
        id=str(message.id),
        topic=message.topic,
        subscription=message.source,
        reason=message.notes.get(REASON) or message.notes.get("reason", ""),
        notes=message.notes,
        message_id=str(message.id if message.origin is None else message.origin),
        ordering_key=message.ordering_key,
        published_at=instant(origin_at),
        parked_at=instant(message.published_at),
        attributes=attributes,
        data=data,
    )


def _replay_all(targets: Mapping[int, _Target], connection: sqlite3.Connection) -> None:
    for row, target in targets.items():
        found = connection.execute(READ_PARKED, (row,)).fetchone()
        if found is not None:
            connection.execute(DISCARD, (row,))
            _restore(connection, loaded(found), target)


def _restore(connection: sqlite3.Connection, letter: StoredMessage, target: _Target) -> None:
    """Put the message back as it was published; where it still exists for others, only deliver it again."""
    identity = letter.id if letter.origin is None else letter.origin
    published_at = letter.published_at if letter.origin_at is None else letter.origin_at
    message = StoredMessage(target.topic, published_at, letter.ordering_key, letter.payload, id=identity)
    insert(connection, message, [target.route(letter.ordering_key)])


def _number(identity: str) -> int:
    if not identity.isascii() or not identity.isdecimal():
        raise MalformedId(f"{identity[:60]!r} is not the id of a message: take it from the list")
    return int(identity)


def _expire(before: int, most: int, connection: sqlite3.Connection) -> int:
    return connection.execute(EXPIRE, (before,)).rowcount + connection.execute(KEEP_MOST, (most,)).rowcount


def _discard_all(rows: Sequence[int], connection: sqlite3.Connection) -> int:
    return sum(connection.execute(DISCARD, (row,)).rowcount for row in rows)
