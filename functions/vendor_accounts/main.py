"""Entry points of vendors' accounts: their rotation, and what is shown of them in an emergency."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shared.domain.errors import InvalidInput
from shared.runtime.api import api
from shared.runtime.entry import step
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.runtime.routes import Route

Body = Mapping[str, Any]


@api
def account_api() -> "Sequence[Route]":
    """Return what people may do about vendors' accounts."""
    from functions.vendor_accounts.account_routes import ROUTES as ACCOUNTS
    from functions.vendor_accounts.cost_routes import ROUTES as COSTS
    from functions.vendor_accounts.glass_routes import ROUTES as GLASS

    return (*ACCOUNTS, *GLASS, *COSTS)


@step
async def account_steps(body: Body, on: Platform) -> Body:
    """Say what a saga is to do next: one that waits for the next account, or for those who agree."""
    from shared.usecases.accounts import break_glass, rotate
    from shared.usecases.accounts.services import AccountServices

    services = AccountServices.on(on)
    match body.get("do"):
        case "wait":
            return await rotate.wait_for_next(rotate.WaitForNext.of(body), services)
        case "glass":
            return await break_glass.look(body, services)
    raise InvalidInput("do", "not among what can be done", "say wait or glass")


@step
async def accounts_due(_body: Body, on: Platform) -> Body:
    """Note every account that is used and of which nothing is known; the sweeper does the rest."""
    from shared.queries.hotels import Cell
    from shared.usecases.accounts.note_accounts import note_all

    tenants = await Cell(on.documents, on.cell).tenants()
    return await note_all(tenants, on.documents, on.clock.now(), on.log)
