"""keyfleet up: what it says of a port somebody else has."""

import dataclasses
import json
import socket
from contextlib import nullcontext

import pytest

from infra.cli import listening
from infra.cli.losses import losses_file
from infra.local.server import free_port
from infra.local.storage import connection
from infra.local.storage.database import open_database
from infra.manifest.load import load_manifest


def _refused(run, place):
    result = run("up", "--home", str(place.home), "--port", str(place.port))
    assert (result.exit_code, result.stdout) == (1, "")
    return result.stderr


def test_up_on_a_taken_port_is_refused_before_anything_is_made(run, tmp_path, monkeypatch):
    monkeypatch.setattr(listening, "PATIENCE_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run("up", "--home", str(tmp_path / "home"), "--port", port)
    assert result.exit_code == 1
    assert f"port {port} is in use by something that does not answer" in result.stderr
    assert not (tmp_path / "home").exists()


def test_up_where_its_own_fleet_runs_points_at_it(fleet, run):
    fleet.will("GET", "/status", {})
    said = _refused(run, fleet.place)
    assert "is in use by the fleet of this home" in said
    assert f"keyfleet status{fleet.place.flags}" in said


@pytest.mark.parametrize(
    ("answer", "status", "who"),
    [
        ({"error": {"kind": "Unauthenticated"}}, 401, "a fleet of another home"),
        (b"<html></html>", 200, "something that is no fleet"),
    ],
)
def test_up_where_another_listens_says_who_and_names_a_port_that_is_free(
    fleet, run, tmp_path, answer, status, who
):
    fleet.will("GET", "/status", answer, status)
    place = dataclasses.replace(fleet.place, home=tmp_path / "new")
    said = _refused(run, place)
    assert f"in use by {who}\n" in said
    free = listening.free_port_above(place)
    assert f"keyfleet up{dataclasses.replace(place, port=free).flags}\n" in said
    assert not place.home.exists()


def test_up_where_another_listens_sends_nobody_to_a_home_that_is_open(fleet, run):
    fleet.will("GET", "/status", b"<html></html>")
    database = open_database(fleet.place.home / "fleet.db", (), bytes)
    said = _refused(run, fleet.place)
    database.close()
    assert f"{fleet.place.home} is open in a fleet on another port" in said
    assert "keyfleet up" not in said


@pytest.mark.parametrize(("started_before", "said"), [(False, ", where no fleet was before"), (True, "")])
def test_up_tells_the_whole_path_of_its_folder_and_whether_a_fleet_was_there(
    run, tmp_path, monkeypatch, started_before, said
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("infra.local.server.serve", lambda _config, ready, **_: ready())
    if started_before:
        open_database(tmp_path / "home" / "fleet.db", (), bytes).close()
    told = run("up", "--home", "home", "--port", str(free_port())).stdout
    kept = next(line for line in told.splitlines() if line.startswith("  kept in"))
    assert kept.startswith(f"  kept in    {tmp_path / 'home'}{said}")
    assert ("before" in kept) is not started_before


@pytest.mark.parametrize(
    ("kept_as", "said"),
    [
        (None, "gone; nothing was left to read: this fleet knows no tenant, booking or key of before\n"),
        ("fleet.db.damaged-1", "gone; all that was found is kept in fleet.db.damaged-1; what could be read "),
    ],
)
def test_up_tells_what_a_loss_that_was_just_accepted_means(run, tmp_path, monkeypatch, kept_as, said):
    loss = {"at": "2026-05-01T00:00:00+00:00", "finding": "gone", "kept_as": kept_as}
    notes = losses_file(tmp_path)
    notes.write_text(json.dumps({**loss, "finding": "an older one"}) + "\n")

    def serve(_config, ready, **_):
        with notes.open("a") as file:
            file.write(json.dumps(loss) + "\n")
        ready()

    monkeypatch.setattr("infra.local.server.serve", serve)
    told = run("up", "--accept-loss", "--home", str(tmp_path), "--port", str(free_port())).stdout
    assert f"  lost       {said}" in told
    assert f"then delete {notes}\n" in told
    assert "an older one" not in told


def test_up_that_lost_nothing_speaks_of_no_loss(run, tmp_path, monkeypatch):
    monkeypatch.setattr("infra.local.server.serve", lambda _config, ready, **_: ready())
    assert "  lost  " not in run("up", "--home", str(tmp_path), "--port", str(free_port())).stdout


def test_up_lists_functions_and_topics_on_lines_that_fit_a_screen(run, tmp_path, monkeypatch):
    monkeypatch.setattr("infra.local.server.serve", lambda _config, ready, **_: ready())
    told = run("up", "--home", str(tmp_path), "--port", str(free_port())).stdout
    _, _, after = told.partition("  functions  ")
    functions, _, topics = after.partition("\n  topics     ")
    names = [name.strip() for name in functions.replace("\n", " ").split(",")]
    assert names == list(load_manifest().functions)
    assert all(len(row) < 80 for row in functions.splitlines())
    assert "\n             melmastoon." in topics


@pytest.mark.parametrize("started_before", [True, False])
def test_up_says_that_simulated_doors_forgot_what_a_fleet_placed_before(
    run, tmp_path, monkeypatch, started_before
):
    configs = []
    monkeypatch.setattr(
        "infra.local.server.serve", lambda config, ready, **_: configs.append(config) or ready()
    )
    monkeypatch.setattr("infra.cli.up.simulator_beside", lambda *_: nullcontext())
    if started_before:
        open_database(tmp_path / "fleet.db", (), bytes).close()
    told = run("up", "--simulators", "--home", str(tmp_path), "--port", str(free_port())).stdout
    assert "  doors      keyfleet sim locks" in told
    hotel = "  hotel      ppt_kabul of tnt_silk, rooms rmu_101, rmu_102, rmu_203, rmu_204\n"
    assert (hotel in told, "  try        keyfleet trigger stay.booked" in told) == (
        started_before,
        started_before,
    )
    assert ("  try        keyfleet hotel import FILE" in told) is not started_before
    assert ("which start empty: the keys that belong there are placed again" in told) is started_before
    assert [config.doors_anew for config in configs] == [started_before]


def test_up_on_what_a_newer_release_wrote_says_which_to_start(run, tmp_path, monkeypatch):
    database = open_database(tmp_path / "fleet.db", (), bytes)
    connection.keep_layout(database.writer)
    database.close()
    monkeypatch.setattr(connection, "LAYOUT", connection.LAYOUT - 1)
    told = run("up", "--home", str(tmp_path), "--port", str(free_port()))
    assert told.exit_code == 1
    assert "fleet.db was written by a newer release than this one" in told.stderr
    assert "start that release again" in told.stderr
    assert "accept-loss" not in told.stderr
