"""keyfleet publish --wait: ends with what came of the event."""

import pytest

CONFIRMED = "melmastoon.reservation.booking.confirmed.v1"
WORD = {"field": "data.preferredKinds", "problem": "passed over: skeleton", "remedy": "there are pin_code"}
TOLD = {
    "topic": CONFIRMED,
    "message_id": "7",
    "event_id": "evt_1",
    "listeners": ["on-booking-confirmed"],
    "tenant": "tnt_silk",
    "reservation": "rsv_1",
    "warnings": [],
}
GRANT = {"label": "Room 101", "device": "lck_1", "state": "placed"}
KEY = {
    "id": "key_1",
    "state": "active",
    "reason": None,
    "kind": "pin_code",
    "vendor": "ttlock",
    "grants": [GRANT],
}
APPLIED = {"outcome": "applied", "because": None, "at": None, "stay": "confirmed"}
MADE = {"settled": True, "delivering": False, "letters": [], "heard": APPLIED, "keys": [KEY]}
PROBLEM = {"field": "data.rooms", "problem": "no lock is mapped to rmu_9", "remedy": "map one, then replay"}
LETTER = {"id": "9", "problems": [PROBLEM]}


@pytest.fixture
def publishes(fleet, ask):
    def _of(outcome, told=TOLD, *options):
        fleet.will("POST", "/publish", told)
        fleet.will("GET", "/outcomes/7?event=evt_1&tenant=tnt_silk&reservation=rsv_1", outcome)
        return ask("publish", CONFIRMED, "--data", "{}", "--tenant", "tnt_silk", "--wait", *options)

    return _of


def test_it_ends_with_the_state_of_the_key_at_each_lock(publishes):
    result = publishes(MADE)
    assert result.exit_code == 0
    assert "Applied.\n  key_1  active  pin_code at ttlock: Room 101 placed\n" in result.stdout


def test_what_was_set_aside_ends_with_field_reason_and_remedy_and_status_1(publishes, fleet):
    result = publishes({**MADE, "heard": None, "keys": [], "letters": [LETTER]})
    assert result.exit_code == 1
    assert "Set aside as message 9, and nothing was done:" in result.stdout
    assert "data.rooms: no lock is mapped to rmu_9. map one, then replay" in result.stdout
    assert f"keyfleet dead-letter replay 9{fleet.place.flags}" in result.stdout


def test_trial_m2_what_was_set_aside_and_ended_a_key_all_the_same_says_that_it_did(publishes):
    because = "data.rooms[0]: no lock is mapped; 1 of its keys was ended, for it includes them no more"
    refused = {**APPLIED, "outcome": "refused", "because": because}
    result = publishes({**MADE, "heard": refused, "letters": [LETTER]})
    assert result.exit_code == 1
    assert "Set aside as message 9, and 1 of its keys was ended" in result.stdout
    assert "nothing was done" not in result.stdout


def test_a_key_that_failed_ends_with_its_reason_and_status_1(publishes):
    failed = {**KEY, "state": "failed", "reason": "device_not_paired", "grants": []}
    result = publishes({**MADE, "keys": [failed]})
    assert result.exit_code == 1
    assert (
        "key_1  failed: a door has no lock that is known (device_not_paired)  pin_code at ttlock"
        in result.stdout
    )


def test_an_event_that_was_ignored_says_why(publishes):
    ignored = {**APPLIED, "outcome": "ignored", "because": "the stay is as it says already"}
    result = publishes({**MADE, "heard": ignored})
    assert result.exit_code == 0
    assert "Ignored: the stay is as it says already." in result.stdout


@pytest.mark.parametrize(
    ("delivering", "said"), [(True, "no function has accepted it yet"), (False, "it is not over")]
)
def test_what_is_not_over_in_time_says_so_and_how_to_follow_it(publishes, fleet, delivering, said):
    pending = {**MADE, "settled": False, "delivering": delivering, "keys": []}
    result = publishes(pending, TOLD, "--within", "0")
    assert result.exit_code == 1
    assert f"After 0 s {said}; nothing is lost: keyfleet timeline rsv_1 --follow" in result.stdout


def test_with_json_the_outcome_is_one_document(fleet, facts):
    fleet.will("POST", "/publish", TOLD)
    fleet.will("GET", "/outcomes/7?event=evt_1&tenant=tnt_silk&reservation=rsv_1", MADE)
    told = facts("publish", CONFIRMED, "--data", "{}", "--tenant", "tnt_silk", "--wait")
    assert told == {**TOLD, "outcome": MADE}


def test_what_nobody_hears_has_no_outcome_to_wait_for(publishes):
    result = publishes(MADE, {**TOLD, "listeners": []})
    assert result.exit_code == 1
    assert "Nobody listens to this subject here" in result.stdout


def test_what_will_change_nothing_is_warned_of_without_waiting_too(fleet, ask):
    fleet.will("POST", "/publish", {**TOLD, "warnings": [WORD]})
    said = ask("publish", CONFIRMED, "--data", "{}", "--tenant", "tnt_silk").stdout
    assert "warning: data.preferredKinds: passed over: skeleton. there are pin_code" in said
