"""Whence the secret of a key comes, by its kind: as a table, which a vendor's adapter may overrule.

| source | the secret | before the vendor is asked |
|---|---|---|
| drawn | a PIN | we draw and seal it, so that every lock and every attempt is told the same |
| account | where the guest's app signs in | whoever knows it has sealed it; else there is no such key |
| given | a code or token that the vendor chooses | nothing is there; what it answers is sealed |
| none | a card or a tag that an encoder writes | nothing is there, and only a reference comes back |
| held | the number of a card that somebody holds | whoever reads it seals it; else there is no such key |
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from shared.domain.kinds import KeyCredentialKind


class SecretSource(StrEnum):
    """Whence a secret comes."""

    DRAWN = "drawn"
    ACCOUNT = "account"
    GIVEN = "given"
    NONE = "none"
    HELD = "held"

    @property
    def known_before(self) -> bool:
        """Say whether somebody must have sealed the secret before anybody can ask for the key."""
        return self in (SecretSource.ACCOUNT, SecretSource.HELD)


SOURCES: Final[Mapping[KeyCredentialKind, SecretSource]] = {
    KeyCredentialKind.PIN_CODE: SecretSource.DRAWN,
    KeyCredentialKind.MOBILE_APP: SecretSource.ACCOUNT,
    KeyCredentialKind.QR_CODE: SecretSource.GIVEN,
    KeyCredentialKind.RFID_CARD: SecretSource.NONE,
    KeyCredentialKind.NFC_TAG: SecretSource.NONE,
}
"""The usual source of each kind."""


def source_of(kind: KeyCredentialKind, overruled: Mapping[KeyCredentialKind, SecretSource]) -> SecretSource:
    """Return whence the secret of a kind comes, by what a vendor's adapter says or as usual."""
    return overruled.get(kind, SOURCES[kind])
