"""Checkpoints (C2SP tlog-checkpoint v1): what a log was at a size, signed by it and cosigned by witnesses."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from shared.audit.errors import Malformed, Untrusted
from shared.audit.notes import (
    SIGNATURE_SIZE,
    Check,
    Note,
    Sign,
    Signature,
    SignatureType,
    VerifierKey,
    require_key_name,
)
from shared.audit.text import LARGEST_NUMBER, decode_hash, decode_number, encode_base64
from shared.audit.tree import EMPTY_ROOT

_TIME_SIZE: Final = 8
EMPTY_LOG: Final = "empty log"
"""The field of what is wrong with a root that no empty log has."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log, its size and the root over all of its entries."""

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        """Refuse what has no text, and an empty log with a root."""
        require_key_name(self.origin)
        if not 0 <= self.size <= LARGEST_NUMBER:
            raise Malformed("size", "no log has this size", "Take it from the tree")
        if not self.size and self.root != EMPTY_ROOT:
            raise Malformed(EMPTY_LOG, "its root is another", "Take size and root from one tree")

    @property
    def text(self) -> str:
        """The text that is signed; we write no extension lines, which witnesses do not judge."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The checkpoint of a note's text; extension lines of others are passed over."""
        lines = text.removesuffix("\n").split("\n")
        if len(lines) < 3 or not all(lines):
            raise Malformed("checkpoint", "it has not three lines at least", "Copy the note whole")
        return cls(lines[0], decode_number(lines[1], "size"), decode_hash(lines[2], "root"))


def cosigned_message(text: str, time: int) -> bytes:
    """What a witness signs: when, and the whole text of a checkpoint."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def cosignature(text: str, time: int, key: VerifierKey, sign: Sign) -> Signature:
    """The line of a witness (type 0x04) under a checkpoint's text."""
    if key.type is not SignatureType.COSIGNATURE or not 0 <= time <= LARGEST_NUMBER:
        raise Malformed(
            "cosignature", "its key or its time cannot cosign", "Use a key of type 0x04, and seconds"
        )
    blob = time.to_bytes(_TIME_SIZE) + sign(cosigned_message(text, time))
    return Signature(key.name, key.id, blob)


def cosigned_at(note: Note, key: VerifierKey, check: Check) -> int | None:
    """When a witness cosigned, the latest if twice; None if it did not. A wrong one of theirs is refused."""
    times = [_checked(note.text, each, key, check) for each in note.by(key)]
    return max(times, default=None)


def cosigners(note: Note, keys: Iterable[VerifierKey], check: Check) -> dict[VerifierKey, int]:
    """The witnesses among some keys that cosigned, and when."""
    found = {key: cosigned_at(note, key, check) for key in keys}
    return {key: time for key, time in found.items() if time is not None}


def _checked(text: str, signature: Signature, key: VerifierKey, check: Check) -> int:
    time = int.from_bytes(signature.signature[:_TIME_SIZE])
    made = signature.signature[_TIME_SIZE:]
    whole = len(made) == SIGNATURE_SIZE and time <= LARGEST_NUMBER
    if not whole or not check(key.public_key, cosigned_message(text, time), made):
        raise Untrusted(f"the cosignature of {key.name} is wrong: the note was altered, or is not theirs")
    return time
