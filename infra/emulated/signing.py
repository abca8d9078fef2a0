"""Google as an issuer of identity tokens: it signs them, and publishes what to check them with."""

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from shared.ports.ambient import Clock
from shared.vendor_kit.http import Answer, Call

RENEW_BEFORE: Final = timedelta(minutes=5)
LASTS: Final = timedelta(hours=1)
MOST_MINTED: Final = 10_000


class Signer:
    """A key as Google has one: it signs, and its certificate is published under a key id."""

    def __init__(self, kid: str) -> None:
        self.kid, self._key = kid, rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "federated-signon.example")])
        day = datetime(2026, 1, 1, tzinfo=UTC)
        built = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(self._key.public_key())
        )
        built = built.serial_number(1).not_valid_before(day).not_valid_after(day + timedelta(days=400))
        certificate = built.sign(self._key, hashes.SHA256())
        self.certificate = certificate.public_bytes(serialization.Encoding.PEM).decode()

    def sign(self, signed: bytes) -> bytes:
        """Return the signature of some bytes."""
        return bytes(self._key.sign(signed, padding.PKCS1v15(), hashes.SHA256()))

    def token(self, clock: Clock, email: str, audience: str, **changes: Any) -> str:
        """Return an identity token for an hour."""
        now = int(clock.now().timestamp())
        claims = {"iss": "https://accounts.google.com", "aud": audience, "iat": now, "exp": now + 3600}
        claims |= {"email": email, **changes}
        header = {"alg": "RS256", "kid": self.kid, "typ": "JWT"}
        signed = ".".join(_encoded(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{_encoded(self.sign(signed.encode()))}"


class GoogleTokens:
    """Identity tokens for the accounts of a project; one per caller and audience, renewed in time."""

    def __init__(self, signer: Signer, clock: Clock, email_of: Callable[[str], str]) -> None:
        self._signer, self._clock, self._email_of = signer, clock, email_of
        self._minted: dict[tuple[str, str], tuple[datetime, str]] = {}

    def token(self, caller: str, audience: str) -> str:
        """Return a token that is good for some minutes at least."""
        now = self._clock.now()
        until, token = self._minted.get((caller, audience), (now, ""))
        if until - RENEW_BEFORE <= now:
            if len(self._minted) >= MOST_MINTED:
                self._minted.clear()
            token = self._signer.token(self._clock, self._email_of(caller), audience)
            self._minted[caller, audience] = (now + LASTS, token)
        return token


class Google:
    """The address that publishes the certificates."""

    def __init__(self, *signers: Signer) -> None:
        self.signers, self.status, self.asked = list(signers), 200, list[str]()

    async def send(self, call: Call) -> Answer:
        """Answer with every certificate that counts."""
        self.asked.append(call.url)
        body = {signer.kid: signer.certificate for signer in self.signers}
        headers = {"cache-control": "public, max-age=21600, must-revalidate"}
        return Answer(self.status, headers, json.dumps(body).encode())


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
