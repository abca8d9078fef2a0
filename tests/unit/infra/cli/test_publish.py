"""keyfleet publish: what is sent, and what is refused before anything is."""

import json
import re

import pytest

from infra.manifest.load import ROOT
from shared.events.codec import parse

SUBJECT = "melmastoon.tenant.config_updated.v1"
OLD_ANSWER = {"topic": SUBJECT, "message_id": "7", "event_id": "evt_1"}
ANSWER = {**OLD_ANSWER, "listeners": ["on-config-updated"]}


@pytest.fixture(autouse=True)
def _takes_events(fleet):
    fleet.will("POST", "/publish", ANSWER)


def _sent(fleet):
    ((_, _, body),) = fleet.asked
    return body


def test_publish_sends_subject_payload_and_tenant(fleet, facts):
    assert facts("publish", SUBJECT, "--data", '{"propertyId": "ppt_a"}', "--tenant", "tnt_a") == ANSWER
    assert _sent(fleet) == {"subject": SUBJECT, "data": {"propertyId": "ppt_a"}, "tenant": "tnt_a"}


def test_publish_takes_the_payload_from_stdin(fleet, ask):
    result = ask("publish", SUBJECT, "--data", "-", "--tenant", "tnt_a", stdin='{"x": 1}')
    assert result.exit_code == 0
    assert _sent(fleet)["data"] == {"x": 1}


def test_publish_sends_the_ordering_key_that_is_given(fleet, ask):
    ask("publish", SUBJECT, "--data", "{}", "--tenant", "tnt_a", "--ordering-key", "rsv_1")
    assert _sent(fleet)["ordering_key"] == "rsv_1"


def test_publish_sends_a_whole_event_from_a_file(fleet, ask, tmp_path):
    (tmp_path / "event.json").write_text(json.dumps({"id": "evt_9"}))
    assert ask("publish", SUBJECT, "--event", str(tmp_path / "event.json")).exit_code == 0
    assert _sent(fleet) == {"subject": SUBJECT, "event": {"id": "evt_9"}}


def test_a_whole_event_names_its_own_subject_or_somebody_must(fleet, ask, tmp_path):
    (tmp_path / "event.json").write_text(json.dumps({"id": "evt_9", "subject": SUBJECT}))
    assert ask("publish", "--event", str(tmp_path / "event.json")).exit_code == 0
    assert _sent(fleet)["subject"] == SUBJECT
    (tmp_path / "event.json").write_text(json.dumps({"id": "evt_9"}))
    refused = ask("publish", "--event", str(tmp_path / "event.json"))
    assert (refused.exit_code, "the subject is missing" in refused.output) == (2, True)


def test_an_event_that_has_a_type_alone_is_refused_with_the_subject_to_add(fleet, ask, tmp_path):
    (tmp_path / "event.json").write_text(json.dumps({"id": "evt_9", "type": SUBJECT}))
    refused = ask("publish", "--event", str(tmp_path / "event.json"))
    assert refused.exit_code == 2
    assert f'fix: add "subject" to it: "{SUBJECT}"\n' in refused.stderr
    assert fleet.asked == []


@pytest.mark.parametrize("given", [(), (SUBJECT,)])
def test_a_file_that_holds_no_event_is_refused_by_name(fleet, ask, tmp_path, given):
    (tmp_path / "event.json").write_text("[]")
    refused = ask("publish", *given, "--event", str(tmp_path / "event.json"))
    assert refused.exit_code == 2
    assert f"{tmp_path / 'event.json'} holds no JSON object" in refused.stderr
    assert fleet.asked == []


def test_the_event_that_is_shown_to_whoever_writes_one_is_an_event():
    (shown,) = re.findall(r"```json\n(.*?)```", (ROOT / "infra/docs/integrating.md").read_text(), re.DOTALL)
    event = parse(json.loads(shown))
    assert event.subject == json.loads(shown)["subject"]


def test_publish_says_of_what_nothing_handles_yet_that_it_is_kept_and_for_whom(fleet, ask):
    fleet.will("POST", "/publish", {**OLD_ANSWER, "listeners": [], "kept_for": "on-shift-started"})
    said = " ".join(ask("publish", SUBJECT, "--data", "{}", "--tenant", "tnt_a").output.split())
    assert "Nothing handles this subject yet: it is kept as message 7" in said
    assert "delivered when on-shift-started comes" in said
    assert "Nobody listens" not in said


def test_publish_names_who_listens_and_where_to_look_for_what_is_not_accepted(fleet, ask):
    published, kept, hint = ask("publish", SUBJECT, "--data", "{}", "--tenant", "tnt_a").stdout.splitlines()
    assert published == f"Published evt_1 on {SUBJECT}."
    assert kept == "It is kept as message 7, for on-config-updated."
    assert hint.endswith(f"set aside: keyfleet dead-letter list{fleet.place.flags}")


def test_publish_that_nobody_hears_says_so_and_what_is_listened_to(fleet, ask):
    fleet.will("POST", "/publish", {**ANSWER, "listeners": []})
    said = ask("publish", SUBJECT, "--data", "{}", "--tenant", "tnt_a").stdout
    assert "Nobody listens to this subject here, so nothing will happen; functions listen to: " in said
    assert SUBJECT in said.partition("listen to: ")[2]
    assert "kept as message" not in said


def test_publish_to_a_fleet_that_names_no_listeners_claims_none(fleet, ask):
    fleet.will("POST", "/publish", OLD_ANSWER)
    result = ask("publish", SUBJECT, "--data", "{}", "--tenant", "tnt_a")
    assert result.stdout == f"Published evt_1 on {SUBJECT}.\nIt is kept as message 7.\n"


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--tenant", "tnt_a"], "--data is missing"),
        (["--data", "{}"], "--tenant is missing"),
        (["--data", "{", "--tenant", "tnt_a"], "--data is not JSON"),
        (["--data", "[]", "--tenant", "tnt_a"], "--data is not a JSON object"),
        (["--event", "event.json", "--tenant", "tnt_a"], "--event holds a whole event"),
        (["--event", "no-such-event.json"], "No such file"),
    ],
)
def test_publish_refuses_wrong_input_before_it_asks_the_fleet(fleet, ask, options, named):
    result = ask("publish", SUBJECT, *options)
    assert result.exit_code == 2
    assert named in result.stderr
    assert "fix: " in result.stderr
    assert fleet.asked == []


def test_publish_of_an_event_the_fleet_refuses_names_field_and_remedy(fleet, ask):
    error = {"field": "data.propertyId", "problem": "wrong form", "remedy": "compare it with the schema"}
    fleet.will("POST", "/publish", {"error": error}, 400)
    result = ask("publish", SUBJECT, "--data", "{}", "--tenant", "tnt_a")
    assert result.exit_code == 2
    assert "data.propertyId: wrong form" in result.stderr
    assert "fix: compare it with the schema" in result.stderr
