"""What vendors cost over HTTP: their prices as a company's contracts have them, and a month's sum."""

from typing import Annotated, Final

from pydantic import StringConstraints

from functions.vendor_accounts.account_routes import Vendor
from shared.domain.permissions import Permission
from shared.events.wire import Maybe, Published
from shared.queries.costs import costs
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.routes import Route
from shared.usecases.accounts.set_price import SetPrice, set_price

Amount = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,5}(\.[0-9]{1,6})?$")]


class PriceWanted(Published):
    """What a vendor takes: of a key, of taking one back, of a lock's month."""

    vendor: Vendor
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
    issue: Amount = "0"
    revoke: Amount = "0"
    lock_month: Amount = "0"


class MonthAsked(Published):
    """Which month, such as 2026-11."""

    month: Annotated[str, StringConstraints(pattern=r"^20[0-9]{2}-(0[1-9]|1[0-2])$")]


class VendorMonth(Published):
    """What one vendor did at one property; without its price, no cost is told."""

    vendor: str
    property_id: str
    issued: int
    failed: int
    revoked: int
    unrevoked: int
    locks: int
    issue_success_rate: Maybe[float] = None
    revoke_success_rate: Maybe[float] = None
    issue_p95_ms: Maybe[int] = None
    currency: Maybe[str] = None
    cost: Maybe[str] = None
    counted_since: Maybe[str] = None
    """The first day that was counted, where those before it in the month were not: then no cost is told."""


class Costs(Published):
    """A month of a company."""

    month: str
    rows: tuple[VendorMonth, ...]
    sums: dict[str, str]


async def keep_price(asked: Asked, on: Platform) -> PriceWanted:
    """Keep a vendor's prices."""
    wanted = asked.body
    amounts = {"issue": wanted.issue, "revoke": wanted.revoke, "lock_month": wanted.lock_month}
    command = SetPrice.of(wanted.vendor, wanted.currency, amounts)
    await set_price(command, on.documents.tenant(asked.principal.tenant))
    return PriceWanted(**wanted.model_dump())


async def month_s_costs(asked: Asked, on: Platform) -> Costs:
    """Say what a month cost."""
    return Costs(**await costs(on.documents.tenant(asked.principal.tenant), asked.query.month))


ROUTES: Final = (
    Route(
        method="PUT",
        path="/lock/v1/vendor-prices",
        summary="Say what a vendor takes, as the contract has it",
        use_case=keep_price,
        request=PriceWanted,
        answer=PriceWanted,
        permission=Permission.VENDOR_ACCOUNT_WRITE,
    ),
    Route(
        method="GET",
        path="/lock/v1/costs",
        summary="What vendors did in a month, how well, and what it cost",
        use_case=month_s_costs,
        query=MonthAsked,
        answer=Costs,
        permission=Permission.TENANT_READ,
    ),
)
