"""A place, and how a remedy names it."""

from pathlib import Path

import pytest

from infra.cli.address import FleetAddress
from infra.local.storage.database import open_database


@pytest.mark.parametrize(
    ("place", "flags"),
    [
        (FleetAddress(), ""),
        (FleetAddress(port=9000), " --port 9000"),
        (FleetAddress(Path("a b"), 9000), " --home 'a b' --port 9000"),
    ],
)
def test_a_place_is_named_by_the_options_that_lead_there(place, flags):
    assert place.flags == flags


def test_a_place_agrees_with_the_fleet_about_its_addresses():
    from infra.local.world import FleetConfig

    place = FleetAddress(Path("home"), 9000)
    config = FleetConfig(place.home, place.port)
    assert (place.base_url, place.control_audience) == (config.base_url, config.control_url)


def test_a_home_is_open_while_a_fleet_has_its_database(tmp_path):
    place = FleetAddress(tmp_path / "home")
    assert not place.is_open()
    assert not place.home.exists()
    database = open_database(place.home / "fleet.db", (), bytes)
    assert place.is_open()
    database.close()
    assert not place.is_open()
