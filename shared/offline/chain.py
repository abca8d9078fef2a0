"""A desk's outbox as a chain: each row hashes the last, so that none is altered, removed or put in unseen.

    commitment = SHA-256(salt | secret)
    hash       = SHA-256(previous hash | sequence | time | subject | key | body | commitment)

A secret and its salt can be wiped once the cloud has them, and the chain still holds. The desk computes it
when it writes a row, the cloud when it is told of one.
"""

import hashlib
from typing import Final

GENESIS: Final = bytes(32)
NO_SECRET: Final = b""


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
