"""Identity providers of a test's own: they sign in every way we allow, and publish their keys."""

import base64
import json

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from shared.domain.sign_in import SigningAlgorithm, StaffIssuer
from shared.vendor_kit.http import Answer

AUDIENCE = "https://fleet.example"
ISSUER = "https://login.example"


def encoded(raw):
    """Return bytes as tokens spell them."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Signer:
    """A key that signs by one algorithm."""

    def __init__(self, algorithm, kid="k1"):
        self.algorithm, self.kid = algorithm, kid
        make = {
            "RS256": lambda: rsa.generate_private_key(65537, 2048),
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()),
            "EdDSA": ed25519.Ed25519PrivateKey.generate,
        }
        self.key = make[algorithm]()

    def sign(self, signed):
        if self.algorithm == "RS256":
            return self.key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
        if self.algorithm == "ES256":
            halves = decode_dss_signature(self.key.sign(signed, ec.ECDSA(hashes.SHA256())))
            return b"".join(half.to_bytes(32) for half in halves)
        return self.key.sign(signed)

    def published(self):
        """Return the public half as a JSON Web Key."""
        public = self.key.public_key()
        told = {"kid": self.kid, "use": "sig", "alg": self.algorithm}
        if self.algorithm == "RS256":
            numbers = public.public_numbers()
            return {**told, "kty": "RSA", "n": _number(numbers.n, 256), "e": _number(numbers.e, 3)}
        if self.algorithm == "ES256":
            numbers = public.public_numbers()
            return {
                **told,
                "kty": "EC",
                "crv": "P-256",
                "x": _number(numbers.x, 32),
                "y": _number(numbers.y, 32),
            }
        raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
        return {**told, "kty": "OKP", "crv": "Ed25519", "x": encoded(raw)}


def _number(value, size):
    return encoded(value.to_bytes(size))


def compact(header, claims, sign):
    """Return a token."""
    signed = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    return f"{signed}.{encoded(sign(signed.encode()))}"


class Provider:
    """An OpenID provider: it answers at its key address, and signs what it is told."""

    def __init__(self, clock, *algorithms, issuer=ISSUER):
        self.clock, self.issuer, self.asked, self.status = clock, issuer, 0, 200
        self.signers = [Signer(each, f"k{number}") for number, each in enumerate(algorithms or ("RS256",), 1)]

    @property
    def jwks_uri(self):
        return f"{self.issuer}/keys"

    def registered(self, **changes):
        """Return the record a tenant keeps of it."""
        told = {
            "issuer": self.issuer,
            "jwks_uri": self.jwks_uri,
            "algorithms": tuple(SigningAlgorithm(each.algorithm) for each in self.signers),
        }
        return StaffIssuer(**{**told, **changes})

    async def send(self, call):
        """Answer with the keys."""
        self.asked += 1
        body = json.dumps({"keys": [each.published() for each in self.signers]}).encode()
        return Answer(self.status, {"cache-control": "max-age=600"}, body)

    def claims(self, **changes):
        """Return what a token of a clerk claims; what is None is left out."""
        now = int(self.clock.now().timestamp())
        claims = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "sub": "clerk-1",
            "tenantId": "tnt_silk",
            "propertyScope": ["ppt_kabul"],
            "roles": ["front_desk"],
            "auth_time": now,
            "iat": now,
            "exp": now + 3600,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, header=None, signer=0, **changes):
        """Return a clerk's token, or one that differs from it."""
        by = self.signers[signer]
        head = {"alg": by.algorithm, "kid": by.kid, "typ": "JWT", **(header or {})}
        return compact({k: v for k, v in head.items() if v is not None}, self.claims(**changes), by.sign)
