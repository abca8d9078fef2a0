"""Vendors' accounts over HTTP: since when each is used, its rotation, and its next one, never shown."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field, JsonValue, StringConstraints

from shared.domain.permissions import Permission
from shared.domain.secret import Secret
from shared.events.wire import Instant, Maybe, PropertyId, Published
from shared.queries import accounts as queries
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.routes import Route
from shared.usecases.accounts import rotate
from shared.usecases.accounts.services import AccountServices

Vendor = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,19}$")]
Code = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{2,39}$")]
Fields = Annotated[dict[str, JsonValue], Field(min_length=1, max_length=40, repr=False)]


class AccountShown(Published):
    """A property's account at a vendor; nothing of what it holds."""

    vendor: str
    property_id: PropertyId
    stage: Literal["resting", "awaiting", "overlapping"]
    used_since: Instant
    lasts_until: Instant
    turn: int
    begun_by: Maybe[str] = None
    because: Maybe[str] = None
    refused: Maybe[str] = None
    """Why the last account that was brought was sent back, or cannot be tried yet."""


class AccountList(Published):
    """All accounts of the company, those used longest first."""

    accounts: tuple[AccountShown, ...]


class RotationWanted(Published):
    """Which account is to be replaced, and why, in one word."""

    property_id: PropertyId
    vendor: Vendor
    because: Code = "by_time"


class NextAccount(Published):
    """The next account, with the fields that the vendor's runbook shows."""

    property_id: PropertyId
    vendor: Vendor
    account: Fields


async def list_accounts(asked: Asked, on: Platform) -> AccountList:
    """Return every account of the company of which anything is known."""
    found = await queries.accounts(on.documents.tenant(asked.principal.tenant))
    return AccountList(accounts=tuple(AccountShown(**each) for each in found))


async def begin_rotation(asked: Asked, on: Platform) -> AccountShown:
    """Begin to replace an account."""
    record = await rotate.begin_rotation(
        _which(asked), str(asked.by), asked.body.because, AccountServices.on(on)
    )
    return AccountShown(**queries.account_facts(record))


async def bring_next(asked: Asked, on: Platform) -> AccountShown:
    """Take the next account."""
    import orjson

    account = Secret(orjson.dumps(asked.body.account))
    record = await rotate.bring_next(_which(asked), account, AccountServices.on(on))
    return AccountShown(**queries.account_facts(record))


def _which(asked: Asked) -> rotate.WhichAccount:
    said: dict[str, Any] = {"tenant": asked.principal.tenant, "property": asked.body.property_id}
    return rotate.WhichAccount.of({**said, "vendor": asked.body.vendor})


ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/vendor-accounts",
        summary="Vendors' accounts, and since when each is used",
        use_case=list_accounts,
        answer=AccountList,
        permission=Permission.VENDOR_ACCOUNT_WRITE,
    ),
    Route(
        method="POST",
        path="/lock/v1/vendor-accounts/rotations",
        summary="Begin to replace a vendor's account",
        use_case=begin_rotation,
        request=RotationWanted,
        answer=AccountShown,
        permission=Permission.VENDOR_ACCOUNT_WRITE,
        status=202,
    ),
    Route(
        method="POST",
        path="/lock/v1/vendor-accounts/next",
        summary="Bring the next account of a vendor",
        use_case=bring_next,
        request=NextAccount,
        answer=AccountShown,
        permission=Permission.VENDOR_ACCOUNT_WRITE,
        status=202,
        remembered=False,
    ),
)
