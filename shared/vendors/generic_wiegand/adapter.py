"""Cards that a property's desk writes, for locks that nobody can reach."""

from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.desk_keys import DeskVendor, dialect_of, open_desk
from shared.vendor_kit.lock_vendor import PropertyLocks
from shared.vendors.generic_wiegand.capabilities import DIALECTS, OFFERED
from shared.vendors.generic_wiegand.errors import REFUSALS


def open_vendor(binding: Binding, ports: AdapterPorts) -> DeskVendor:
    """Open the adapter for one property; nothing is called yet."""
    locks = PropertyLocks(binding, REFUSALS, ports.clock, lambda: OFFERED)
    return open_desk(binding, ports, locks, dialect_of(binding.account, [*DIALECTS]))
