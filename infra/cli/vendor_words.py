"""What a vendor's bare code means, in the words of that vendor's own table of refusals."""

import re
from functools import cache
from typing import Final

from shared.domain.kinds import VendorCode
from shared.vendor_kit.refusals import Refusals
from shared.vendor_kit.registry import refusals_of

ANSWERED: Final = re.compile(r"([a-z][a-z0-9_]{0,31}) \S+: (-?[0-9]{1,9})")
"""A vendor, what it was asked, and the code it answered with, as a timeline has it."""


def meant(said: str) -> str:
    """Return what the code that ends a vendor's answer means, in brackets; nothing for other answers."""
    found = ANSWERED.fullmatch(said)
    table = _table(found[1]) if found else None
    if found is None or table is None or found[2] not in table.table:
        return ""
    return f" ({table.meaning(found[2]).cause.value.replace('_', ' ')})"


@cache
def _table(vendor: str) -> Refusals | None:
    table = refusals_of(VendorCode(vendor))
    return table if isinstance(table, Refusals) else None
