"""A company says what a vendor takes of it, as its contract has it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.kinds import VendorCode
from shared.keywork.services import retry_on_conflict
from shared.ledger.vendor_price import VendorPrice, find_price, millionths
from shared.ports.documents import TenantDocuments
from shared.vendor_kit.registry import installed_vendors

AMOUNTS: Final = ("issue", "revoke", "lock_month")


@dataclass(frozen=True, slots=True)
class SetPrice:
    """A vendor's prices, checked."""

    price: VendorPrice

    @classmethod
    def of(cls, vendor: str, currency: str, amounts: Mapping[str, Any]) -> Self:
        """Read the prices; what is not named costs nothing."""
        if vendor not in installed_vendors():
            raise InvalidInput("vendor", "not installed", f"Give one of {', '.join(installed_vendors())}")
        issue, revoke, month = (millionths(str(amounts.get(name) or "0"), name) for name in AMOUNTS)
        prices = VendorPrice(
            vendor=VendorCode(vendor), currency=currency, issue=issue, revoke=revoke, lock_month=month
        )
        return cls(prices)


async def set_price(command: SetPrice, store: TenantDocuments) -> VendorPrice:
    """Keep the prices in place of those before; months that are asked for later are told by these."""

    async def keep() -> VendorPrice:
        known = await find_price(store, command.price.vendor)
        kept = command.price if known is None else replace(command.price, version=known.version)
        return await kept.saved(store)

    return await retry_on_conflict(keep)
