"""Cards for wallets are what the wallets take: signed, whole, and without a code unless the hotel says so."""

import base64
import hashlib
import io
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from shared.notify.apple_pass import MEDIA_TYPE, AppleAccount, AppleWallet
from shared.notify.google_pass import SAVE, GoogleAccount, GoogleWallet
from shared.ports.wallets import CardRefused, KeyCard, Shown

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
PIN = "4821 7930"
CARD = KeyCard(
    key="key_01KSAMP1E00000000000000001",
    hotel="کابل Palace",
    title="ستاسو کیلي",
    language="ps",
    lines=(Shown("opens", "a", "b"), Shown("closes", "c", "d"), Shown("doors", "e", "101")),
    note="no key",
    begins=NOW,
    ends=NOW + timedelta(days=3),
    link="https://keys.example/ps/key_01KSAMP1E00000000000000001",
    code=Shown("code", "code", PIN),
)
KEY = rsa.generate_private_key(65537, 2048)
PEM = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
).decode()


def certificate(name, key, issuer, issuer_key):
    subject, above = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each)]) for each in (name, issuer))
    made = x509.CertificateBuilder().subject_name(subject).issuer_name(above).public_key(key.public_key())
    made = (
        made.serial_number(x509.random_serial_number())
        .not_valid_before(NOW)
        .not_valid_after(NOW + timedelta(days=9999))
    )
    made = made.add_extension(x509.BasicConstraints(ca=name == issuer, path_length=None), critical=True)
    return made.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


ROOT = rsa.generate_private_key(65537, 2048)
APPLE = {
    "passTypeIdentifier": "pass.example.key",
    "teamIdentifier": "TEAM123456",
    "certificate": certificate("pass.example.key", KEY, "Test root", ROOT),
    "private_key": PEM,
    "intermediate": certificate("Test root", ROOT, "Test root", ROOT),
}
GOOGLE = {"issuer": "338", "class": "stay", "client_email": "pass@silk.example", "private_key": PEM}


def opened(card=CARD, now=NOW):
    made = AppleWallet(AppleAccount.of(APPLE)).card(card, now)
    assert made.media_type == MEDIA_TYPE
    with zipfile.ZipFile(io.BytesIO(made.body)) as archive:
        return {each: archive.read(each) for each in archive.namelist()}


def test_a_pass_lists_its_files_and_says_what_the_card_says():
    files = opened()
    listed = orjson.loads(files["manifest.json"])
    assert listed == {
        name: hashlib.sha1(body).hexdigest()
        for name, body in files.items()
        if name not in {"manifest.json", "signature"}
    }
    told = orjson.loads(files["pass.json"])
    assert told["serialNumber"] == CARD.key
    assert told["barcodes"][0]["message"] == CARD.link
    assert (told["expirationDate"], told["voided"]) == ("2026-03-04T09:00:00Z", False)
    assert told["generic"]["auxiliaryFields"][-1]["value"] == PIN
    assert files["icon.png"].startswith(b"\x89PNG")
    assert orjson.loads(opened(now=CARD.ends)["pass.json"])["voided"] is True
    assert PIN.encode() not in opened(replace(CARD, code=None))["pass.json"]


def inside(raw):
    """Return what a DER value holds, one after the other, each with its tag."""
    found, at = [], 0
    while at < len(raw):
        tag, size, head = raw[at], raw[at + 1], at + 2
        if size & 0x80:
            head += size & 0x7F
            size = int.from_bytes(raw[at + 2 : head])
        found.append((tag, raw[head : head + size], raw[at : head + size]))
        at = head + size
    return found


def test_a_pass_is_signed_over_its_list_with_both_certificates_beside():
    files = opened()
    ((_, content, _),) = inside(files["signature"])  # RFC 5652: ContentInfo, SignedData, its SignerInfo
    (_, (_, wrapped, _)) = inside(content)
    ((_, signed, _),) = inside(wrapped)
    *_, (_, certificates, _), (_, signers, _) = inside(signed)
    assert len(inside(certificates)) == 2
    ((_, signer, _),) = inside(signers)
    *_, (tag, _, attributes), _, (_, signature, _) = inside(signer)
    assert tag == 0xA0
    assert hashlib.sha256(files["manifest.json"]).digest() in attributes
    said = b"\x31" + attributes[1:]  # signed as the set that they are
    KEY.public_key().verify(signature, said, padding.PKCS1v15(), hashes.SHA256())


def test_a_google_card_is_an_address_whose_claims_are_signed_and_hold_no_code():
    address = GoogleWallet(GoogleAccount.of(GOOGLE)).card(CARD, NOW).address.reveal()
    assert address.startswith(SAVE)
    head, claims, signature = address.removeprefix(SAVE).split(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    KEY.public_key().verify(raw, f"{head}.{claims}".encode(), padding.PKCS1v15(), hashes.SHA256())
    told = orjson.loads(base64.urlsafe_b64decode(claims + "=="))
    assert (told["aud"], told["typ"], told["iss"]) == ("google", "savetowallet", "pass@silk.example")
    (made,) = told["payload"]["genericObjects"]
    assert made["id"] == f"338.{CARD.key}"
    assert made["validTimeInterval"]["end"]["date"] == "2026-03-04T09:00:00Z"
    assert "4821" not in str(told)
    assert len(address) <= 1800  # what Google's page takes


@pytest.mark.parametrize(
    ("kind", "fields", "field"),
    [
        (AppleAccount, {**APPLE, "teamIdentifier": ""}, "teamIdentifier"),
        (AppleAccount, {**APPLE, "certificate": "no certificate"}, "certificate"),
        (AppleAccount, {**APPLE, "private_key": "no key"}, "certificate"),
        (AppleAccount, {**APPLE, "certificate": APPLE["intermediate"]}, "private_key"),
        (GoogleAccount, {**GOOGLE, "issuer": 7}, "issuer"),
        (GoogleAccount, {**GOOGLE, "private_key": "no key"}, "private_key"),
    ],
)
def test_an_account_that_is_not_whole_makes_no_card_and_names_its_field(kind, fields, field):
    wallets = {AppleAccount: AppleWallet, GoogleAccount: GoogleWallet}
    with pytest.raises(CardRefused) as refusal:
        wallets[kind](kind.of(fields)).card(CARD, NOW)
    assert refusal.value.field == field
    assert "no key" not in str(refusal.value)
