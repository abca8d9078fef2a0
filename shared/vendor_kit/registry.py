"""Which vendors are installed: a folder under `shared.vendors` is all it takes."""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from shared.domain.capabilities import LockCapabilities
from shared.domain.errors import InvalidInput
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.vendor_kit.binding import OpenVendor

VENDORS = "shared.vendors"


@lru_cache(maxsize=1)
def installed_vendors() -> Sequence[VendorCode]:
    """Return the codes of all vendors whose adapters are in this deployment, in order."""
    found = iter_modules(import_module(VENDORS).__path__)
    return sorted(VendorCode(module.name.replace("_", "-")) for module in found if module.ispkg)


def opener_of(vendor: VendorCode) -> OpenVendor:
    """Return what opens an adapter of this vendor; adapter functions import theirs by statement instead."""
    if vendor not in installed_vendors():
        raise InvalidInput("vendor", "not installed", f"Give one of {', '.join(installed_vendors())}")
    opener: OpenVendor = _part(vendor, "adapter").open_vendor
    return opener


def unenforced_kinds(vendor: VendorCode) -> frozenset[KeyCredentialKind]:
    """Return the kinds of key whose window no lock of this vendor enforces: its capabilities say so.

    Of a vendor that is not in this deployment nothing is known; its adapter will refuse what it cannot do.
    """
    if vendor not in installed_vendors():
        return frozenset()
    kinds: frozenset[KeyCredentialKind] = _part(vendor, "capabilities").UNENFORCED
    return kinds


def capacity_of(vendor: VendorCode) -> Mapping[KeyCredentialKind, int]:
    """Return how many keys of a kind one lock of this vendor keeps, where its capabilities say so."""
    if vendor not in installed_vendors():
        return {}
    told: Mapping[KeyCredentialKind, int] = getattr(_part(vendor, "capabilities"), "CAPACITY", {})
    return told


def tells_attempts(vendor: VendorCode) -> bool:
    """Say whether a vendor's doors tell who opened them, as its capabilities say, if they are here."""
    if vendor not in installed_vendors():
        return True
    told: bool = getattr(_part(vendor, "capabilities"), "TELLS_ATTEMPTS", False)
    return told


def dialects_of(vendor: VendorCode) -> Mapping[str, LockCapabilities]:
    """Return what a vendor's adapter can do at most, by each way it is spoken to; a stand-in has none."""
    told: Mapping[str, LockCapabilities] = getattr(_part(vendor, "capabilities"), "DIALECTS", {})
    return told


def receiver_of(vendor: VendorCode) -> str | None:
    """Return `phone` where a vendor sends keys on phones by numbers alone; else it takes any account."""
    if vendor not in installed_vendors():
        return None
    told: str | None = getattr(_part(vendor, "capabilities"), "RECEIVER", None)
    return told


def account_days(vendor: VendorCode) -> int | None:
    """Return for how many days a vendor's account is used; None where it holds no secret, or is no vendor."""
    if vendor not in installed_vendors():
        return None
    days: int | None = getattr(_part(vendor, "capabilities"), "ACCOUNT_DAYS", 90)
    return days


def names_locks_worldwide(vendor: VendorCode) -> bool:
    """Say whether a name is one lock at every property: elsewhere each has a room 101 of its own."""
    if vendor not in installed_vendors():
        return False
    told: bool = getattr(_part(vendor, "capabilities"), "LOCKS_NAMED_WORLDWIDE", False)
    return told


def refusals_of(vendor: VendorCode) -> object:
    """Return a vendor's table of refusals, or None of one that has none or is not in this deployment."""
    if vendor not in installed_vendors():
        return None
    try:
        return getattr(_part(vendor, "errors"), "REFUSALS", None)
    except ModuleNotFoundError:
        return None


@cache
def _part(vendor: VendorCode, name: str) -> ModuleType:
    return import_module(f"{VENDORS}.{vendor.replace('-', '_')}.{name}")
