"""Signed notes as C2SP's signed-note v1 has them: a text, an empty line, and a line for each signature.

Whoever signs or checks a signature is handed in (`Sign`, `Check`), so that no key is ever read here.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from typing import Final, Self

from shared.audit.errors import Malformed, Untrusted
from shared.audit.text import decode_base64, decode_lines, encode_base64

Sign = Callable[[bytes], bytes]
"""The Ed25519 signature of a message, by a key that stays where it is."""
Check = Callable[[bytes, bytes, bytes], bool]
"""Whether a public key made this signature of this message: key, message, signature."""

MOST_SIGNATURES: Final = 64
"""Signatures that are looked at: four times as many as every reader must take."""
KEY_SIZE: Final = 32
SIGNATURE_SIZE: Final = 64
_ID_SIZE = 4
_LINE = re.compile("\N{EM DASH} ([^ ]+) ([A-Za-z0-9+/=]+)")


class SignatureType(IntEnum):
    """What a key signs, in the numbers of the specification; others are passed over."""

    NOTE = 0x01
    COSIGNATURE = 0x04


def require_key_name(name: str) -> str:
    """The name, if it can stand in a signature line."""
    if not name or "+" in name or any(each.isspace() or not each.isprintable() for each in name):
        raise Malformed("key name", "it is empty, or has a space or a plus", "Use an address without scheme")
    return name


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """The public half of a key with its name, which is how readers come to trust it."""

    name: str
    public_key: bytes
    type: SignatureType = SignatureType.NOTE

    def __post_init__(self) -> None:
        """Refuse a name or a key that no line could carry."""
        require_key_name(self.name)
        if len(self.public_key) != KEY_SIZE:
            raise Malformed("public key", f"it is not {KEY_SIZE} bytes long", "Give an Ed25519 key")

    @property
    def id(self) -> bytes:
        """What tells this key from others of the same name; no proof of anything."""
        return sha256(self.name.encode() + b"\n" + self._typed).digest()[:_ID_SIZE]

    @property
    def _typed(self) -> bytes:
        return bytes([self.type]) + self.public_key

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{encode_base64(self._typed)}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The key written as a vkey."""
        name, _, rest = text.partition("+")
        key_id, _, encoded = rest.partition("+")
        typed = decode_base64(encoded, "vkey")
        if not typed or typed[0] not in set(SignatureType):
            raise Malformed("vkey", "it is of a type that is not checked here", "Give type 0x01 or 0x04")
        key = cls(name, typed[1:], SignatureType(typed[0]))
        if key.id.hex() != key_id:
            raise Malformed(
                "vkey", "its id is not its key's", "Copy the whole key from where it is published"
            )
        return key


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line: who signed, with which of their keys, and what came out."""

    name: str
    key_id: bytes
    signature: bytes

    def __str__(self) -> str:
        return f"\N{EM DASH} {self.name} {encode_base64(self.key_id + self.signature)}\n"

    @classmethod
    def parse(cls, line: str) -> Self:
        """The signature of a line without its end."""
        match = _LINE.fullmatch(line)
        if not match:
            raise Malformed("signature", "it is no signature line", "Copy the note whole")
        blob = decode_base64(match[2], "signature")
        if len(blob) <= _ID_SIZE:
            raise Malformed("signature", "it is too short", "Copy the note whole")
        return cls(require_key_name(match[1]), blob[:_ID_SIZE], blob[_ID_SIZE:])


@dataclass(frozen=True, slots=True)
class Note:
    """A text and who signed it; the text is worth nothing before a signature was checked."""

    text: str
    signatures: tuple[Signature, ...]

    def __post_init__(self) -> None:
        """Refuse a text that would be read back as another."""
        decode_lines(self.text.encode(), "note")

    def __str__(self) -> str:
        return f"{self.text}\n{''.join(map(str, self.signatures))}"

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """The note, its text parted from its signatures at the last empty line."""
        body, parted, lines = decode_lines(text, "note").rpartition("\n\n")
        if not parted or not lines:
            raise Malformed("note", "no empty line parts it from its signatures", "Copy the note whole")
        signatures = lines.removesuffix("\n").split("\n")
        if len(signatures) > MOST_SIGNATURES:
            raise Malformed("note", f"more than {MOST_SIGNATURES} signatures", "Leave out those of strangers")
        return cls(body + "\n", tuple(map(Signature.parse, signatures)))

    def by(self, key: VerifierKey) -> Iterable[Signature]:
        """The signatures that claim to be of a key."""
        return (each for each in self.signatures if (each.name, each.key_id) == (key.name, key.id))

    def signed_too(self, signatures: Iterable[Signature]) -> Self:
        """The note with further signatures, each once."""
        return type(self)(self.text, tuple(dict.fromkeys((*self.signatures, *signatures))))


def signed(text: str, key: VerifierKey, sign: Sign) -> Note:
    """The note of a text by a key of type 0x01."""
    return Note(text, (Signature(key.name, key.id, sign(text.encode())),))


def require_signed(note: Note, keys: Iterable[VerifierKey], check: Check) -> VerifierKey:
    """The first of the trusted keys that signed the note; one bad signature of theirs condemns it."""
    good = [key for key in keys if _signed_by(note, key, check)]
    if not good:
        raise Untrusted("the note is signed by no key that is trusted for it")
    return good[0]


def _signed_by(note: Note, key: VerifierKey, check: Check) -> bool:
    claimed = list(note.by(key))
    for each in claimed:
        if len(each.signature) != SIGNATURE_SIZE or not check(
            key.public_key, note.text.encode(), each.signature
        ):
            raise Untrusted(f"the signature of {key.name} is wrong: the note was altered, or is not theirs")
    return bool(claimed)
