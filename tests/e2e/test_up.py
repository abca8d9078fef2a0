"""keyfleet up as a process: how it starts, how it ends, and what it says when it cannot start."""

import dataclasses
import http.client
import json
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from infra.cli.address import FleetAddress
from infra.cli.control import operator_token
from infra.local.server import free_port


def _checks(report):
    return {check["check"]: check for check in report["checks"]}


def test_up_announces_address_home_functions_and_topics(fleet):
    with fleet.up() as (_, announced):
        assert announced["base_url"] == f"http://127.0.0.1:{fleet.port}"
        assert announced["home"] == str(fleet.home)
        assert "on-config-updated" in announced["functions"]
        assert "melmastoon.tenant.config_updated.v1" in announced["topics"]


def test_up_says_whether_a_fleet_was_in_its_folder_before(fleet):
    news = []
    for _ in range(2):
        with fleet.up() as (_, announced):
            news.append(announced["new"])
    assert news == [True, False]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_up_told_to_stop_closes_the_database_and_exits_with_0(fleet, how):
    with fleet.up() as (process, _):
        process.send_signal(how)
        assert process.wait(20) == 0
    assert not fleet.home.joinpath("fleet.db-wal").exists()
    report = _checks(fleet.ask("doctor", exit_code=3))
    assert (report["database"]["verdict"], report["fleet"]["verdict"]) == ("ok", "warning")


def test_up_prints_nothing_after_its_document(fleet):
    with fleet.up() as (process, _):
        fleet.ask("schedule", "run", "probe-start")
        process.send_signal(signal.SIGTERM)
        assert process.stdout.read() == ""


def test_up_without_sample_admits_no_tenant_and_with_it_one(fleet):
    data = ["--tenant", "tnt_silk", "--data", '{"keyKindPolicy": {"pinDigits": 7}}']
    publish = ["publish", "melmastoon.tenant.config_updated.v1", *data]
    with fleet.up():
        fleet.ask(*publish)
        (letter,) = fleet.until(lambda: fleet.ask("dead-letter", "list")["messages"])
        assert letter["field"] == "tenantId"
    with fleet.up("--sample"):
        assert fleet.ask("dead-letter", "replay", letter["id"]) == {"replayed": 1}
        assert fleet.until(lambda: not any(fleet.ask("status")["backlog"].values()))
        assert fleet.ask("dead-letter", "list") == {"messages": []}


def test_up_on_a_taken_port_says_which_and_what_to_do(fleet, tmp_path):
    other = dataclasses.replace(fleet, home=tmp_path / "other")
    with fleet.up():
        refused = other.fails_to_start()
    assert refused.returncode == 1
    assert f"port {fleet.port} is in use by a fleet of another home" in refused.stderr
    assert f"keyfleet up --home {other.home} --port " in refused.stderr
    assert refused.stdout == ""


def test_s2_the_control_plane_is_at_the_homes_socket_and_not_on_the_port(running):
    place = FleetAddress(running.home, running.port)
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=20)
    connection.request("GET", "/_cloud/status", headers={"Authorization": f"Bearer {operator_token(place)}"})
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["error"]["kind"]) == (404, "ControlElsewhere")
    connection.close()
    assert running.ask("status")["base_url"] == place.base_url


def test_s6_half_sent_requests_keep_neither_the_command_line_nor_a_function_from_the_fleet(running):
    silent = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(300)]
    for each in silent:
        each.sendall(b"GET / HTTP/1.1\r\n")
    assert running.ask("status")["functions"]
    assert running.ask("schedule", "run", "sweep-due")["succeeded"]
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=20)
    connection.request("GET", "/sweep-due")
    assert connection.getresponse().status == 401
    for each in (*silent, connection):
        each.close()


def test_up_beside_itself_points_at_the_fleet_that_runs(fleet):
    with fleet.up():
        refused = fleet.fails_to_start()
    assert refused.returncode == 1
    assert "in use by the fleet of this home" in refused.stderr
    assert f"keyfleet status --home {fleet.home} --port {fleet.port}" in refused.stderr


