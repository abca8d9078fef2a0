"""Every route of vendors' accounts times everybody who must not get through it, over real sockets."""

import base64

from functions.vendor_accounts.account_routes import ROUTES as ACCOUNTS
from functions.vendor_accounts.cost_routes import ROUTES as COSTS
from functions.vendor_accounts.glass_routes import ROUTES as GLASS
from shared.domain.permissions import Role
from tests.support.matrix import who_got_through
from tests.support.staffed import staffed

NAME = "account-api"
WHICH = {"propertyId": "ppt_kabul", "vendor": "ttlock"}
WISH = {
    **WHICH,
    "incident": "INC-7",
    "because": "vendor_outage",
    "sealTo": base64.b64encode(b"k" * 32).decode(),
}
BODIES = {
    "/lock/v1/vendor-accounts/next": {**WHICH, "account": {"clientId": "theirs"}},
    "/lock/v1/vendor-accounts/rotations": WHICH,
    "/lock/v1/break-glass": WISH,
    "/lock/v1/vendor-prices": {"vendor": "ttlock", "currency": "euro"},
    "/lock/v1/break-glass/{breakGlassId}/verdict": {"verdict": "agreed"},
}


def _of_nothing_here(who, route, answer):
    """Whoever works elsewhere lists nothing, or hears that the property is not theirs."""
    return answer in ({"incidents": []}, {"accounts": []}) or answer.get("status") == 400


async def test_no_stranger_gets_through_any_route(tmp_path):
    async with staffed(tmp_path, lambda base: {}) as staff:
        status, _, glass = await staff.ask("POST", f"/{NAME}/lock/v1/break-glass", staff.badge(*Role), WISH)
        assert status == 202, glass
        ids = {"breakGlassId": glass["breakGlassId"]}
        routes = (*ACCOUNTS, *GLASS, *COSTS)
        through, tried = await who_got_through(
            staff, NAME, routes, ids, lambda route: BODIES.get(route.path, {}), _of_nothing_here
        )
        assert (through, tried) == ([], len(routes) * len(staff.strangers(NAME)))
        path = f"/{NAME}/lock/v1/break-glass/{ids['breakGlassId']}"
        _, _, kept = await staff.ask("GET", path, staff.badge(*Role))
        assert (kept["stage"], kept["approvals"]) == ("asked", [])
        rows = staff.house.fleet.means.engine.read(
            "SELECT id FROM packed WHERE collection IN ('account_rotations', 'next_accounts')", ()
        )
        assert rows == []
