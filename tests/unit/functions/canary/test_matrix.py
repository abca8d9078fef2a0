"""Every route of next builds on trial times everybody who must not get through it, over real sockets."""

from functions.canary.canary_routes import ROUTES
from tests.support.matrix import who_got_through
from tests.support.staffed import staffed

NAME = "canary-api"
BODIES = {
    "/lock/v1/canaries": {"propertyId": "ppt_kabul", "vendor": "ttlock"},
    "/lock/v1/canaries/stop": {"vendor": "ttlock"},
}


def _of_nothing_here(who, route, answer):
    """Whoever works for another company lists nothing, or hears that it is not theirs."""
    return answer == {"canaries": []} or answer.get("status") == 400


async def test_no_stranger_gets_through_any_route(tmp_path):
    async with staffed(tmp_path, lambda base: {}) as staff:
        through, tried = await who_got_through(
            staff, NAME, ROUTES, {}, lambda route: BODIES.get(route.path, {}), _of_nothing_here
        )
        assert (through, tried) == ([], len(ROUTES) * len(staff.strangers(NAME)))
        rows = staff.house.fleet.means.engine.read("SELECT id FROM packed WHERE collection = 'canaries'", ())
        assert rows == []
