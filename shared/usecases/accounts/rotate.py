"""An account's secret is replaced without a moment in which no key can be made (A §13.5; decision 0160).

| step | who | died here |
|---|---|---|
| 1. a rotation is begun, and its execution | a person, or broken glass | the sweeper begins the execution |
| 2. the next account is brought, and sealed | a person, from the vendor's console | it is brought again |
| 3. the vendor is asked in its name and in the old one's; then it is used | the adapter | it is tried again |
| 4. the old one is revoked at the vendor | a person | |
| 5. the vendor is asked in the old one's name until it refuses: it is destroyed | the adapter | asked again |

No account is ever an argument of a workflow, nor part of an answer. One execution sees to a turn: who is
followed by another, because nothing came of it for a day, is told that it is over.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.keywork.services import retry_on_conflict
from shared.ledger.account_rotation import (
    ASKED_EVERY,
    AccountRotation,
    Stage,
    find_rotation,
    first_seen,
)
from shared.ports.documents import TenantDocuments
from shared.usecases.accounts.deeds import Deed, saved_with
from shared.usecases.accounts.services import (
    KEPT_FOR,
    NEXT,
    OF_CALLBACKS,
    WAITING,
    AccountServices,
    next_account,
)
from shared.vendor_kit.accounts import account_fields
from shared.vendor_kit.registry import account_days

WORKFLOW: Final = "rotate_secret"
LARGEST: Final = 16_384


@dataclass(frozen=True, slots=True)
class WhichAccount:
    """A property's account at a vendor."""

    tenant: TenantId
    vendor: VendorCode
    property_id: PropertyId

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read which is meant."""
        tenant = TenantId.parse(body.get("tenant"), "tenant")
        place = PropertyId.parse(body.get("property"), "property")
        return cls(tenant, checked_vendor(str(body.get("vendor"))), place)

    async def checked(self, on: AccountServices) -> TenantDocuments:
        """Return the tenant's documents; refuse a property that is not there."""
        await on.hotels.premises(self.tenant, self.property_id)
        return on.documents.tenant(self.tenant)


def checked_vendor(name: str) -> VendorCode:
    """Return a vendor whose accounts have a secret that ages."""
    vendor = VendorCode(name)
    if account_days(vendor) is None:
        raise InvalidInput("vendor", "has no account with a secret", "Name another: this one has none")
    return vendor


async def begin_rotation(which: WhichAccount, by: str, because: str, on: AccountServices) -> AccountRotation:
    """Begin to replace an account; one that is being replaced already goes on."""
    store = await which.checked(on)

    async def begin() -> AccountRotation:
        known = await find_rotation(store, which.vendor, which.property_id)
        record = known or first_seen(which.vendor, which.property_id, on.now)
        if record.stage is not Stage.RESTING:
            return record
        begun = record.begun(by, because, on.now)
        return await saved_with(begun, [Deed.of_rotation("rotation_begun", begun)], store, on)

    record = await retry_on_conflict(begin)
    if record.execution is None:
        on.log.warning("an account is being replaced", vendor=which.vendor, property=which.property_id, by=by)
        await start(which.tenant, record, on)
    return record


async def start(tenant: TenantId, record: AccountRotation, on: Any) -> None:
    """Begin an execution of a rotation; of two, the one that comes first goes on."""
    which = {"tenant": str(tenant), "property": str(record.property_id), "vendor": str(record.vendor)}
    await on.sagas.start(WORKFLOW, {**which, "turn": record.turn, "adapter": f"adapter-{record.vendor}"})


async def bring_next(which: WhichAccount, account: Secret[bytes], on: AccountServices) -> AccountRotation:
    """Take the next account, sealed for its vendor's adapter, and wake who waits for it."""
    store = await which.checked(on)
    record = await find_rotation(store, which.vendor, which.property_id)
    if record is None or record.stage is not Stage.AWAITING:
        raise InvalidInput("vendor", "no account of it is being replaced", "Begin that first")
    if len(account.reveal()) > LARGEST or not account_fields(account):
        raise InvalidInput("account", "empty, or too long", "Give the account as the vendor's runbook shows")
    keep = on.sealed_of(which.tenant).keep
    purpose, until = next_account(which.vendor), on.now + KEPT_FOR
    await retry_on_conflict(partial(keep, NEXT, record.name, purpose, account, until))
    await on.wake(which.tenant, record.name, {"brought": True})
    return record


@dataclass(frozen=True, slots=True)
class WaitForNext:
    """An execution that sees to a turn, and where it can be woken."""

    which: WhichAccount
    turn: int
    execution: str
    address: Secret[bytes]

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the step's call."""
        address = Secret(str(body.get("callback_url")).encode())
        return cls(WhichAccount.of(body), turn_of(body), str(body.get("execution")), address)


def turn_of(body: Mapping[str, Any]) -> int:
    """Return which turn of an account's a call is about."""
    turn = body.get("turn")
    if type(turn) is not int:
        raise InvalidInput("turn", "not a number", "send it as the workflow rotate_secret does")
    return turn


async def wait_for_next(call: WaitForNext, on: AccountServices) -> dict[str, str]:
    """Say whether the next account is there; until then, keep where to wake who waits for it."""
    which, store = call.which, on.documents.tenant(call.which.tenant)
    record = await find_rotation(store, which.vendor, which.property_id)
    if record is None or (record.turn, record.execution or call.execution) != (call.turn, call.execution):
        return {"outcome": "over"}
    if record.stage is Stage.RESTING:
        return {"outcome": "over"}
    if record.execution is None:
        record = await record.taken_up(call.execution, on.now).saved(store)
    sealed = on.sealed_of(which.tenant)
    if record.stage is Stage.OVERLAPPING or await sealed.known(NEXT, record.name):
        return {"outcome": "brought"}
    keep = partial(sealed.keep, WAITING, record.name, OF_CALLBACKS, call.address, on.now + KEPT_FOR)
    await retry_on_conflict(keep)
    # Who brought it between the two found nobody to wake.
    return {"outcome": "brought" if await sealed.known(NEXT, record.name) else "wait"}


async def tend_account(name: str, tenant: TenantId, store: TenantDocuments, on: Any) -> bool:
    """Call for somebody whom an account waits for, and see that an execution is at work on it."""
    vendor, _, place = name.partition(".")
    record = await find_rotation(store, VendorCode(vendor), PropertyId(place))
    if record is None or record.due is None or record.due > on.now:
        return False
    if record.left_alone:
        await _begin_again(record, tenant, store, on)
        return True
    named = {"tenant": tenant, "vendor": vendor, "property": place, "since": record.since.isoformat()}
    match record.stage:
        case Stage.RESTING:
            on.log.alert("a vendor's account is to be replaced", runbook="cloud/vendor-accounts", **named)
        case Stage.AWAITING:
            on.log.alert("the next account of a vendor is not here", runbook="cloud/vendor-accounts", **named)
        case Stage.OVERLAPPING:
            on.log.alert("a vendor takes an old account still", runbook="cloud/vendor-accounts", **named)
    if record.stage is Stage.RESTING:
        await replace(record, due=on.now + ASKED_EVERY).saved(store)
    else:
        await _begin_again(record, tenant, store, on)
    return True


async def _begin_again(record: AccountRotation, tenant: TenantId, store: TenantDocuments, on: Any) -> None:
    again = await record.begun_again(on.now).saved(store)
    await start(tenant, again, on)
