"""SMPP 3.4 as bytes: what is said to an SMS centre, and what of its words we read.

| command | we say it | we read it |
|---|---|---|
| `bind_transmitter`, `bind_receiver`, `unbind` | yes | their answers |
| `submit_sm` | yes: UCS-2, or letters that every alphabet has | its answer, with the message's name |
| `deliver_sm` | its answer | yes: a receipt, by its parameter or its text (appendix B) |
| `enquire_link` | its answer | yes |

A long message goes in parts that a telephone joins (3GPP TS 23.040), or whole as `message_payload`.
"""

import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

HEADER: Final = 16
LONGEST: Final = 70_000
RECEIVER, TRANSMITTER, SUBMIT, DELIVER, UNBIND, ENQUIRE = 0x1, 0x2, 0x4, 0x5, 0x6, 0x15
ANSWER: Final = 0x8000_0000
_VERSION: Final = 0x34
_INTERNATIONAL, _ALPHANUMERIC = b"\x01\x01", b"\x05\x00"
_JOINED, _RECEIPT, _KIND = 0x40, 0x04, 0x3C
_UCS2, _PLAIN = 8, 0
_PAYLOAD, _RECEIPTED, _STATE = 0x0424, 0x001E, 0x0427
_LETTERS: Final = re.compile(r"[A-Za-z0-9 \n\r!\"#%&'()*+,\-./:;<=>?]*")
"""The same in ASCII, in GSM 03.38 and in Latin-1: whatever a centre takes for its default, these are they."""
_PARTS: Final[Mapping[int, tuple[int, int]]] = {_UCS2: (140, 134), _PLAIN: (160, 153)}
_FIELD: Final = re.compile(r"\b(id|stat):([^ ]*)", re.IGNORECASE)
_STATES: Final = {2: "DELIVRD", 3: "EXPIRED", 4: "DELETED", 5: "UNDELIV", 8: "REJECTD"}


class Malformed(ValueError):
    """It is no PDU of SMPP 3.4."""


@dataclass(frozen=True, slots=True)
class Pdu:
    """One command or answer."""

    command: int
    sequence: int
    status: int = 0
    body: bytes = b""

    def packed(self) -> bytes:
        """Return it as it goes over the line."""
        size = HEADER + len(self.body)
        return struct.pack(">IIII", size, self.command, self.status, self.sequence) + self.body

    def answer(self, status: int = 0, body: bytes = b"") -> "Pdu":
        """Return an answer to it."""
        return Pdu(self.command | ANSWER, self.sequence, status, body)


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a centre tells of a message."""

    name: str
    state: str


def unpacked(raw: bytes) -> Pdu:
    """Read one PDU."""
    if not HEADER <= len(raw) <= LONGEST:
        raise Malformed("its length is wrong")
    size, command, status, sequence = struct.unpack(">IIII", raw[:HEADER])
    if size != len(raw):
        raise Malformed("its length is not what it says")
    return Pdu(command, sequence, status, raw[HEADER:])


def bound(command: int, sequence: int, user: str, password: str) -> Pdu:
    """Return how a session begins."""
    said = [*(each.encode("ascii") + b"\0" for each in (user, password)), b"\0", bytes([_VERSION, 0, 0, 0])]
    return Pdu(command, sequence, body=b"".join(said))


@dataclass(frozen=True, slots=True)
class Addressed:
    """From whom and to whom, and for how long a centre may try."""

    sender: str
    to: str
    hours: int

    def packed(self) -> bytes:
        """Return both addresses."""
        named = self.sender.lstrip("+")
        kind = _INTERNATIONAL if named.isdecimal() else _ALPHANUMERIC
        to = _INTERNATIONAL + self.to.lstrip("+").encode("ascii") + b"\0"
        return b"\0" + kind + named.encode("ascii") + b"\0" + to


def submitted(sequence: int, text: str, addressed: Addressed, *, payload: bool) -> list[Pdu]:
    """Return a message as one PDU, or in parts; a receipt is asked for the last.

    The parts' number follows from the words: a second try has another link, and no telephone mixes the two.
    """
    coding = _PLAIN if _LETTERS.fullmatch(text) else _UCS2
    said = text.encode("ascii") if coding == _PLAIN else text.encode("utf-16-be")
    whole, part = _PARTS[coding]
    if payload and len(said) > whole:
        tlv = struct.pack(">HH", _PAYLOAD, len(said)) + said
        return [Pdu(SUBMIT, sequence, body=_message(addressed, 0, coding, b"", last=True) + tlv)]
    parts = [said] if len(said) <= whole else list(_cut(said, part, coding))
    number = zlib.crc32(addressed.packed() + said) & 0xFF
    heads = [bytes([5, 0, 3, number, len(parts), at]) for at in range(1, len(parts) + 1)]
    joined = [each if len(parts) == 1 else head + each for head, each in zip(heads, parts, strict=True)]
    kind = 0 if len(parts) == 1 else _JOINED
    return [
        Pdu(SUBMIT, sequence + at, body=_message(addressed, kind, coding, each, last=at == len(parts) - 1))
        for at, each in enumerate(joined)
    ]


def _cut(said: bytes, longest: int, coding: int) -> list[bytes]:
    """Cut a text into parts, and no letter of it in two."""
    parts, rest = list[bytes](), said
    while rest:
        end = min(longest, len(rest))
        if coding == _UCS2 and end < len(rest) and 0xD8 <= rest[end - 2] <= 0xDB:
            end -= 2
        parts.append(rest[:end])
        rest = rest[end:]
    return parts


def _message(addressed: Addressed, kind: int, coding: int, said: bytes, *, last: bool) -> bytes:
    until = f"000000{addressed.hours:02d}0000000R".encode() + b"\0"
    flags = bytes([kind, 0, 0]) + b"\0" + until + bytes([int(last), 0, coding, 0, len(said)])
    return b"\0" + addressed.packed()[1:] + flags + said


def named(body: bytes) -> str:
    """Return the name that a centre gave to a message."""
    return body.split(b"\0", 1)[0].decode("ascii", "replace")


def receipt_in(body: bytes) -> Receipt | None:
    """Return what a `deliver_sm` tells of a message; None of one that a person sent, or that has no name."""
    try:
        kind, said, more = _delivered(body)
    except (IndexError, ValueError, struct.error):
        raise Malformed("a message that breaks off") from None
    if kind & _KIND != _RECEIPT:
        return None
    # The first of each is the centre's; behind them come words of the message itself.
    text = {name.lower(): value for name, value in reversed(_FIELD.findall(said.decode("latin-1")))}
    name = named(more[_RECEIPTED]) if _RECEIPTED in more else text.get("id", "")
    state = _STATES.get(more[_STATE][0], "") if more.get(_STATE) else text.get("stat", "")
    return Receipt(name, state.upper()) if name else None


def _delivered(body: bytes) -> tuple[int, bytes, Mapping[int, bytes]]:
    """Return a message's class, words and parameters."""
    at = body.index(b"\0") + 1
    for _ in ("source", "destination"):
        at = body.index(b"\0", at + 2) + 1
    kind, at = body[at], at + 3
    for _ in ("schedule", "validity"):
        at = body.index(b"\0", at) + 1
    size, at = body[at + 4], at + 5
    said, at, more = body[at : at + size], at + size, dict[int, bytes]()
    while at < len(body):
        tag, length = struct.unpack(">HH", body[at : at + 4])
        more[tag], at = body[at + 4 : at + 4 + length], at + 4 + length
    return kind, said or more.get(_PAYLOAD, b""), more
