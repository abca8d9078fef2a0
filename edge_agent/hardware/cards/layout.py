"""What stands on a key card: a record that a lock can check by itself, with no network and no secret.

    at  bytes  holds
     0      2  "KF"
     2      1  version of the layout
     3      1  length of the body, from "KF" to the last door
     4      4  which key signed: the start of SHA-256 of the public key
     8      8  property: the start of SHA-256 of its id
    16      8  issue number: a door that opened for a higher one refuses lower ones; a copy has its original's
    24      4  valid from, minutes since 2020-01-01 UTC
    28      4  valid until
    32      2  flags: 1 copy, 2 one-shot, 4 staff
    34      2  areas: 1 lobby, 2 gym, 4 pool, 8 spa, 16 parking
    36      1  number of doors
    37    4 n  doors: the start of SHA-256 of each room's id
     +     64  Ed25519 over "keyfleet key card" | 0 | length of UID | UID | body

The UID is signed and not stored: a copy on another card is worthless. Integers are big-endian.
"""

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import IntFlag
from typing import Final

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

MAGIC, VERSION = b"KF", 1
MOST_DOORS: Final = 20
SIGNATURE: Final = 64
PURPOSE: Final = b"keyfleet key card\x00"
EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)
_HEAD: Final = struct.Struct(">2sBB4s8sQIIHHB")


class LayoutRefused(ValueError):
    """A card whose content is not a record of ours; `reason` says in a word why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class CardFlag(IntFlag):
    """What kind of key the card is."""

    NONE = 0
    COPY = 1
    ONE_SHOT = 2
    STAFF = 4


class Area(IntFlag):
    """Common areas the card opens besides its doors."""

    NONE = 0
    LOBBY = 1
    GYM = 2
    POOL = 4
    SPA = 8
    PARKING = 16


@dataclass(frozen=True, slots=True)
class CardRecord:
    """A key card's content."""

    property: bytes
    number: int
    valid_from: datetime
    valid_until: datetime
    doors: tuple[bytes, ...]
    flags: CardFlag = CardFlag.NONE
    areas: Area = Area.NONE

    def __post_init__(self) -> None:
        if len(self.property) != 8 or any(len(door) != 4 for door in self.doors):
            raise LayoutRefused("digests")
        if not 0 < len(self.doors) <= MOST_DOORS:
            raise LayoutRefused("doors")
        if self.valid_until <= self.valid_from:
            raise LayoutRefused("window")

    def body(self, signer: bytes) -> bytes:
        """Return what is signed of the record itself."""
        length = _HEAD.size + 4 * len(self.doors)
        start, end = _minutes(self.valid_from, up=False), _minutes(self.valid_until, up=True)
        rest = (signer, self.property, self.number, start, end, self.flags, self.areas, len(self.doors))
        return _HEAD.pack(MAGIC, VERSION, length, *rest) + b"".join(self.doors)


def property_digest(property_id: str) -> bytes:
    """Return the eight bytes in which a card names its property."""
    return hashlib.sha256(property_id.encode()).digest()[:8]


def door_digest(room_id: str) -> bytes:
    """Return the four bytes in which a card names the door of a room."""
    return hashlib.sha256(room_id.encode()).digest()[:4]


def signer_of(key: VerifyKey) -> bytes:
    """Return the short name of a signing key."""
    return hashlib.sha256(bytes(key)).digest()[:4]


def signed(record: CardRecord, uid: bytes, key: SigningKey) -> bytes:
    """Return the bytes for the card of this UID."""
    body = record.body(signer_of(key.verify_key))
    return body + key.sign(_message(uid, body)).signature


def verified(content: bytes, uid: bytes, keys: Iterable[VerifyKey]) -> CardRecord:
    """Return the record on a card, proved by one of the keys, or raise LayoutRefused."""
    body, signature = _parts(content)
    key = next((key for key in keys if signer_of(key) == body[4:8]), None)
    if key is None:
        raise LayoutRefused("signer")
    try:
        key.verify(_message(uid, body), signature)
    except BadSignatureError:
        raise LayoutRefused("signature") from None
    return _record(body)


def _parts(content: bytes) -> tuple[bytes, bytes]:
    if len(content) < _HEAD.size or content[:2] != MAGIC:
        raise LayoutRefused("magic")
    if content[2] != VERSION:
        raise LayoutRefused("version")
    length = content[3]
    if length < _HEAD.size or len(content) < length + SIGNATURE:
        raise LayoutRefused("length")
    return content[:length], content[length : length + SIGNATURE]


def _record(body: bytes) -> CardRecord:
    _, _, length, _, owner, number, start, end, flags, areas, count = _HEAD.unpack_from(body)
    if length != _HEAD.size + 4 * count:
        raise LayoutRefused("length")
    doors = tuple(body[at : at + 4] for at in range(_HEAD.size, length, 4))
    window = (EPOCH + timedelta(minutes=start), EPOCH + timedelta(minutes=end))
    return CardRecord(owner, number, *window, doors, CardFlag(flags), Area(areas))


def _message(uid: bytes, body: bytes) -> bytes:
    return PURPOSE + bytes([len(uid)]) + uid + body


def _minutes(instant: datetime, *, up: bool) -> int:
    # A window is never cut: its start is rounded down to a minute and its end up.
    minutes, rest = divmod(instant.astimezone(UTC) - EPOCH, timedelta(minutes=1))
    if not 0 <= minutes < 2**32 - 1:
        raise LayoutRefused("window")
    return minutes + (up and bool(rest))
