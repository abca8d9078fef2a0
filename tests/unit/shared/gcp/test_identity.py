"""Tokens that Google signs: checked with its certificates, which are fetched as seldom as it says."""

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from shared.gcp.identity import CERTIFICATES, GoogleKeys, google_issuer
from shared.kernel.identity import Caller, TokenChecker, Unauthenticated
from shared.vendor_kit.http import Answer, ConnectionBroken
from tests.contract.embedded import ManualClock

DOMAIN = "hotel.iam.gserviceaccount.com"
AUDIENCE = "https://europe-west6-hotel.cloudfunctions.net/sweep-ledger"


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

    def token(self, clock, **changes):
        now = int(clock.now().timestamp())
        claims = {"iss": "https://accounts.google.com", "aud": AUDIENCE, "iat": now, "exp": now + 3600}
        claims |= {"email": f"cloud-tasks@{DOMAIN}", **changes}
        header = {"alg": "RS256", "kid": self.kid, "typ": "JWT"}
        signed = ".".join(_encoded(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{_encoded(self.sign(signed.encode()))}"


def _encoded(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


OLD, NEW = Signer("old"), Signer("new")


class Google:
    """The address that publishes the certificates."""

    def __init__(self, *signers):
        self.signers, self.status, self.asked = list(signers), 200, []

    async def send(self, call):
        self.asked.append(call.url)
        body = {signer.kid: signer.certificate for signer in self.signers}
        headers = {"cache-control": "public, max-age=21600, must-revalidate"}
        return Answer(self.status, headers, json.dumps(body).encode())


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def google():
    return Google(OLD)


@pytest.fixture
def keys(google, clock):
    return GoogleKeys(google, clock)


async def verified(keys, signer, **header):
    return await keys.verify({"alg": "RS256", "kid": signer.kid, **header}, b"signed", signer.sign(b"signed"))


async def test_what_google_signed_is_verified(keys, google):
    assert await verified(keys, OLD)
    assert google.asked == [CERTIFICATES]


async def test_what_another_signed_under_googles_key_id_is_not(keys):
    assert not await verified(keys, NEW, kid="old")


@pytest.mark.parametrize("header", [{"alg": "none"}, {"alg": "HS256"}, {"kid": None}, {"kid": 7}])
async def test_another_algorithm_or_no_key_id_is_refused_without_asking_google(keys, google, header):
    assert not await verified(keys, OLD, **header)
    assert google.asked == []


async def test_certificates_are_fetched_again_when_google_says_so(keys, google, clock):
    await verified(keys, OLD)
    clock.advance(hours=5, minutes=59)
    await verified(keys, OLD)
    assert len(google.asked) == 1
    clock.advance(minutes=1)
    await verified(keys, OLD)
    assert len(google.asked) == 2


async def test_a_new_key_is_found_and_an_invented_one_asked_for_once_a_minute(keys, google, clock):
    await verified(keys, OLD)
    clock.advance(minutes=1)
    google.signers.append(NEW)
    assert await verified(keys, NEW)
    for _ in range(3):
        assert not await verified(keys, OLD, kid="invented")
    assert len(google.asked) == 2
    clock.advance(minutes=1)
    assert not await verified(keys, OLD, kid="invented")
    assert len(google.asked) == 3


async def test_google_not_answering_is_no_proof_of_anything(keys, google):
    google.status = 503
    with pytest.raises(ConnectionBroken):
        await verified(keys, OLD)
    google.status = 200
    assert await verified(keys, OLD)


async def test_the_check_of_tokens_takes_googles_for_service_accounts_of_the_project(google, clock):
    checker = TokenChecker(google_issuer(google, clock, DOMAIN), clock.now)
    assert await checker.caller(OLD.token(clock), AUDIENCE) == Caller("cloud-tasks", f"cloud-tasks@{DOMAIN}")


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://keyfleet.local"},
        {"aud": "https://elsewhere.example"},
        {"email": "cloud-tasks@another.iam.gserviceaccount.com"},
        {"email": "someone@hotel.example"},
        {"exp": 0},
    ],
    ids=["issuer", "audience", "project", "person", "expired"],
)
async def test_the_check_of_tokens_refuses_googles_for_anybody_else(google, clock, changes):
    checker = TokenChecker(google_issuer(google, clock, DOMAIN), clock.now)
    with pytest.raises(Unauthenticated):
        await checker.caller(OLD.token(clock, **changes), AUDIENCE)
