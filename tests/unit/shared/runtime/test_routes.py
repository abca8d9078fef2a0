"""A table of routes: what can be served, what is refused when it is written, and what fits a request."""

from dataclasses import replace

import pytest

from shared.domain.permissions import Permission
from shared.runtime.incoming import MethodNotAllowed
from shared.runtime.problems import NotThere
from shared.runtime.routes import PATH_IDS, Reach, RouteRefused, RouteTable
from tests.support.sample_api import ROUTES, Told

PLAIN = ROUTES[0]
KEY = "key_01KSAMP1E00000000000000001"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"method": "FETCH"}, "is none of"),
        ({"method": "GET", "request": Told}, "has no body"),
        ({"path": "/t/v1/Keys"}, "neither a lower-case word"),
        ({"path": "/t/v1/"}, "neither a lower-case word"),
        ({"path": "/t/v1/{key}"}, "no id that may stand in a path"),
        ({"path": "/t/v1/{tenantId}"}, "no id that may stand in a path"),
        ({"path": "/t/v1/{roomId}/{roomId}"}, "names an id twice"),
    ],
)
def test_a_row_that_cannot_be_served_is_refused_when_it_is_read(change, problem):
    with pytest.raises(RouteRefused, match=problem):
        RouteTable([replace(PLAIN, **change)])


def test_a_row_is_there_once():
    with pytest.raises(RouteRefused, match="twice"):
        RouteTable([PLAIN, PLAIN])


def test_a_path_is_found_with_its_ids_typed():
    route, ids = RouteTable(ROUTES).find("POST", f"/t/v1/keys/{KEY}/revoke")
    assert route.path.endswith("/revoke")
    assert {name: type(value) for name, value in ids.items()} == {
        "keyCredentialId": type(PATH_IDS["keyCredentialId"](KEY))
    }


def test_what_is_spelt_out_comes_before_what_stands_for_anything():
    open_one = replace(PLAIN, path="/t/v1/{shiftId}")
    spelt = replace(PLAIN, path="/t/v1/me")
    for routes in ((open_one, spelt), (spelt, open_one)):
        table = RouteTable(routes)
        assert table.find("GET", "/t/v1/me")[0] is spelt
        assert table.find("GET", "/t/v1/you")[0] is open_one


@pytest.mark.parametrize("path", ["", "/", "/t", "/t/v1/me/", "//t/v1/me", "/t/v1/me/x", "/T/v1/me"])
def test_what_fits_no_row_is_not_there(path):
    with pytest.raises(NotThere):
        RouteTable(ROUTES).find("GET", path)


def test_a_method_that_is_not_served_names_those_that_are():
    with pytest.raises(MethodNotAllowed) as refusal:
        RouteTable(ROUTES).find("PATCH", f"/t/v1/keys/{KEY}")
    assert refusal.value.allowed == ("GET", "PUT")


def test_a_tenant_stands_in_no_path():
    assert "tenantId" not in PATH_IDS


@pytest.mark.parametrize(
    ("permission", "path", "reach"),
    [
        (None, "/t/v1/me", Reach.NOWHERE),
        (Permission.TENANT_WRITE, "/t/v1/properties/{propertyId}", Reach.NOWHERE),
        (Permission.KEY_READ, "/t/v1/properties/{propertyId}/keys", Reach.PATH),
        (Permission.KEY_READ, "/t/v1/keys/{keyCredentialId}", Reach.THING),
    ],
)
def test_a_route_knows_how_it_finds_out_where_its_thing_is(permission, path, reach):
    assert replace(PLAIN, permission=permission, path=path).reach is reach
