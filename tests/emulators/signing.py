"""Google as an issuer of identity tokens: it signs them, and publishes what to check them with."""

import base64
import json
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from shared.vendor_kit.http import Answer


class Signer:
    """A key as Google has one: it signs, and its certificate is published under a key id."""

    def __init__(self, kid):
        self.kid, self._key = kid, rsa.generate_private_key(public_exponent=65537, key_size=2048)
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "federated-signon.example")])
        day = datetime(2026, 1, 1, tzinfo=UTC)
        built = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(self._key.public_key())
        )
        built = built.serial_number(1).not_valid_before(day).not_valid_after(day + timedelta(days=400))
        certificate = built.sign(self._key, hashes.SHA256())
        self.certificate = certificate.public_bytes(serialization.Encoding.PEM).decode()

    def sign(self, signed):
        return self._key.sign(signed, padding.PKCS1v15(), hashes.SHA256())

    def token(self, clock, email, audience, **changes):
        """Return an identity token for an hour."""
        now = int(clock.now().timestamp())
        claims = {"iss": "https://accounts.google.com", "aud": audience, "iat": now, "exp": now + 3600}
        claims |= {"email": email, **changes}
        header = {"alg": "RS256", "kid": self.kid, "typ": "JWT"}
        signed = ".".join(_encoded(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{_encoded(self.sign(signed.encode()))}"


def _encoded(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Google:
    """The address that publishes the certificates."""

    def __init__(self, *signers):
        self.signers, self.status, self.asked = list(signers), 200, []

    async def send(self, call):
        self.asked.append(call.url)
        body = {signer.kid: signer.certificate for signer in self.signers}
        headers = {"cache-control": "public, max-age=21600, must-revalidate"}
        return Answer(self.status, headers, json.dumps(body).encode())
