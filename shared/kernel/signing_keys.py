"""Public keys as issuers publish them (RFC 7517): each good for one algorithm, whatever a token says."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from shared.domain.sign_in import SigningAlgorithm

MOST_KEYS: Final = 64
_RSA_BITS: Final = range(2048, 8193)
_P256_BYTES: Final = 32
_ED25519_BYTES: Final = 32
Check = Callable[[bytes, bytes], bool]


class UnreadableKeys(Exception):
    """What should be a set of keys and is none."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """One key: it checks signatures of its own algorithm and no other."""

    algorithm: SigningAlgorithm
    check: Check = field(repr=False)

    def verifies(self, algorithm: str, signed: bytes, signature: bytes) -> bool:
        """Return whether this key made the signature, by this algorithm."""
        return algorithm == self.algorithm and self.check(signed, signature)


def read_keys(document: bytes) -> Mapping[str, PublicKey]:
    """Return the signing keys of a key set by their ids; those that we cannot use are passed over."""
    try:
        listed = json.loads(document)["keys"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnreadableKeys("not a JSON Web Key Set") from None
    if not isinstance(listed, list) or len(listed) > MOST_KEYS:
        raise UnreadableKeys(f"not a list of up to {MOST_KEYS} keys")
    found = ((each.get("kid"), _key(each)) for each in listed if isinstance(each, dict))
    return {kid: key for kid, key in found if isinstance(kid, str) and key is not None}


def ed25519_key(raw: bytes) -> PublicKey:
    """Return an Ed25519 key."""
    return PublicKey(SigningAlgorithm.EDDSA, lambda signed, signature: _ed25519(raw, signed, signature))


def _key(told: Mapping[str, Any]) -> PublicKey | None:
    read = _KINDS.get((str(told.get("kty")), str(told.get("crv", ""))))
    if read is None or told.get("use", "sig") != "sig":
        return None
    try:
        key = read(told)
    except (ValueError, KeyError, TypeError):
        return None
    return key if told.get("alg", key.algorithm) == key.algorithm else None


def _rsa_key(told: Mapping[str, Any]) -> PublicKey:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
    from cryptography.hazmat.primitives.hashes import SHA256

    numbers = RSAPublicNumbers(*(int.from_bytes(_bytes(told[part])) for part in ("e", "n")))
    if numbers.n.bit_length() not in _RSA_BITS:
        raise ValueError("too short to trust, or too long to use")
    key = numbers.public_key()

    def check(signed: bytes, signature: bytes) -> bool:
        try:
            key.verify(signature, signed, PKCS1v15(), SHA256())
        except InvalidSignature:
            return False
        return True

    return PublicKey(SigningAlgorithm.RS256, check)


def _p256_key(told: Mapping[str, Any]) -> PublicKey:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePublicNumbers
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
    from cryptography.hazmat.primitives.hashes import SHA256

    x, y = (int.from_bytes(_sized(told[part], _P256_BYTES)) for part in ("x", "y"))
    key = EllipticCurvePublicNumbers(x, y, SECP256R1()).public_key()

    def check(signed: bytes, signature: bytes) -> bool:
        if len(signature) != 2 * _P256_BYTES:
            return False
        halves = signature[:_P256_BYTES], signature[_P256_BYTES:]
        try:
            key.verify(encode_dss_signature(*map(int.from_bytes, halves)), signed, ECDSA(SHA256()))
        except InvalidSignature:
            return False
        return True

    return PublicKey(SigningAlgorithm.ES256, check)


def _okp_key(told: Mapping[str, Any]) -> PublicKey:
    return ed25519_key(_sized(told["x"], _ED25519_BYTES))


def _ed25519(raw: bytes, signed: bytes, signature: bytes) -> bool:
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    try:
        VerifyKey(raw).verify(signed, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


def _sized(text: Any, size: int) -> bytes:
    raw = _bytes(text)
    if len(raw) != size:
        raise ValueError("of another size")
    return raw


def _bytes(text: Any) -> bytes:
    return base64.b64decode(str(text) + "=" * (-len(str(text)) % 4), altchars=b"-_", validate=True)


_KINDS: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Any]], PublicKey]]] = {
    ("RSA", ""): _rsa_key,
    ("EC", "P-256"): _p256_key,
    ("OKP", "Ed25519"): _okp_key,
}
