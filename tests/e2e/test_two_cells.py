"""Two fleets on one machine are two cells: a company moves from one to the other with a key at the door."""

import json
from contextlib import ExitStack
from datetime import timedelta

import pytest
from typer.testing import CliRunner

from infra.cli.main import app
from infra.local.ambient import SystemClock
from infra.local.server import free_port
from tests.e2e.conftest import RealFleet
from tests.support.clouds import emulators, on_both

SILK, NEW = "tnt_silk", "local-b"
BY = ("--by", "usr_7")
BOOKING = "melmastoon.reservation.booking"


@pytest.fixture
def cells(tmp_path):
    """Two homes; the company lives in the first, whose doors both reach."""
    for each in ("old", "new"):
        (tmp_path / each).mkdir()
    return RealFleet(tmp_path / "old" / "home"), RealFleet(tmp_path / "new" / "home")


def day(days):
    return f"{SystemClock().now() + timedelta(days):%Y-%m-%dT%H:00:00Z}"


def told(cell, event, **data):
    """Tell a cell of a booking, and return what came of it."""
    said = json.dumps({"reservationId": "rsv_1", **data})
    return cell.ask("publish", f"{BOOKING}.{event}.v1", "--tenant", SILK, "--data", said)


def booked(old):
    """Book a stay that has begun, and return once its key opens."""
    stay = {"propertyId": "ppt_kabul", "guest": {"id": "gst_1"}, "rooms": ["rmu_101"]}
    told(old, "confirmed", **stay, validFrom=day(0), validUntil=day(4))
    old.until(lambda: states(old) == ["active"])


def states(cell):
    return [each["state"] for each in cell.ask("credentials")["credentials"]]


def opens(old, doors):
    """Return how many codes open the room, as the doors have it."""
    asked = ["--home", str(old.home), "--port", str(doors)]
    locks = json.loads(CliRunner().invoke(app, ["sim", "state", *asked, "--json"]).stdout)["locks"]
    (room,) = (each for each in locks if str(each["lockId"]) == "1000101")
    return len(room["listed"]["passcodes"])


def handed_over(old, new, folder, key):
    """Freeze the company, export it once the cell has come to rest, and bring it."""
    old.ask("tenant", "freeze", SILK, "--to", NEW, *BY)
    old.ask("tenant", "export", SILK, "--out", str(folder), "--to", key, exit_code=2)
    old.ask("clock", "--by", "15m")
    old.ask("tenant", "export", SILK, "--out", str(folder), "--to", key)
    return new.ask("tenant", "import", str(folder), *BY)


@on_both
def test_a_company_moves_with_its_key_by_the_commands_of_the_runbook(cells, tmp_path, cloud):
    old, new = cells
    folder, late, doors = tmp_path / "export", tmp_path / "late.jsonl", free_port()
    with ExitStack() as stack:
        emulators(cloud, stack)
        stack.enter_context(old.up("--sample", "--simulators", "--sim-port", str(doors)))
        stack.enter_context(new.up("--cell", NEW, "--platform", cloud.value))
        booked(old)
        key = new.ask("tenant", "invite", SILK, *BY)["key"]
        arrived = handed_over(old, new, folder, key)["arrived"]
        assert states(new) == ["active"]
        told(old, "checked_out")
        old.until(
            lambda: old.ask("tenant", "set-aside", SILK, "--to", key, "--out", str(_fresh(late)))["events"]
        )
        assert opens(old, doors) == 1
        new.ask("tenant", "hear", str(late))
        new.until(lambda: states(new) == ["revoked"] and opens(old, doors) == 0)
        old.ask("tenant", "remove", SILK, *BY, "--really", SILK, exit_code=1)
        gone = old.ask("tenant", "remove", SILK, *BY, "--really", SILK, "--arrived", arrived)
        assert gone["removed"]["main"] > 0
        assert new.ask("tenant", "import", str(folder), *BY)["arrived"] == arrived


def _fresh(file):
    file.unlink(missing_ok=True)
    return file


def test_a_torn_export_is_refused_before_anything_is_asked_of_a_cell(cells, tmp_path):
    old, _ = cells
    folder = tmp_path / "export"
    with old.up("--sample"):
        old.ask("tenant", "export", SILK, "--out", str(folder))
        unsealed = old.ask("tenant", "import", str(folder), *BY, exit_code=2)["error"]
        documents = folder / "documents.jsonl"
        documents.write_bytes(documents.read_bytes()[:-40])
        torn = old.ask("tenant", "import", str(folder), *BY, exit_code=1)["error"]
    assert "not sealed for any cell" in unsealed["message"]
    assert "is not what was exported" in torn["message"]
