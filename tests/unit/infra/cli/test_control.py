"""How the command line meets a fleet: found, not found, not ours, unwilling."""

import json
import socket

import pytest

from infra.cli.address import FleetAddress
from infra.cli.control import ControlPlane, operator_token
from infra.cli.problems import Failed, Refused, Unreachable
from infra.local.own_socket import leave_home, listen_at_home
from infra.local.storage.database import open_database


@pytest.fixture
def control(fleet):
    return ControlPlane(fleet.place)


def _unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_control_returns_what_the_fleet_answers(fleet, control):
    fleet.will("GET", "/status", {"executions": 3})
    assert control.get("status") == {"executions": 3}


def test_control_calls_as_the_operator(fleet, control):
    fleet.will("GET", "/status", {})
    control.get("status")
    (authorization,) = fleet.authorizations
    assert authorization == f"Bearer {operator_token(fleet.place)}"


def test_control_leaves_out_of_the_query_what_is_not_asked(fleet, control):
    fleet.will("GET", "/executions?state=ACTIVE", {"executions": []})
    assert control.get("executions", workflow=None, state="ACTIVE") == {"executions": []}


def test_control_keeps_an_id_within_its_part_of_the_path(fleet, control):
    with pytest.raises(Refused):
        control.get("executions", "..?x=1#")
    assert fleet.asked == [("GET", "/executions/..%3Fx%3D1%23", None)]


def test_control_that_finds_nobody_says_how_to_start_a_fleet(fleet):
    leave_home(fleet.place.home)
    with pytest.raises(Unreachable) as caught:
        ControlPlane(fleet.place).get("status")
    assert f"keyfleet up --home {fleet.place.home} --port {fleet.place.port}" in caught.value.remedy


def test_control_that_finds_nobody_does_not_start_a_second_fleet_in_an_open_home(fleet):
    leave_home(fleet.place.home)
    database = open_database(fleet.place.home / "fleet.db", (), bytes)
    with pytest.raises(Unreachable, match="open, but does not answer") as caught:
        ControlPlane(fleet.place).get("status")
    database.close()
    assert "keyfleet up" not in caught.value.remedy


def test_control_of_a_fleet_on_another_port_asks_for_the_right_one(fleet):
    with pytest.raises(Unreachable, match="on another port") as caught:
        ControlPlane(FleetAddress(fleet.place.home, _unused_port())).get("status")
    assert "--port" in caught.value.remedy


def test_s2_no_token_goes_to_a_process_of_another_user(fleet, control, monkeypatch):
    monkeypatch.setattr("infra.local.own_socket.is_own", lambda _connection: False)
    with pytest.raises(Unreachable, match="another user's process"):
        control.get("status")
    assert fleet.asked == []


def test_s2_no_token_goes_to_whoever_listens_on_the_port(fleet, ask):
    leave_home(fleet.place.home)
    for command in (("status",), ("doctor",), ("up",), ("publish", "melmastoon.tenant.config_updated.v1")):
        assert ask(*command).exit_code != 0
    assert set(fleet.authorizations) <= {None}


def test_control_in_a_home_without_identity_says_so_and_makes_none(tmp_path):
    with pytest.raises(Unreachable, match="no fleet was ever started"):
        ControlPlane(FleetAddress(tmp_path)).get("status")
    assert not list(tmp_path.iterdir())


def test_control_refuses_an_identity_that_others_may_read(fleet, control):
    (fleet.place.home / "identity.key").chmod(0o644)
    with pytest.raises(Refused, match="readable by others") as refused:
        control.get("status")
    assert "chmod 600" in refused.value.remedy
    assert fleet.asked == []


def test_control_that_cannot_read_the_identity_says_as_whom_to_run(fleet, control):
    (fleet.place.home / "identity.key").unlink()
    (fleet.place.home / "identity.key").mkdir(mode=0o700)
    with pytest.raises(Refused, match=r"cannot read .*identity\.key") as caught:
        control.get("status")
    assert caught.value.remedy == "run as the user who runs the fleet"


@pytest.mark.parametrize("status", [401, 403])
def test_control_whose_identity_was_changed_under_it_says_so(fleet, control, status):
    fleet.will("GET", "/status", {"error": {"kind": "Unauthenticated", "detail": "signature"}}, status)
    with pytest.raises(Unreachable, match="does not take the identity") as caught:
        control.get("status")
    assert "stop it and start it again" in caught.value.remedy


@pytest.mark.parametrize("body", [b"<html>hello</html>", b'"a text"'])
@pytest.mark.parametrize("status", [200, 404])
def test_control_that_speaks_otherwise_is_no_fleet(fleet, control, body, status):
    fleet.will("GET", "/status", body, status)
    with pytest.raises(Unreachable, match="is no fleet"):
        control.get("status")


