"""Who else listens on this machine."""

import socket

from infra.cli.address import FleetAddress
from infra.cli.listening import free_port_above, listens, who_listens


def test_listens_tells_a_free_port_from_a_taken_one(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = FleetAddress(tmp_path, taken.getsockname()[1])
        assert listens(place)
    assert not listens(place)


def test_a_fleet_is_known_for_one_before_this_home_has_an_identity(fleet, tmp_path):
    fleet.will("GET", "/status", {"error": {"kind": "Unauthenticated", "detail": "no token"}}, 401)
    assert who_listens(FleetAddress(tmp_path / "new", fleet.place.port)) == "a fleet of another home"
    assert not (tmp_path / "new").exists()


def test_a_free_port_is_looked_for_above_and_below_the_end_of_ports(fleet):
    assert free_port_above(fleet.place) > fleet.place.port
    assert free_port_above(FleetAddress(fleet.place.home, 65535)) is None
