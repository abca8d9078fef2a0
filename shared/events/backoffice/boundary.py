"""C's spellings and ours, one table each, read both ways at the backoffice's boundary (design §5)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from shared.domain.ids import PropertyId
from shared.domain.kinds import VendorCode
from shared.events.backoffice.vocabulary import PropId

VENDORS: Final[Mapping[VendorCode, str]] = MappingProxyType(
    {VendorCode("assa-abloy"): "assa-vostio", VendorCode("generic-wiegand"): "wiegand-generic"}
)
"""The vendors that C spells otherwise; every other is spelt alike."""

ACTIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"issue": ("issue",), "revoke": ("revoke",), "update": ("rebind", "extend")}
)
"""What the staff API calls what C calls so."""

_OURS: Final = {theirs: ours for ours, theirs in VENDORS.items()}


def their_property(ours: PropertyId) -> PropId:
    """A property as C names it."""
    return f"prop_{ours.removeprefix(PropertyId.prefix)}"


def our_property(theirs: PropId) -> PropertyId:
    """A property as we name it."""
    return PropertyId.parse(PropertyId.prefix + theirs.removeprefix("prop_"), "propertyId")


def their_vendor(ours: VendorCode) -> str:
    """A vendor as C names it."""
    return VENDORS.get(ours, ours)


def our_vendor(theirs: str) -> VendorCode:
    """A vendor as we name it."""
    return _OURS.get(theirs) or VendorCode(theirs)
