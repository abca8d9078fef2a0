"""keyfleet capacity: a region's day beside its limits, from the run that is kept."""

import json

from infra.capacity import profile
from infra.cli import capacity


def test_a_region_is_played_and_what_comes_near_its_limit_is_marked(run):
    told = json.loads(run("capacity", "--properties", "100", "--json").stdout)
    assert told["properties"] == 100
    at_once = {each["what"]: each for each in told["loads"]}["executions at once"]
    assert (at_once["limit"], at_once["enough"]) == (10_000, True)


def test_a_run_is_kept_only_on_demand(run, monkeypatch):
    kept = []
    monkeypatch.setattr("infra.capacity.profile.keep", kept.append)
    monkeypatch.setattr(capacity, "measured", lambda _: profile.kept())
    assert run("capacity", "--properties", "50", "--houses", "1").exit_code == 0
    assert not kept
    assert run("capacity", "--properties", "50", "--keep").exit_code == 0
    assert kept[0]["day"]["executions"] == 50 * 100
