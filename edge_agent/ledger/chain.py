"""The outbox as a chain: each row hashes the last, so that none is altered, removed or put in unseen.

    commitment = SHA-256(salt | secret)
    hash       = SHA-256(previous hash | sequence | time | subject | key | body | commitment)

A secret and its salt can be wiped once the cloud has them, and the chain still holds.
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from edge_agent.ledger.errors import ChainBroken
from shared.domain.secret import Secret

GENESIS: Final = bytes(32)
NO_SECRET: Final = b""


@dataclass(frozen=True, slots=True)
class LocalFact:
    """What happened at the desk: its document's bytes, and what travels beside them only once."""

    subject: str
    key_id: str
    at: datetime
    body: bytes
    secret: Secret[bytes] | None = None


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A fact in its place in the chain."""

    sequence: int
    at: str
    subject: str
    key_id: str
    body: bytes
    salt: Secret[bytes] | None
    secret: Secret[bytes] | None
    commitment: bytes
    hash: bytes
    sent: bool


def commitment(salt: bytes, secret: bytes) -> bytes:
    """Return what stands in the chain for a secret."""
    return hashlib.sha256(salt + secret).digest()


def link(previous: bytes, sequence: int, fact: tuple[str, str, str, bytes], committed: bytes) -> bytes:
    """Return a row's hash; each part is told with its length, so that no two rows read alike."""
    at, subject, key_id, body = fact
    parts = (
        previous,
        str(sequence).encode(),
        at.encode(),
        subject.encode(),
        key_id.encode(),
        body,
        committed,
    )
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()


def check(rows: list[OutboxRow]) -> bytes:
    """Walk a chain from its beginning and return its last hash, or raise ChainBroken."""
    previous = GENESIS
    for expected, row in enumerate(rows, 1):
        if row.sequence != expected:
            raise ChainBroken(expected, "a row is missing")
        fact = (row.at, row.subject, row.key_id, row.body)
        if row.hash != link(previous, row.sequence, fact, row.commitment):
            raise ChainBroken(row.sequence, "its hash does not follow from the row before")
        if row.salt and row.secret and row.commitment != commitment(row.salt.reveal(), row.secret.reveal()):
            raise ChainBroken(row.sequence, "its secret is not the one it was written with")
        previous = row.hash
    return previous
