"""NDEF on tags: the TLV around a message, the capability container, and the records a tag may carry."""

from dataclasses import dataclass
from typing import Final

MESSAGE, TERMINATOR, PADDING = 0x03, 0xFE, 0x00
CAPABILITIES: Final = {
    144: bytes.fromhex("e1101200"),
    504: bytes.fromhex("e1103e00"),
    888: bytes.fromhex("e1106d00"),
}
"""The capability container of NTAG213, 215 and 216, by bytes of user memory."""
URI_PREFIXES: Final = ("", "http://www.", "https://www.", "http://", "https://")
WELL_KNOWN, MEDIA = 1, 2
_FIRST_AND_LAST, _SHORT, _HAS_ID = 0xC0, 0x10, 0x08


class NdefDamaged(ValueError):
    """Bytes that hold no whole NDEF message."""


@dataclass(frozen=True, slots=True)
class Record:
    """One NDEF record that is a message of its own."""

    family: int
    type: bytes
    payload: bytes
    id: bytes = b""

    def message(self) -> bytes:
        """Return the message that consists of this record."""
        short = len(self.payload) < 256
        flags = _FIRST_AND_LAST | _SHORT * short | _HAS_ID * bool(self.id) | self.family
        size = len(self.payload).to_bytes(1 if short else 4, "big")
        id_length = bytes([len(self.id)]) if self.id else b""
        return bytes([flags, len(self.type)]) + size + id_length + self.type + self.id + self.payload


def uri(address: str) -> Record:
    """Return the record of an address, its beginning shortened where NDEF knows it."""
    known = [n for n, prefix in enumerate(URI_PREFIXES) if prefix and address.startswith(prefix)]
    code = max(known, key=lambda n: len(URI_PREFIXES[n]), default=0)
    return Record(WELL_KNOWN, b"U", bytes([code]) + address.removeprefix(URI_PREFIXES[code]).encode())


def text(words: str, language: str = "en") -> Record:
    """Return the record of a text in a language."""
    tag = language.encode("ascii")
    return Record(WELL_KNOWN, b"T", bytes([len(tag)]) + tag + words.encode())


def media(media_type: str, payload: bytes, record_id: str = "") -> Record:
    """Return the record of some bytes of a media type."""
    return Record(MEDIA, media_type.encode("ascii"), payload, record_id.encode("ascii"))


def wrapped(message: bytes) -> bytes:
    """Return a message in its TLV, ended."""
    size = bytes([len(message)]) if len(message) < 0xFF else b"\xff" + len(message).to_bytes(2, "big")
    return bytes([MESSAGE]) + size + message + bytes([TERMINATOR])


def unwrapped(memory: bytes) -> bytes:
    """Return the first message in a tag's memory."""
    rest = memory
    while rest and rest[0] != TERMINATOR:
        if rest[0] == PADDING:
            rest = rest[1:]
            continue
        kind, value, rest = _tlv(rest)
        if kind == MESSAGE:
            return value
    raise NdefDamaged("no message before the end")


def record(message: bytes) -> Record:
    """Read a message of one record."""
    try:
        flags, type_length = message[0], message[1]
        size_end = 3 if flags & _SHORT else 6
        size, at = int.from_bytes(message[2:size_end], "big"), size_end
        id_length = message[at] if flags & _HAS_ID else 0
    except IndexError:
        raise NdefDamaged("cut off within its header") from None
    at += bool(flags & _HAS_ID)
    ends = [at + type_length, at + type_length + id_length, at + type_length + id_length + size]
    if len(message) < ends[2]:
        raise NdefDamaged("cut off within its payload")
    return Record(flags & 7, message[at : ends[0]], message[ends[1] : ends[2]], message[ends[0] : ends[1]])


def _tlv(memory: bytes) -> tuple[int, bytes, bytes]:
    long = memory[1:2] == b"\xff"
    head = 4 if long else 2
    size = int.from_bytes(memory[2:4], "big") if long else int.from_bytes(memory[1:2], "big")
    if len(memory) < head + size:
        raise NdefDamaged("shorter than it says")
    return memory[0], memory[head : head + size], memory[head + size :]