def test_doctor_on_another_port_than_the_fleets_starts_no_second_one(fleet):
    with fleet.up():
        report = dataclasses.replace(fleet, port=free_port()).ask("doctor", exit_code=3)
    found = _checks(report)["fleet"]
    assert found["verdict"] == "warning"
    assert "keyfleet up" not in found["detail"] + found["remedy"]


def test_up_on_a_home_in_use_says_so(fleet):
    with fleet.up():
        refused = dataclasses.replace(fleet, port=free_port()).fails_to_start()
    assert refused.returncode == 1
    assert f"another fleet has the database in {fleet.home} open" in refused.stderr
    assert "KEYFLEET_HOME" in refused.stderr


def test_up_on_a_home_that_is_a_file_says_so(fleet):
    fleet.home.write_text("not a folder")
    refused = fleet.fails_to_start()
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert "--home" in refused.stderr


def test_up_on_a_damaged_database_refuses_until_the_loss_is_accepted(fleet):
    with fleet.up("--sample"):
        pass
    (fleet.home / "fleet.db").unlink()
    refused = fleet.fails_to_start()
    assert refused.returncode == 1
    assert "group commits were acknowledged" in refused.stderr
    assert f"keyfleet up --accept-loss --home {fleet.home}" in refused.stderr
    assert _checks(fleet.ask("doctor", exit_code=1))["database"]["verdict"] == "failed"
    with fleet.up("--accept-loss"):
        assert fleet.ask("workflow", "list") == {"executions": []}


def test_up_without_the_key_that_sealed_the_database_names_the_way_out_for_this_fleet(fleet):
    with fleet.up("--sample"):
        pass
    (fleet.home / "master.key").unlink()
    refused = fleet.fails_to_start()
    assert refused.returncode == 1
    problem, remedy = refused.stderr.splitlines()
    assert problem == "error: master.key is missing, and the database holds what it sealed"
    assert remedy.startswith(f"  fix: restore its backup into {fleet.home}; or accept with ")
    assert f"`keyfleet up --accept-loss --home {fleet.home} --port {fleet.port}`" in remedy


def test_up_with_a_key_others_may_read_refuses(fleet):
    with fleet.up():
        pass
    (fleet.home / "identity.key").chmod(0o644)
    refused = fleet.fails_to_start()
    assert refused.returncode == 1
    assert "chmod 600" in refused.stderr
    (fleet.home / "identity.key").chmod(0o600)
    (fleet.home / "identity.key").write_bytes(b"short")
    assert "  fix: delete it, and the next start makes a new one" in fleet.fails_to_start().stderr


@pytest.mark.parametrize("name", ["fleet.db", "identity.key", "people.key", "master.key", "fleet.mark", ""])
def test_ed1_a_fleet_whose_file_is_gone_takes_nothing_more_and_says_so(fleet, name):
    publish = ["publish", "melmastoon.tenant.config_updated.v1", "--tenant", "tnt_silk"]
    data = ["--data", '{"keyKindPolicy": {"pinDigits": 7}}']
    with fleet.up("--sample"):
        fleet.ask(*publish, *data)
        taken = fleet.home / name if name else fleet.home
        taken.rename(taken.with_name("taken"))
        if name == "identity.key":
            shutil.copy(taken.with_name("taken"), taken)
        if not name:
            shutil.copytree(taken.with_name("taken"), taken, copy_function=_copied)
        log = fleet.home.parent / "fleet.log"
        fleet.until(lambda: "a file of the fleet is gone" in log.read_text() or time.sleep(0.01))
        if not name:
            return
        refused = fleet.ask(*publish, *data, exit_code=1)
        assert f"{name} was removed or replaced" in str(refused["error"])
        database = _checks(fleet.ask("doctor", exit_code=1))["database"]
        assert (database["verdict"], name in database["detail"]) == ("failed", True)


def _copied(source, target):
    """Copy what is a file, and leave the socket out."""
    return shutil.copy2(source, target) if Path(source).is_file() else target


def test_ec1_a_start_without_room_says_so_in_words(fleet):
    with fleet.up():
        pass
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "
    command = f"{limit}from infra.cli.main import app; app({['up', *fleet.place]!r})"
    ended = subprocess.run(
        [sys.executable, "-c", command], check=False, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    assert "error: " in ended.stderr
    assert "fix: " in ended.stderr
