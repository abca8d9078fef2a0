"""keyfleet clock: told, moved for fleet and doors, refused where it cannot be."""

import pytest

STANDS = {"now": "2026-05-01T09:00:00+00:00", "ahead_seconds": 0.0, "movable": True}
MOVED = {**STANDS, "now": "2026-05-03T09:00:00+00:00", "ahead_seconds": 172_800.0}
NOBODY = ("--sim-port", "1")


@pytest.fixture(autouse=True)
def _tells_the_time(fleet):
    fleet.will("GET", "/clock", STANDS)
    fleet.will("POST", "/clock", MOVED)


def test_it_is_told_by_utc_and_by_the_clock_on_the_hotels_wall(ask):
    said = ask("clock", *NOBODY).stdout.splitlines()
    assert said == [
        "The fleet: 2026-05-01 09:00:00 UTC, 13:30 in Asia/Kabul",
        "No simulated doors answer beside it.",
    ]


@pytest.mark.parametrize(
    "arguments",
    [("--by", "2d"), ("--by", "48h"), ("--to", "2026-05-03T09:00:00Z"), ("--to", "2026-05-03 13:30+04:30")],
)
def test_it_goes_on_by_a_distance_or_to_a_time(fleet, facts, arguments):
    assert facts("clock", *arguments, *NOBODY) == {**MOVED, "doors": None}
    assert ("POST", "/clock", {"seconds": 172_800.0}) in fleet.asked


def test_a_fleet_by_the_machines_clock_says_so(fleet, ask):
    fleet.will("GET", "/clock", {**STANDS, "movable": False})
    assert "UTC, as the machine's clock" in ask("clock", *NOBODY).stdout


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--by", "2d", "--to", "2026-05-03"), "pass one of them"),
        (("--by", "two days"), "90s, 30m, 5h or 2d"),
        (("--by", "-1h"), "90s, 30m, 5h or 2d"),
        (("--to", "soon"), "2027-05-01T09:30:00Z"),
    ],
)
def test_what_says_no_time_moves_nothing(fleet, ask, arguments, named):
    result = ask("clock", *arguments, *NOBODY)
    assert result.exit_code == 2
    assert named in result.stderr
    assert [path for method, path, _ in fleet.asked if method == "POST"] == []
