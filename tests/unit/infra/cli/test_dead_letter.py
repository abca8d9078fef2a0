"""keyfleet dead-letter: seeing, replaying and discarding what was set aside."""

import pytest

LETTER = {
    "id": "12",
    "topic": "melmastoon.lock.quarantine.v1",
    "subscription": "on-config-updated",
    "reason": "not a tenant of this fleet",
    "field": "tenantId",
    "remedy": "onboard the tenant",
    "problems": [
        {
            "field": "tenantId",
            "problem": "not a tenant of this fleet",
            "remedy": "onboard the tenant",
        }
    ],
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
    problems = [{"field": None, "problem": "10 attempts failed", "remedy": None}]
    bare = {**LETTER, "problems": problems, "subscription": None}
    fleet.will("GET", FIRST_PAGE, {"messages": [bare]})
    said = ask("dead-letter", "list").stdout
    assert "10 attempts failed" in said
    assert "None" not in said


def test_dead_letter_list_gives_each_of_several_problems_a_line_of_its_own(fleet, ask):
    problems = [
        {"field": "data.rooms", "problem": "field required", "remedy": "Add the field"},
        {"field": "time", "problem": "the time has no zone", "remedy": "Give the time in UTC"},
        {"field": None, "problem": "data.validUn", "remedy": None},
    ]
    fleet.will("GET", FIRST_PAGE, {"messages": [{**LETTER, "problems": problems}]})
    assert ask("dead-letter", "list").stdout.splitlines()[1:] == [
        "    data.rooms: field required. Add the field",
        "    time: the time has no zone. Give the time in UTC",
        "    data.validUn",
    ]


@pytest.mark.parametrize("command", [("dead-letter", "list"), ("dead-letters",)])
def test_dead_letter_list_finds_and_names_what_is_about_a_booking(fleet, ask, command):
    page = {"messages": [{**LETTER, "event_id": "evt_1", "reservation": "rsv_1"}]}
    fleet.will("GET", "/dead-letters?reservation=rsv_1&after=0&limit=1", page)
    said = ask(*command, "--reservation", "rsv_1", "--limit", "1").stdout
    assert "\n    evt_1  rsv_1\n" in said
    assert "--reservation rsv_1 --after 12" in said


def test_dead_letter_list_without_letters_says_so(fleet, ask, facts):
    fleet.will("GET", FIRST_PAGE, {"messages": []})
    assert ask("dead-letter", "list").stdout == "No message was set aside.\n"
    assert facts("dead-letter", "list") == {"messages": []}


@pytest.mark.parametrize(
    ("given", "query", "said"),
    [
        (("--reservation", "rsv_1"), "reservation=rsv_1&after=0", "No message about rsv_1 was set aside."),
        (("--topic", "t"), "topic=t&after=0", "No message on t was set aside."),
        (("--after", "12"), "after=12", "No message was set aside behind 12."),
    ],
)
def test_dead_letter_list_that_finds_none_says_of_what_and_how_many_others_there_are(
    fleet, ask, given, query, said
):
    fleet.will("GET", f"/dead-letters?{query}&limit=100", {"messages": []})
    fleet.will("GET", "/status", {"parked": 2})
    result = ask("dead-letter", "list", *given)
    others = f" In all, 2 messages: see keyfleet dead-letter list{fleet.place.flags}"
    assert (result.exit_code, result.stdout) == (0, f"{said}{others}\n")
    fleet.will("GET", "/status", {"parked": 0})
    assert ask("dead-letter", "list", *given).stdout == f"{said}\n"


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


@pytest.mark.parametrize(("verb", "said"), [("replay", "delivered again"), ("discard", "deleted")])
def test_dead_letter_that_is_not_there_is_refused_by_name_and_nothing_is_done(fleet, ask, verb, said):
    _holds(fleet, 12)
    fleet.will("GET", "/dead-letters?after=12&limit=1", {"messages": [{**LETTER, "id": "14"}]})
    result = ask("dead-letter", verb, "12", "13")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: no dead letter '13', and nothing was {said}\n")
    assert {method for method, _, _ in fleet.asked} == {"GET"}
