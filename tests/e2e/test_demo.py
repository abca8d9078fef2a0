"""keyfleet demo, for real: processes, sockets, files, and a kill -9."""

import json
import os
import signal
import subprocess
import sys

import psutil
import pytest

CLAIMS = [
    "starts",
    "sample",
    "event",
    "saga",
    "killed",
    "restarted",
    "resumed",
    "once",
    "kept",
    "refused",
    "quarantined",
]
COMMAND = [sys.executable, "-m", "infra.cli", "demo"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The facts of one demo, run in a temporary folder of its own."""
    folder = tmp_path_factory.mktemp("demo")
    ran = subprocess.run(
        [*COMMAND, "--json"],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ | {"TMPDIR": str(folder)},
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert list(folder.iterdir()) == []
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def seen(demo):
    return {claim["name"]: claim["seen"] for claim in demo["claims"]}


def test_the_demo_makes_good_every_claim_in_order(demo):
    assert [(claim["name"], claim["held"]) for claim in demo["claims"]] == [(name, True) for name in CLAIMS]
    assert demo["held"] is True


def test_the_demo_takes_less_than_20_seconds(demo):
    assert demo["seconds"] < 20


def test_the_demo_kills_the_fleet_without_warning_and_starts_another(seen):
    assert seen["killed"] == {"pid": seen["starts"]["pid"], "exit_status": -9, "state": "ACTIVE"}
    assert seen["restarted"]["pid"] != seen["starts"]["pid"]


def test_the_demo_brings_the_saga_through_the_kill(demo, seen):
    assert seen["resumed"]["result"] == {"probe": "demo", "visits": 2, "answer": "here"}
    kinds = [step["kind"] for step in demo["steps"]]
    assert kinds.count("retry") == 1
    answered = [step["what"].rpartition("/")[2] for step in demo["steps"] if step["kind"] == "answered"]
    assert [what for what in answered if what.startswith("probe-")] == [
        "probe-answer: 503",
        "probe-answer: 200",
        "probe-handover: 200",
    ]


def test_the_demo_sets_aside_what_can_never_succeed_and_nothing_else(seen):
    (letter,) = seen["quarantined"]["set_aside"]
    assert letter["field"] == "tenantId"
    assert letter["remedy"]


def test_the_demo_leaves_no_process_behind(seen):
    assert not any(psutil.pid_exists(seen[act]["pid"]) for act in ("starts", "restarted"))


def test_the_demo_told_to_stop_takes_its_fleet_along(tmp_path):
    demo = subprocess.Popen(
        COMMAND,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"},
    )
    while not demo.stdout.readline().startswith("✓"):
        assert demo.poll() is None
    children = psutil.Process(demo.pid).children(recursive=True)
    demo.send_signal(signal.SIGTERM)
    demo.communicate(timeout=30)
    assert children
    assert demo.returncode != 0
    assert psutil.wait_procs(children, timeout=10)[1] == []
    assert list(tmp_path.iterdir()) == []
