"""A certificate for this machine and the authority that a fleet must trust for it, for one run."""

from datetime import timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from infra.local.ambient import SystemClock
from infra.local.storage.private import create_private

AUTHORITY, CERTIFICATE, KEY = "authority.pem", "vendor.pem", "vendor.key"
LASTS: Final = timedelta(days=1)


def certify(folder: Path) -> None:
    """Write an authority, and a certificate for the loopback address with its key, into a folder."""
    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    ca_name, name = _named("keyfleet bench authority"), _named("127.0.0.1")
    authority = _begun(ca_name, ca_name, ca_key).add_extension(
        x509.BasicConstraints(True, None), critical=True
    )
    here = x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))])
    vendor = _begun(name, ca_name, key).add_extension(here, critical=False)
    for file, builder in ((AUTHORITY, authority), (CERTIFICATE, vendor)):
        signed = builder.sign(ca_key, hashes.SHA256())
        (folder / file).write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    create_private(folder / KEY)
    (folder / KEY).write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _begun(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = SystemClock().now()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - LASTS)
        .not_valid_after(now + LASTS)
    )
