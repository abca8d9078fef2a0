"""The outbox's rows, and the walk that finds their chain broken (formulas: `shared/offline/chain.py`)."""

from dataclasses import dataclass
from datetime import datetime

from edge_agent.ledger.errors import ChainBroken
from shared.domain.secret import Secret
from shared.offline.chain import GENESIS, commitment, link


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
