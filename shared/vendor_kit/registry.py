"""Which vendors are installed: a folder under `shared.vendors` is all it takes."""

from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules

from shared.domain.errors import InvalidInput
from shared.domain.kinds import VendorCode
from shared.vendor_kit.binding import OpenVendor

VENDORS = "shared.vendors"


def installed_vendors() -> Sequence[VendorCode]:
    """Return the codes of all vendors whose adapters are in this deployment, in order."""
    found = iter_modules(import_module(VENDORS).__path__)
    return sorted(VendorCode(module.name.replace("_", "-")) for module in found if module.ispkg)


def opener_of(vendor: VendorCode) -> OpenVendor:
    """Return what opens an adapter of this vendor; adapter functions import theirs by statement instead."""
    if vendor not in installed_vendors():
        raise InvalidInput("vendor", "not installed", f"Give one of {', '.join(installed_vendors())}")
    opener: OpenVendor = import_module(f"{VENDORS}.{vendor.replace('-', '_')}.adapter").open_vendor
    return opener
