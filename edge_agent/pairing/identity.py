"""What a paired desk knows of itself, and whom it believes; kept in its ledger, which is encrypted."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Self

from nacl.public import SealedBox
from nacl.signing import SigningKey, VerifyKey

from edge_agent.hardware.cards.keycard import Desk
from edge_agent.hardware.cards.keys import KeyMaterial
from edge_agent.ledger.ledger import DeskLedger
from shared.domain.ids import DesktopDeviceId, PropertyId, TenantId
from shared.domain.secret import Secret

SETTING: Final = "identity"
SEED_BYTES: Final = 32
FIELDS: Final = ("tenant", "propertyId", "property", "zone", "device", "name", "authorities", "cards")


class NotPaired(Exception):
    """This machine is no desk yet; the message says what to do."""


@dataclass(frozen=True, slots=True)
class DeskIdentity:
    """Whose desk this is, where its cloud is, and whose signatures count."""

    cloud: str
    tenant: TenantId
    property_id: PropertyId
    property: str
    zone: str
    device: DesktopDeviceId
    name: str
    certificates: tuple[VerifyKey, ...]
    arrivals: tuple[VerifyKey, ...]
    sealed_cards: str = field(repr=False)

    @classmethod
    def in_ledger(cls, ledger: DeskLedger) -> Self:
        """Return it, or raise NotPaired."""
        kept = ledger.settings.get(SETTING)
        if kept is None:
            raise NotPaired("this machine is not paired: keyfleet-edge pair")
        return cls.of(json.loads(kept))

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read what the cloud said at pairing, and where it is."""
        return cls(
            cloud=told["cloud"],
            tenant=TenantId(told["tenant"]),
            property_id=PropertyId(told["propertyId"]),
            property=told["property"],
            zone=told["zone"],
            device=DesktopDeviceId(told["device"]),
            name=told["name"],
            certificates=(_key(told["authorities"]["certificates"]),),
            arrivals=(_key(told["authorities"]["arrivals"]),),
            sealed_cards=told["cards"],
        )

    def card_desk(self, device: SigningKey) -> Desk:
        """Return what this property's cards are written with, which only this device can open."""
        opened = SealedBox(device.to_curve25519_private_key()).decrypt(base64.b64decode(self.sealed_cards))
        signing = SigningKey(opened[:SEED_BYTES])
        return Desk(KeyMaterial(1, Secret(opened[SEED_BYTES:])), signing, (signing.verify_key,))


def _key(text: str) -> VerifyKey:
    return VerifyKey(base64.b64decode(text, validate=True))
