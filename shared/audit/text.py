"""The strict texts that proofs are written in: one spelling for each value, whatever a library forgives.

Python's base64 accepts stray bits after the last byte, and its int accepts spaces, signs, underscores and
other scripts' digits. What two spellings can say is not signed for, so each value read is written again.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json import encoder
from typing import Any, Final

from shared.audit.errors import Malformed
from shared.audit.tree import HASH_SIZE

LARGEST_NUMBER: Final = (1 << 63) - 1
_SPELT = "Write it as its format has it, in the one spelling"


def _writer() -> Callable[[Any], str]:
    """The library's own writer, made once: its `encode` makes another for each document."""
    how = json.JSONEncoder(
        sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
    )
    compiled = getattr(encoder, "c_make_encoder", None)
    if compiled is None:
        return how.encode
    spelt = (encoder.encode_basestring, None, how.key_separator, how.item_separator)
    chunks = compiled(None, how.default, *spelt, how.sort_keys, how.skipkeys, how.allow_nan)
    return lambda document: "".join(chunks(document, 0))


_encode: Final = _writer()
_DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}")


def encode_base64(value: bytes) -> str:
    """Bytes as standard base64."""
    return binascii.b2a_base64(value, newline=False).decode("ascii")


def decode_base64(text: str, field: str = "base64") -> bytes:
    """The bytes of standard base64 in its one spelling."""
    try:
        value = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError):
        raise Malformed(field, "it is no base64", _SPELT) from None
    if encode_base64(value) != text:
        raise Malformed(field, "it has stray bits", _SPELT)
    return value


def decode_hash(text: str, field: str = "hash") -> bytes:
    """The hash written in base64."""
    value = decode_base64(text, field)
    if len(value) != HASH_SIZE:
        raise Malformed(field, f"it is not {HASH_SIZE} bytes long", _SPELT)
    return value


def decode_number(text: str, field: str = "number") -> int:
    """The whole number from 0 that is written in ASCII digits, without leading zeroes."""
    if not _DECIMAL.fullmatch(text) or (value := int(text)) > LARGEST_NUMBER:
        raise Malformed(field, "it is no whole number from 0, or too large", _SPELT)
    return value


def decode_lines(text: bytes, field: str = "text") -> str:
    """The text, if it is UTF-8, ends its last line, and holds no control character but the newline."""
    try:
        said = text.decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed(field, "it is not UTF-8", _SPELT) from None
    if not said.endswith("\n") or any(each < " " and each != "\n" for each in said):
        raise Malformed(field, "it has control characters, or its last line has no end", _SPELT)
    return said


def canonical(document: Mapping[str, Any], field: str = "entry") -> bytes:
    """The JSON of a document in one spelling: keys sorted, no spaces, UTF-8, as RFC 8785 has it.

    That holds for what is written here: ASCII keys, texts, whole numbers, and fractions a percentage has.
    """
    try:
        return _encode(document).encode("utf-8")
    except (TypeError, ValueError, RecursionError):
        raise Malformed(
            field, "it holds what JSON cannot", "Keep texts, numbers, lists and objects"
        ) from None


def parsed(text: bytes, field: str = "entry") -> dict[str, Any]:
    """The document in its one spelling; a repeated key, a space or another order is refused."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed(field, "it is no JSON", _SPELT) from None
    if not isinstance(document, dict) or canonical(document, field) != text:
        raise Malformed(field, "it is no object in canonical form", _SPELT)
    return document


@dataclass(frozen=True, slots=True)
class Json:
    """Who reads events and writes entries: whoever closes a day may bring faster ones that spell alike.

    They do for all but fractions: a header has none, and a body that has any is written by the library.
    """

    read: Callable[[str], Any] = json.loads
    write: Callable[[Mapping[str, Any]], bytes] = canonical


LIBRARY: Final = Json()
