"""kill -9 at every boundary, real processes: nothing acknowledged is lost, no finished call is repeated."""

import json
import sqlite3
from pathlib import Path

import pytest

from infra.local.home_witness import NOTE
from infra.local.storage.packing import unpack
from tests.chaos.boundaries import each_boundary
from tests.chaos.fleet_process import Unreachable

BOUNDARIES = {
    "before-commit": 28,
    "before-mark": 3,
    "after-commit": 28,
    "before-call": 5,
    "after-call": 5,
    "before-push": 3,
    "after-push": 3,
    "before-ack": 3,
    "after-ack": 3,
    "before-task-call": 1,
    "after-task-call": 1,
    "before-schedule-call": 1,
    "after-schedule-call": 1,
}
CASES = each_boundary(BOUNDARIES)
COMPARED = "locks are compared with the ledger"


def _work(fleet, outsider, *, scheduled=False) -> dict:
    """Give it work until it is done or the fleet dies; return what was acknowledged."""
    acknowledged = {"events": [], "executions": []}
    try:
        if scheduled:
            fleet.ask("POST", "/_cloud/schedules/probe-start/run")
        for digits in (6, 7, 8):
            event = {"subject": "melmastoon.tenant.config_updated.v1", "tenant": "tnt_silk"}
            body = {**event, "data": {"keyKindPolicy": {"pinDigits": digits}}, "ordering_key": "tnt_silk"}
            fleet.ask("POST", "/_cloud/publish", body)
            acknowledged["events"].append(digits)
        for workflow, argument in (
            ("outside", {"url": outsider.url}),
            ("probe_platform", {"probe": "p1", "wait_seconds": 0}),
        ):
            started = fleet.ask("POST", "/_cloud/executions", {"workflow": workflow, "argument": argument})
            acknowledged["executions"].append(started["execution"])
        fleet.until(lambda: _all_ended(fleet) and _policy(fleet) == 8)
    except Unreachable:
        pass
    return acknowledged


def _all_ended(fleet) -> bool:
    listed = fleet.ask("GET", "/_cloud/executions")["executions"]
    return len(listed) > 0 and all(each["state"] != "ACTIVE" for each in listed)


def _policy(fleet) -> int | None:
    document = fleet.ask("GET", "/_cloud/documents/tnt_silk/policies/tenant")["document"]
    return document and document["settings"].get("pinDigits")


def _finished_calls(home: Path) -> set[tuple[str, int]]:
    """Return (name, step) of every outside call whose outcome the dead process had kept."""
    database = home / "fleet.db"
    if not database.exists():
        return set()
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as reader:
        try:
            rows = reader.execute(
                "SELECT execution, entry FROM journal JOIN executions ON id = execution "
                "WHERE workflow = 'outside' ORDER BY execution, seq"
            ).fetchall()
        except sqlite3.OperationalError:  # it died before it made its tables
            return set()
    entries = [json.loads(unpack(entry)) for _, entry in rows]
    names = [value for entry in entries for kind, value in entry[2] if kind == "uuid"]
    answered = sum(entry[0] is not None for entry in entries)
    return {(names[0], step) for step in range(1, answered + 1)}


@pytest.mark.parametrize("crash", CASES)
def test_nothing_acknowledged_is_lost_and_nothing_finished_is_repeated(fleet, outsider, crash):
    scheduled, acknowledged = "schedule" in crash, {"events": [], "executions": []}
    if fleet.start(crash):
        acknowledged = _work(fleet, outsider, scheduled=scheduled)
    fleet.kill()
    finished, seen = _finished_calls(fleet.home), len(outsider.requests)
    assert fleet.start()
    assert fleet.until(lambda: _all_settled(fleet, acknowledged))
    repeated = {(request["execution"], request["step"]) for request in outsider.requests[seen:]} & finished
    assert not repeated
    same = [json.dumps(request, sort_keys=True) for request in outsider.requests]
    assert len(set(same)) == len({(r["execution"], r["step"]) for r in outsider.requests})
    fleet.stop()


def _all_settled(fleet, acknowledged) -> bool:
    for execution in acknowledged["executions"]:
        shown = fleet.ask("GET", f"/_cloud/executions/{execution}")
        state = shown["state"]
        assert state in {"ACTIVE", "SUCCEEDED"}, shown
        if state == "ACTIVE":
            return False
    newest = max(acknowledged["events"], default=0)
    return newest == 0 or (_policy(fleet) or 0) >= newest


def test_a_fleet_that_died_in_its_first_start_takes_its_ledger_for_its_own(fleet):
    assert not fleet.start("before-commit#1")
    assert fleet.start()
    assert COMPARED not in (fleet.home.parent / "fleet.log").read_text()


def test_a_fleet_starts_though_it_cannot_begin_the_comparison_that_it_owes(fleet):
    assert fleet.start()
    fleet.kill()
    (fleet.home / NOTE).write_text('{"file": [0, 0]}')
    assert fleet.start()
    told = (fleet.home.parent / "fleet.log").read_text()
    assert COMPARED in told
    assert "a hotel's locks could not be compared" in told


def test_every_boundary_of_this_work_is_in_the_list_above(fleet, outsider):
    assert fleet.start()
    _work(fleet, outsider)
    _work(fleet, outsider, scheduled=True)
    fleet.stop()
    census = json.loads((fleet.home / "census.json").read_text())
    assert set(census) == set(BOUNDARIES)
