"""A desk's ledger: every key is written before its card is, and every change with what the cloud is to
hear of it.

1. `begin` writes the key, pending, under its claim. A claim that is known returns what became of it, so
   that nothing is begun twice; one that is begun and not over is what a crash left, and the card is looked
   at before it is redone.
2. The card is encoded.
3. `finish` writes the key's new state and its row of the outbox, in one commit.
4. The rows go to the cloud in order. `sent` marks them; `confirmed` notes the cloud's id and wipes the
   reference.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from edge_agent.ledger.chain import LocalFact, OutboxRow, check
from edge_agent.ledger.desk_tables import JobTable, SettingTable
from edge_agent.ledger.errors import StaleKey, UnknownWork
from edge_agent.ledger.file import destroy_file, open_file
from shared.domain.credential import KeyCredential
from shared.domain.documents import from_document, to_document
from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import name_of
from shared.domain.secret import Secret
from shared.offline.chain import GENESIS, NO_SECRET, commitment, link
from shared.ports.ambient import Entropy

_T = TypeVar("_T")
SALT_BYTES: Final = 16
CARD_NUMBER: Final = "card_number"
COLUMNS: Final = "sequence, at, subject, key_id, body, salt, secret, commitment, hash, sent"


@dataclass(frozen=True, slots=True)
class Work:
    """What became of a claim: its step, and its key as it stands."""

    claim: str
    step: str
    key: KeyCredential


class DeskLedger:
    """The ledger, open; it is used from one thread."""

    def __init__(self, path: Path, key: Secret[bytes], entropy: Entropy) -> None:
        self._path, self._entropy = path, entropy
        self._db = open_file(path, key)
        self.jobs = JobTable(self._db, self._commit)
        self.settings = SettingTable(self._db, self._commit)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def wipe(self) -> None:
        """Forget everything: the desk is paired anew, or given away."""
        self.close()
        destroy_file(self._path)

    def begin(
        self, claim: str, key: KeyCredential, at: datetime, secret: Secret[str] | None = None
    ) -> Work | None:
        """Write a key that is about to be made; return what is known where the claim was begun before."""
        with self._commit():
            known = self._work(claim)
            if known is None:
                self._insert(key)
                self._db.execute(
                    "INSERT INTO work VALUES (?, ?, 'begun', ?)", (claim, str(key.id), at.isoformat())
                )
                self._keep(str(key.id), secret)
        return known

    def finish(self, claim: str, key: KeyCredential, fact: LocalFact) -> int:
        """Write how a begun claim ended, with its row; return the row's sequence."""
        with self._commit():
            work = self._work(claim)
            if work is None or work.step != "begun" or work.key.id != key.id:
                raise UnknownWork("nothing of this claim is under way")
            self._update(key, work.key.version)
            step = "failed" if name_of(type(key.state)) == "failed" else "done"
            self._db.execute("UPDATE work SET step = ? WHERE claim = ?", (step, claim))
            return self._append(fact)

    def change(self, key: KeyCredential, was: int, fact: LocalFact) -> int:
        """Write a change of a key that stood at a version, with its row."""
        with self._commit():
            self._update(key, was)
            return self._append(fact)

    def tell(self, fact: LocalFact) -> int:
        """Write a row that changes no key: an attempt, a session."""
        with self._commit():
            return self._append(fact)

    def number_card(self, key_id: str, drawn: int) -> int:
        """Give a key's next card its number, in milliseconds: as drawn, but above all that went before.

        A clock that was set back must not make a card that its door refuses, nor leave a lost one open.
        """
        number = self.settings.count(CARD_NUMBER, max(drawn, self.jobs.highest_number() + 1))
        with self._commit():
            self._db.execute(
                "INSERT INTO cards VALUES (?, ?) ON CONFLICT (key_id) DO UPDATE SET number = excluded.number",
                (key_id, number),
            )
        return number

    def card_of(self, key_id: str) -> int | None:
        """Return the number of a key's newest card, written or begun: no other is this key's."""
        row = self._one("SELECT number FROM cards WHERE key_id = ?", (key_id,))
        return None if row is None else int(row[0])

    def keep_secret(self, key_id: str, secret: Secret[str] | None) -> None:
        """Keep another PIN of a key, in place of the one before."""
        with self._commit():
            self._keep(key_id, secret)

    def secret_of(self, key_id: str) -> Secret[str] | None:
        """Return a key's PIN, until the cloud has the key."""
        row = self._one("SELECT value FROM secrets WHERE key_id = ?", (key_id,))
        return None if row is None else Secret(row[0])

    def known(self, claim: str) -> Work | None:
        """Return what became of a claim, if it was begun."""
        return self._work(claim)

    def keys_in(self, state: str) -> list[KeyCredential]:
        """Return the keys in a state, oldest first."""
        rows = self._all("SELECT document FROM keys WHERE state = ? ORDER BY id", (state,))
        return [from_document(KeyCredential, json.loads(document)) for (document,) in rows]

    def key(self, key_id: str) -> KeyCredential | None:
        """Return a key by its local id."""
        row = self._one("SELECT document FROM keys WHERE id = ?", (key_id,))
        return None if row is None else from_document(KeyCredential, json.loads(row[0]))

    def left(self) -> list[Work]:
        """Return what was begun and is not over: after a crash, each is looked into before anything else."""
        claims = self._all("SELECT claim FROM work WHERE step = 'begun' ORDER BY at, claim")
        return [work for (claim,) in claims if (work := self._work(claim)) is not None]

    def unsent(self, limit: int = 100) -> list[OutboxRow]:
        """Return the rows the cloud has not acknowledged, oldest first."""
        return self._rows(f"SELECT {COLUMNS} FROM outbox WHERE sent = 0 ORDER BY sequence LIMIT ?", (limit,))  # noqa: S608 - our own columns

    def sent(self, upto: int) -> None:
        """Mark the rows up to a sequence as acknowledged."""
        with self._commit():
            self._db.execute("UPDATE outbox SET sent = 1 WHERE sent = 0 AND sequence <= ?", (upto,))

    def confirmed(self, key_id: str, server_id: str) -> None:
        """Note the cloud's id of a key, and wipe what only had to travel once."""
        self.heard(0, {key_id: server_id})

    def heard(self, upto: int, keys: Mapping[str, str]) -> None:
        """Note up to which row the cloud has heard, and its ids of keys; wipe what had to travel once."""
        with self._commit():
            self._db.execute("UPDATE outbox SET sent = 1 WHERE sent = 0 AND sequence <= ?", (upto,))
            for key_id, server_id in keys.items():
                self._db.execute("UPDATE keys SET server_id = ? WHERE id = ?", (server_id, key_id))
                self._keep(key_id, None)
                self._db.execute(
                    "UPDATE outbox SET secret = NULL, salt = NULL WHERE key_id = ? AND sent = 1", (key_id,)
                )
        if keys:
            # The log is folded in and cut, so that the wiped bytes leave it too.
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()

    def forget(self, before: datetime) -> None:
        """Forget the jobs and keys that were over by then, and of which the cloud has heard all.

        The outbox stays whole: it is the chain that says what this desk ever did.
        """
        over = (
            "SELECT id FROM keys WHERE json_extract(document, '$.core.window.end') < ?"
            " AND id NOT IN (SELECT key_id FROM outbox WHERE sent = 0)"
            " AND id NOT IN (SELECT key_id FROM work WHERE step = 'begun')"
        )
        with self._commit():
            self.jobs.forget(instant_to_text(before))
            gone = [id_ for (id_,) in self._all(over, (instant_to_text(before),))]
            for table in ("secrets", "cards", "work", "keys"):
                name = "id" if table == "keys" else "key_id"
                self._db.executemany(f"DELETE FROM {table} WHERE {name} = ?", [(id_,) for id_ in gone])  # noqa: S608 - our own tables

    def server_id(self, key_id: str) -> str | None:
        """Return the cloud's id of a key, once it is known."""
        row = self._one("SELECT server_id FROM keys WHERE id = ?", (key_id,))
        return None if row is None else row[0]

    def verify(self) -> bytes:
        """Walk the chain and return its last hash, or raise ChainBroken."""
        return check(self._rows(f"SELECT {COLUMNS} FROM outbox ORDER BY sequence"))  # noqa: S608 - our own columns

    @contextmanager
    def _commit(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _work(self, claim: str) -> Work | None:
        query = "SELECT step, document FROM work JOIN keys ON keys.id = key_id WHERE claim = ?"
        row = self._one(query, (claim,))
        return None if row is None else Work(claim, row[0], from_document(KeyCredential, json.loads(row[1])))

    def _insert(self, key: KeyCredential) -> None:
        row = (str(key.id), key.version, name_of(type(key.state)), json.dumps(to_document(key)))
        self._db.execute("INSERT INTO keys (id, version, state, document) VALUES (?, ?, ?, ?)", row)

    def _keep(self, key_id: str, secret: Secret[str] | None) -> None:
        self._db.execute("DELETE FROM secrets WHERE key_id = ?", (key_id,))
        if secret is not None:
            self._db.execute("INSERT INTO secrets VALUES (?, ?)", (key_id, secret.reveal()))

    def _update(self, key: KeyCredential, was: int) -> None:
        row = (key.version, name_of(type(key.state)), json.dumps(to_document(key)), str(key.id), was)
        done = self._db.execute(
            "UPDATE keys SET version = ?, state = ?, document = ? WHERE id = ? AND version = ?", row
        )
        if done.rowcount != 1:
            raise StaleKey("the key changed meanwhile: read it again")

    def _append(self, fact: LocalFact) -> int:
        last = self._one("SELECT sequence, hash FROM outbox ORDER BY sequence DESC LIMIT 1")
        sequence, previous = (last[0] + 1, last[1]) if last else (1, GENESIS)
        salt = self._entropy.token(SALT_BYTES) if fact.secret else None
        secret = fact.secret.reveal() if fact.secret else None
        committed = commitment(salt or NO_SECRET, secret or NO_SECRET)
        told = (fact.at.isoformat(), fact.subject, fact.key_id, fact.body)
        row = (sequence, *told, salt, secret, committed, link(previous, sequence, told, committed))
        self._db.execute(f"INSERT INTO outbox ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)", row)  # noqa: S608 - our own columns
        return sequence

    def _rows(self, query: str, values: tuple[Any, ...] = ()) -> list[OutboxRow]:
        return [_row(*columns) for columns in self._all(query, values)]

    def _all(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        return list(self._db.execute(query, values).fetchall())

    def _one(self, query: str, values: tuple[Any, ...] = ()) -> Any:
        return self._db.execute(query, values).fetchone()


class LedgerDoor(Protocol):
    """The ledger, as everything but its thread sees it."""

    async def run(self, work: Callable[[DeskLedger], _T]) -> _T:
        """Do some work with the ledger; once begun it is done, whoever stops waiting."""

    async def close(self) -> None:
        """Close the ledger after what is under way."""


class LedgerThread:
    """The ledger for asyncio: one thread has it, and work is done there in turn."""

    def __init__(self, path: Path, key: Secret[bytes], entropy: Entropy) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ledger")
        self._ledger = self._thread.submit(DeskLedger, path, key, entropy).result()

    async def run(self, work: Callable[[DeskLedger], _T]) -> _T:
        """Do some work with the ledger; once begun it is done, whoever stops waiting."""
        running = asyncio.get_running_loop().run_in_executor(self._thread, work, self._ledger)
        return await asyncio.shield(running)

    async def close(self) -> None:
        """Close the ledger after what is under way."""
        await self.run(DeskLedger.close)
        self._thread.shutdown()


def _row(*columns: Any) -> OutboxRow:
    sequence, at, subject, key_id, body, salt, secret, committed, hashed, sent = columns
    return OutboxRow(
        sequence, at, subject, key_id, body, _hidden(salt), _hidden(secret), committed, hashed, bool(sent)
    )


def _hidden(value: bytes | None) -> Secret[bytes] | None:
    return None if value is None else Secret(value)
