"""A card for Google's wallet: all of it in a signed address that the guest opens; nothing is sent before."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self

from shared.domain.instants import instant_to_text
from shared.domain.secret import Secret
from shared.notify.signed_jwt import KeyUnreadable, signed_jwt
from shared.ports.wallets import CardLink, CardRefused, KeyCard

SAVE: Final = "https://pay.google.com/gp/v/save/"
PAPER: Final = "#1f4f46"
_FIELDS: Final = ("issuer", "class", "client_email", "private_key")


@dataclass(frozen=True, slots=True)
class GoogleAccount:
    """Who issues cards of which class; the class was made once, in the wallet's console."""

    issuer: str
    kind: str
    email: str
    key: Secret[str]

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Self:
        """Read an account."""
        for name in _FIELDS:
            if not isinstance(fields.get(name), str) or not fields[name].strip():
                raise CardRefused(name)
        issuer, kind, email, key = (fields[name] for name in _FIELDS)
        return cls(issuer, kind, email, Secret(key))


@dataclass(frozen=True, slots=True)
class GoogleWallet:
    """Makes addresses of cards with one account."""

    account: GoogleAccount

    def card(self, card: KeyCard, now: datetime) -> CardLink:
        """Return where a card is kept; a code never stands in it, whatever the hotel allows."""
        claims = {
            "iss": self.account.email,
            "aud": "google",
            "typ": "savetowallet",
            "iat": int(now.timestamp()),
            "origins": [],
            "payload": {"genericObjects": [_object(card, self.account)]},
        }
        try:
            return CardLink(Secret(SAVE + signed_jwt(claims, self.account.key)))
        except KeyUnreadable:
            raise CardRefused("private_key") from None


def _object(card: KeyCard, account: GoogleAccount) -> dict[str, Any]:
    said = [{"id": each.name, "header": each.label, "body": each.value} for each in card.lines]
    return {
        "id": f"{account.issuer}.{card.key}",
        "classId": f"{account.issuer}.{account.kind}",
        "state": "ACTIVE",
        "cardTitle": _text(card.hotel, card.language),
        "header": _text(card.title, card.language),
        "hexBackgroundColor": PAPER,
        "barcode": {"type": "QR_CODE", "value": card.link},
        "validTimeInterval": {
            "start": {"date": instant_to_text(card.begins)},
            "end": {"date": instant_to_text(card.ends)},
        },
        "textModulesData": [*said, {"id": "note", "body": card.note}],
    }


def _text(value: str, language: str) -> dict[str, Any]:
    return {"defaultValue": {"language": language, "value": value}}
