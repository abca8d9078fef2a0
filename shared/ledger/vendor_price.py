"""What a vendor takes of a hotel company: for a key, for taking one back, and for a lock's month (A §16.1).

No vendor publishes its prices, so each company says what its contract says. Amounts are millionths of a
currency: a key may cost less than a cent, and sums must come out even.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar, Final

from shared.domain.errors import InvalidInput
from shared.domain.kinds import VendorCode
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record

VENDOR_PRICES: Final = "vendor_prices"
MILLION: Final = 1_000_000
MOST: Final = 10_000 * MILLION
_AMOUNT: Final = re.compile(r"[0-9]{1,5}(\.[0-9]{1,6})?")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorPrice(Record):
    """One vendor's prices for one company."""

    schema_version: ClassVar[int] = 1

    vendor: VendorCode
    currency: str
    issue: int = 0
    revoke: int = 0
    lock_month: int = 0

    def __post_init__(self) -> None:
        if not _CURRENCY.fullmatch(self.currency):
            raise InvalidInput("currency", "not a currency's code", "Give three letters, such as EUR")

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(VENDOR_PRICES, self.vendor)

    def of(self, issued: int, revoked: int, locks: int) -> int:
        """Return what so much costs, in millionths."""
        return issued * self.issue + revoked * self.revoke + locks * self.lock_month


def millionths(text: str, field: str) -> int:
    """Read an amount as people write it."""
    if not _AMOUNT.fullmatch(text):
        raise InvalidInput(field, "not an amount", "Give digits and at most six behind a point, such as 0.02")
    amount = int(Decimal(text) * MILLION)
    if amount > MOST:
        raise InvalidInput(field, "above 10000", "Give the price of one")
    return amount


def amount_text(amount: int) -> str:
    """Write an amount as people read it: two places at least."""
    whole, rest = divmod(amount, MILLION)
    return f"{whole}.{f'{rest:06d}'.rstrip('0').ljust(2, '0')}"


async def find_price(store: TenantDocuments, vendor: str) -> VendorPrice | None:
    """Return a vendor's prices, or None where nobody said them."""
    found = await store.get(Ref(VENDOR_PRICES, vendor))
    return None if found is None else price_from(found)


def price_from(found: Document) -> VendorPrice:
    """Read a vendor's prices."""
    return read_record(VendorPrice, found)
