"""What is signed with a service account's key (RS256): who we are, or what somebody may keep."""

import base64
from collections.abc import Mapping
from typing import Any, Final

import orjson

from shared.domain.secret import Secret

HEAD: Final = {"alg": "RS256", "typ": "JWT"}


class KeyUnreadable(Exception):
    """The account's key is none that signs; nothing of it is said."""


def signed_jwt(claims: Mapping[str, Any], key: Secret[str]) -> str:
    """Return claims signed by a key in PEM (RFC 7519), or raise KeyUnreadable."""
    signed = f"{_segment(HEAD)}.{_segment(claims)}"
    return f"{signed}.{_base64(_signature(signed.encode(), key))}"


def _signature(data: bytes, key: Secret[str]) -> bytes:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa

    try:
        signer = serialization.load_pem_private_key(key.reveal().encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise KeyUnreadable from None  # nor its words, which may quote the key
    if not isinstance(signer, rsa.RSAPrivateKey):
        raise KeyUnreadable
    signature: bytes = signer.sign(data, padding.PKCS1v15(), hashes.SHA256())
    return signature


def _segment(value: Mapping[str, Any]) -> str:
    return _base64(orjson.dumps(value))


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
