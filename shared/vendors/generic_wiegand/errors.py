"""What a desk's answers mean to us."""

from typing import Final

from shared.vendor_kit.desk_keys import desk_refusals
from shared.vendors.generic_wiegand.capabilities import VENDOR

REFUSALS: Final = desk_refusals(VENDOR)
