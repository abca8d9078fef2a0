"""keyfleet dead-letter: seeing, replaying and discarding what was set aside."""

import pytest

LETTER = {
    "id": "12",
    "topic": "melmastoon.lock.quarantine.v1",
    "subscription": "on-config-updated",
    "reason": "not a tenant of this fleet",
    "field": "tenantId",
    "remedy": "onboard the tenant",
    "message_id": "9",
    "ordering_key": "",
    "published_at": "2026-05-01T10:00:00+00:00",
    "parked_at": "2026-05-01T10:00:01+00:00",
    "bytes": 300,
}
FIRST_PAGE = "/dead-letters?after=0&limit=100"


def test_dead_letter_list_says_field_reason_and_remedy(fleet, ask):
    fleet.will("GET", FIRST_PAGE, {"messages": [LETTER]})
    said = ask("dead-letter", "list").stdout
    assert "tenantId: not a tenant of this fleet" in said
    assert "fix: onboard the tenant" in said
    assert said.startswith("12  ")


def test_dead_letter_list_shows_a_letter_without_notes(fleet, ask):
    bare = {**LETTER, "field": None, "remedy": None, "subscription": None, "reason": "10 attempts failed"}
    fleet.will("GET", FIRST_PAGE, {"messages": [bare]})
    said = ask("dead-letter", "list").stdout
    assert "10 attempts failed" in said
    assert "None" not in said


def test_dead_letter_list_without_letters_says_so(fleet, ask, facts):
    fleet.will("GET", FIRST_PAGE, {"messages": []})
    assert ask("dead-letter", "list").stdout == "No message was set aside.\n"
    assert facts("dead-letter", "list") == {"messages": []}


def test_dead_letter_list_names_the_next_page(fleet, ask):
    fleet.will("GET", "/dead-letters?topic=t&after=3&limit=1", {"messages": [LETTER]})
    assert "--after 12" in ask("dead-letter", "list", "--topic", "t", "--after", "3", "--limit", "1").stdout


def test_dead_letter_list_says_what_a_letter_is_about(fleet, ask):
    about = {"subject": "melmastoon.tenant.config_updated.v1", "event_id": "evt_1", "tenant": "tnt_a"}
    fleet.will("GET", FIRST_PAGE, {"messages": [{**LETTER, **about}]})
    assert "\n    melmastoon.tenant.config_updated.v1  evt_1  tnt_a\n" in ask("dead-letter", "list").stdout


def test_dead_letter_list_leaves_out_what_is_not_known_of_a_letter(fleet, ask):
    about = {"subject": None, "event_id": "evt_1", "tenant": None}
    fleet.will("GET", FIRST_PAGE, {"messages": [{**LETTER, **about}]})
    assert "\n    evt_1\n" in ask("dead-letter", "list").stdout


def _holds(fleet, *ids):
    for id_ in ids:
        page = {"messages": [{**LETTER, "id": str(id_)}]}
        fleet.will("GET", f"/dead-letters?after={id_ - 1}&limit=1", page)


def test_dead_letter_replay_names_ids(fleet, facts):
    _holds(fleet, 9, 12)
    fleet.will("POST", "/dead-letters/replay", {"replayed": 2})
    assert facts("dead-letter", "replay", "12", "9") == {"replayed": 2}
    assert fleet.asked[-1] == ("POST", "/dead-letters/replay", {"ids": ["9", "12"]})


def test_dead_letter_replay_says_that_a_message_may_come_back(fleet, ask):
    fleet.will("POST", "/dead-letters/replay", {"replayed": 2})
    said = ask("dead-letter", "replay", "--all").stdout
    assert said.startswith("Delivering again: 2 messages.\nLook again with keyfleet dead-letter list")
    assert said.endswith(": what cannot be accepted comes back.\n")


def test_dead_letter_replay_of_all_may_be_of_one_topic(fleet, facts):
    fleet.will("POST", "/dead-letters/replay", {"replayed": 0})
    assert facts("dead-letter", "replay", "--all", "--topic", "t") == {"replayed": 0}
    assert fleet.asked == [("POST", "/dead-letters/replay", {"topic": "t", "all": True})]


@pytest.mark.parametrize(
    "arguments", [["replay"], ["replay", "12", "--all"], ["replay", "12x"], ["discard"], ["discard", "-1"]]
)
def test_dead_letter_refuses_what_names_no_message(fleet, ask, arguments):
    assert ask("dead-letter", *arguments).exit_code == 2
    assert fleet.asked == []


def test_dead_letter_discard_deletes_by_id(fleet, ask):
    _holds(fleet, 12)
    fleet.will("POST", "/dead-letters/discard", {"discarded": 1})
    assert ask("dead-letter", "discard", "12").stdout == "Deleted 1 message.\n"


@pytest.mark.parametrize(("verb", "answer"), [("replay", "replayed"), ("discard", "discarded")])
def test_dead_letter_that_is_not_there_fails_by_name_and_the_others_are_done(fleet, ask, verb, answer):
    _holds(fleet, 12)
    fleet.will("GET", "/dead-letters?after=12&limit=1", {"messages": [{**LETTER, "id": "14"}]})
    fleet.will("POST", f"/dead-letters/{verb}", {answer: 1})
    result = ask("dead-letter", verb, "12", "13")
    assert result.exit_code == 1
    assert "1 message; not set aside: 13\n" in result.stderr
    assert fleet.asked[-1] == ("POST", f"/dead-letters/{verb}", {"ids": ["12", "13"]})
