"""keyfleet sim locks, state, try, lock, gateway: what a person sees and does at simulated doors."""

import pytest

ROOM = 1000101


def test_locks_lists_doors_and_gateways_with_how_much_is_at_each(vendor, facts):
    vendor.add_code(ROOM, "482913")
    found = facts("locks")
    room = next(lock for lock in found["locks"] if lock["lockId"] == ROOM)
    assert (room["alias"], room["codes"], room["listed"]["passcodes"]) == ("Room 101", 1, 1)
    assert [gateway["gatewayId"] for gateway in found["gateways"]] == [501, 502]


def test_locks_shows_no_code(vendor, ask):
    vendor.add_code(ROOM, "482913")
    said = ask("locks").stdout
    assert "1 passcode\n" in said
    assert "482913" not in said


def test_state_shows_what_opens_a_door(vendor, ask):
    vendor.add_code(ROOM, "482913")
    said = ask("state", "101").stdout
    assert "code 482913 (custom)" in said
    assert "for ever" in said
    assert "Room 102" not in said


def test_state_as_json_is_everything_the_simulator_knows(vendor, facts):
    vendor.add_code(ROOM, "482913")
    (room,) = facts("state", "Room 101")["locks"]
    assert room["codes"][0]["code"] == "482913"
    assert len(facts("state")["locks"]) == 5


@pytest.mark.parametrize("door", ["101", "Room 101", "room 101", "1000101"])
def test_a_door_opens_with_its_code_whatever_it_is_called(vendor, ask, door):
    vendor.add_code(ROOM, "482913")
    tried = ask("try", door, "482913")
    assert (tried.exit_code, tried.stdout) == (0, "Room 101 opens.\n")


def test_a_door_that_stays_shut_says_why_and_exits_with_1(ask, facts):
    assert facts("try", "front", "482913", exit_code=1) == {
        "door": "Front door",
        "lock": 1000001,
        "opens": False,
        "reason": "unknown",
    }
    assert ask("try", "front", "482913").stdout == "Front door stays shut: unknown.\n"


@pytest.mark.parametrize(("door", "said"), [("999", "no door '999'"), ("room", "may be several doors")])
def test_a_door_that_is_not_one_is_refused_with_the_names_of_those_there_are(ask, door, said):
    refused = ask("try", door, "482913")
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert "Room 101, Room 102, Room 203, Room 204" in refused.stderr


@pytest.mark.parametrize("given", [(), ("482913", "--card", "1")])
def test_a_try_of_nothing_or_of_several_things_is_refused_with_the_options_there_are(ask, given):
    refused = ask("try", "101", *given)
    assert refused.exit_code == 2
    assert refused.stderr.endswith("fix: give exactly one of PIN, --card and --ekey\n")
    assert {"--card", "--ekey"} <= set(ask("try", "--help").stdout.split())


@pytest.mark.parametrize("given", [("--card", "12345678"), ("--ekey", "7"), ("--ekey", "7", "--cached")])
def test_cards_and_phones_can_be_tried_too(facts, given):
    assert facts("try", "101", *given, exit_code=1)["reason"] == "unknown"


def test_what_befalls_a_lock_is_seen_at_it(vendor, ask, facts):
    vendor.add_code(ROOM, "482913")
    changed = facts("lock", "101", "--battery", "0", "--skew", "-90", "--no-reach", "--frozen")
    wanted = {"battery": 0, "skewSeconds": -90, "inReach": False, "frozen": True}
    assert {name: changed[name] for name in wanted} == wanted
    assert "battery 0 %, clock -90 s, out of reach, frozen" in ask("lock", "101", "--frozen").stdout
    assert ask("try", "101", "482913").exit_code == 1
    assert "frozen" in ask("locks").stdout


def test_a_change_that_changes_nothing_is_refused(ask):
    refused = ask("lock", "101")
    assert refused.exit_code == 2
    assert "nothing to change" in refused.stderr


def test_a_gateway_that_is_offline_keeps_codes_from_its_locks(vendor, ask, facts):
    told = facts("gateway", "501", "--offline")
    assert (told["gatewayId"], told["online"], told["busy"]) == (501, False, False)
    assert vendor.add_code(ROOM, "482913")["errcode"] == -3002
    assert ask("gateway", "501", "--online", "--busy").stdout == "Gateway 501 is online, and busy.\n"
    assert vendor.add_code(ROOM, "482913")["errcode"] == -3003


def test_a_lock_whose_every_gateway_is_offline_is_not_said_to_be_in_reach(ask, facts):
    assert "in reach" in ask("state", "101").stdout
    for gateway in ("501", "502"):
        ask("gateway", gateway, "--offline")
    said = ask("state", "101").stdout
    assert "no gateway online" in said
    assert "in reach" not in said
    assert {lock["heard"] for lock in facts("locks")["locks"]} == {False}


def test_a_gateway_that_is_not_there_is_refused(ask):
    refused = ask("gateway", "9", "--busy")
    assert refused.exit_code == 2
    assert refused.stderr == "error: no gateway '9'\n  fix: name one of 501, 502\n"