def test_control_that_does_not_answer_in_time_is_unreachable(fleet):
    with listen_at_home(fleet.place.home), pytest.raises(Unreachable, match="did not answer within"):
        ControlPlane(fleet.place, patience=0.05).get("status")


def test_control_passes_on_field_problem_and_remedy(fleet, control):
    error = {"field": "tenant", "problem": "missing", "remedy": "pass --tenant"}
    fleet.will("POST", "/publish", {"error": error}, 400)
    with pytest.raises(Refused, match="tenant: missing") as caught:
        control.post("publish")
    assert caught.value.remedy == "pass --tenant"


def test_control_passes_on_every_problem_of_an_event(fleet, control):
    problems = [
        {"field": "data.rooms", "problem": "field required", "remedy": "Add the field"},
        {"field": "time", "problem": "no zone", "remedy": "Give the time in UTC"},
    ]
    fleet.will("POST", "/publish", {"error": {"detail": "both", "problems": problems}}, 400)
    with pytest.raises(Refused, match="2 things are wrong") as caught:
        control.post("publish")
    assert caught.value.described()["problems"] == problems


def test_control_says_an_events_only_problem_by_itself(fleet, control):
    only = {"field": "data.rooms", "problem": "field required", "remedy": "Add the field"}
    fleet.will("POST", "/publish", {"error": {"detail": "it", "problems": [only]}}, 400)
    with pytest.raises(Refused, match=r"data\.rooms: field required") as caught:
        control.post("publish")
    assert caught.value.remedy == "Add the field"
    assert "problems" not in caught.value.described()


def test_control_tells_what_is_wrong_from_what_to_do(fleet, control):
    detail = "no booking 'a: b': see keyfleet credentials"
    fleet.will("GET", "/timeline/x", {"error": {"detail": detail}}, 404)
    with pytest.raises(Refused) as caught:
        control.get("timeline", "x")
    assert (caught.value.message, caught.value.remedy) == ("no booking 'a: b'", "see keyfleet credentials")


@pytest.mark.parametrize("status", [400, 404, 405, 429])
def test_control_passes_on_the_words_of_a_refusal(fleet, control, status):
    fleet.will("GET", "/executions/x", {"error": {"detail": "no execution 'x'"}}, status)
    with pytest.raises(Refused, match="no execution 'x'"):
        control.get("executions", "x")


@pytest.mark.parametrize("status", [503, 507])
def test_control_that_cannot_now_failed(fleet, control, status):
    fleet.will("POST", "/publish", {"error": {"detail": "the disk is full"}}, status)
    with pytest.raises(Failed, match="the disk is full"):
        control.post("publish")


def test_control_that_crashed_failed(fleet, control):
    fleet.will("GET", "/status", b"the function crashed; its log says where", 500)
    with pytest.raises(Failed, match="crashed"):
        control.get("status")


def test_the_token_is_never_printed(fleet, ask):
    fleet.will("GET", "/status", {"error": {"detail": "no"}}, 401)
    result = ask("status", "--json")
    assert json.loads(result.stdout)["error"]["kind"] == "unreachable"
    assert fleet.authorizations[0].removeprefix("Bearer ") not in result.output


@pytest.mark.parametrize("name", ["", "a/b", "/", "a\nb", "\udce9"])
@pytest.mark.parametrize(
    "command",
    [
        ("timeline",),
        ("ask-again",),
        ("workflow", "show"),
        ("workflow", "cancel"),
        ("schedule", "run"),
        ("document", "tnt_silk", "rooms"),
        ("residue", "close", "--by", "usr_1"),
    ],
    ids=" ".join,
)
def test_no_command_takes_a_fleet_for_a_stranger_for_want_of_an_id(fleet, ask, command, name):
    fleet.will("GET", "/residues", {"residues": []})
    for query in ("key=a%2Fb&limit=1", "key=%2F&limit=1"):
        fleet.will("GET", f"/credentials?{query}", {"credentials": []})
    refused = ask(*command, name)
    assert refused.exit_code == 2, refused.output
    assert repr(name) in refused.stderr


@pytest.mark.parametrize("option", ["--tenant", "--reservation", "--property", "--state"])
def test_a_filter_without_a_value_is_refused_before_anything_is_asked(fleet, ask, option):
    refused = ask("credentials", option, "")
    assert refused.exit_code == 2
    assert f"{option[2:]}: '' names nothing" in refused.stderr
    assert fleet.asked == []
