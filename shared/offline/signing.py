"""Signed documents: RFC 8785 bytes, an Ed25519 signature, and a purpose, so that no signature serves for
another.

    {"document": {...}, "key": "<the start of SHA-256 of the public key>", "signature": "<base64>"}

What is signed is the purpose, a zero byte, and the document's canonical bytes. Signing keys here sign
nothing else.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

import rfc8785
from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

LARGEST: Final = 4 * 1024 * 1024
NAME_LENGTH: Final = 16


class SignedRefused(Exception):
    """A signed document that is not to be believed; `reason` says why in a word, and quotes nothing."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def key_name(key: VerifyKey) -> str:
    """Return the short name by which a signature tells its key."""
    return hashlib.sha256(bytes(key)).hexdigest()[:NAME_LENGTH]


def signed(purpose: str, document: Mapping[str, Any], key: SigningKey) -> bytes:
    """Return a document with its signature."""
    signature = key.sign(message(purpose, document)).signature
    told: dict[str, Any] = {
        "document": dict(document),
        "key": key_name(key.verify_key),
        "signature": base64.b64encode(signature).decode(),
    }
    return rfc8785.dumps(told)


def opened(purpose: str, data: bytes, keys: Iterable[VerifyKey]) -> dict[str, Any]:
    """Return the document, proved by one of the keys, or raise SignedRefused."""
    document, name, signature = _parts(data)
    key = next((key for key in keys if key_name(key) == name), None)
    if key is None:
        raise SignedRefused("signer")
    try:
        key.verify(message(purpose, document), signature)
    except (BadSignatureError, ValueError):
        raise SignedRefused("signature") from None
    return document


def message(purpose: str, document: Mapping[str, Any]) -> bytes:
    """Return the bytes that are signed."""
    try:
        return purpose.encode() + b"\x00" + rfc8785.dumps(dict(document))
    except rfc8785.CanonicalizationError:
        raise SignedRefused("document") from None


def whole(value: object) -> int:
    """Return a whole number; a fraction, a truth value or a text of one is none."""
    if type(value) is not int:
        raise SignedRefused("content")
    return value


def _parts(data: bytes) -> tuple[dict[str, Any], str, bytes]:
    if len(data) > LARGEST:
        raise SignedRefused("size")
    try:
        told = json.loads(data)
        document, name, signature = told["document"], told["key"], told["signature"]
        if not isinstance(document, dict) or not isinstance(name, str):
            raise SignedRefused("form")
        return document, name, base64.b64decode(signature, validate=True)
    except (ValueError, TypeError, KeyError, RecursionError, binascii.Error):
        raise SignedRefused("form") from None
