"""A card for Apple's wallet: a generic pass, its files listed by digest, the list signed (PKCS#7, detached).

The account is a Pass Type ID's certificate with its key, and Apple's intermediate certificate above it.
"""

import hashlib
import io
import struct
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self

import orjson

from shared.domain.instants import instant_to_text
from shared.domain.secret import Secret
from shared.ports.wallets import CardFile, CardRefused, KeyCard, Shown

MEDIA_TYPE: Final = "application/vnd.apple.pkpass"
INK, PAPER = "rgb(255,255,255)", "rgb(31,79,70)"
_FIELDS: Final = ("passTypeIdentifier", "teamIdentifier", "certificate", "private_key", "intermediate")
_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
_ICONS: Final = {"icon.png": 29, "icon@2x.png": 58}


@dataclass(frozen=True, slots=True)
class AppleAccount:
    """Who signs, for which type of pass."""

    pass_type: str
    team: str
    certificate: str
    key: Secret[str]
    intermediate: str

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Self:
        """Read an account."""
        for name in _FIELDS:
            if not isinstance(fields.get(name), str) or not fields[name].strip():
                raise CardRefused(name)
        kind, team, certificate, key, intermediate = (fields[name] for name in _FIELDS)
        return cls(kind, team, certificate, Secret(key), intermediate)


@dataclass(frozen=True, slots=True)
class AppleWallet:
    """Makes passes with one account."""

    account: AppleAccount

    def card(self, card: KeyCard, now: datetime) -> CardFile:
        """Return a signed pass."""
        files = {"pass.json": orjson.dumps(_pass(card, self.account, now))}
        files |= {name: _square(size) for name, size in _ICONS.items()}
        # The wallet checks each file against SHA-1 digests; what is believed is the signature over them.
        listed = {name: hashlib.sha1(body, usedforsecurity=False).hexdigest() for name, body in files.items()}
        manifest = orjson.dumps(listed)
        files |= {"manifest.json": manifest, "signature": _signed(manifest, self.account)}
        return CardFile(MEDIA_TYPE, "key.pkpass", _zipped(files))


def _pass(card: KeyCard, account: AppleAccount, now: datetime) -> dict[str, Any]:
    shown = [_field(each) for each in card.lines]
    return {
        "formatVersion": 1,
        "passTypeIdentifier": account.pass_type,
        "teamIdentifier": account.team,
        "serialNumber": card.key,
        "organizationName": card.hotel,
        "description": card.title,
        "foregroundColor": INK,
        "labelColor": INK,
        "backgroundColor": PAPER,
        "expirationDate": instant_to_text(card.ends),
        "relevantDate": instant_to_text(card.begins),
        "voided": now >= card.ends,
        "sharingProhibited": True,
        "barcodes": [
            {
                "format": "PKBarcodeFormatQR",
                "message": card.link,
                "messageEncoding": "iso-8859-1",
            }
        ],
        "generic": {
            "primaryFields": [{"key": "hotel", "label": card.title, "value": card.hotel}],
            "secondaryFields": shown[:2],
            "auxiliaryFields": shown[2:] + ([_field(card.code)] if card.code else []),
            "backFields": [{"key": "note", "label": card.title, "value": card.note}],
        },
    }


def _field(shown: Shown) -> dict[str, str]:
    return {"key": shown.name, "label": shown.label, "value": shown.value}


def _signed(manifest: bytes, account: AppleAccount) -> bytes:
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import pkcs7

    try:
        signer, above = (
            x509.load_pem_x509_certificate(each.encode())
            for each in (account.certificate, account.intermediate)
        )
        key = serialization.load_pem_private_key(account.key.reveal().encode(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise CardRefused("certificate") from None  # nor its words, which may quote the key
    if not isinstance(key, rsa.RSAPrivateKey) or key.public_key() != signer.public_key():
        raise CardRefused("private_key")
    options = [pkcs7.PKCS7Options.DetachedSignature, pkcs7.PKCS7Options.Binary]
    builder = pkcs7.PKCS7SignatureBuilder().set_data(manifest)
    builder = builder.add_signer(signer, key, hashes.SHA256()).add_certificate(above)
    signature: bytes = builder.sign(serialization.Encoding.DER, options)
    return signature


def _zipped(files: Mapping[str, bytes]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), body)
    return kept.getvalue()


def _square(size: int) -> bytes:
    """Return a plain picture in the paper's colour: the wallet takes no pass without an icon."""
    row = b"\x00" + bytes((31, 79, 70)) * size
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(row * size)), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
