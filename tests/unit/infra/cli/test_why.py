"""keyfleet why."""

CAUSE = {
    "cause": "nothing_found",
    "because": "all that is known says that the key opens",
    "remedy": "Compare the lock now",
    "guest": {"en": "Wake the keypad.", "fr": "Réveillez le clavier."},
}
REFUSAL = {
    "reservation": "rsv_1",
    "property": "ppt_kabul",
    "label": "Room 101",
    "compared_at": "2026-03-01T09:00:00.021000Z",
    "looked_at": None,
    "asked_now": True,
    "causes": [CAUSE],
}


def test_a_cause_is_told_with_what_to_do_and_what_the_guest_hears(fleet, ask):
    fleet.will("GET", "/why/rsv_1?live=true", {"refusals": [REFUSAL]})
    said = ask("why", "rsv_1", "--language", "fr").stdout
    assert "nothing found: all that is known says that the key opens" in said
    assert "do: Compare the lock now" in said
    assert "tell: Réveillez le clavier." in said


def test_when_its_lock_was_compared_is_told_as_every_other_instant(fleet, ask):
    fleet.will("GET", "/why/rsv_1?live=true", {"refusals": [REFUSAL]})
    assert "its lock was compared 2026-03-01 09:00:00 UTC, looked at never\n" in ask("why", "rsv_1").stdout


def test_a_language_that_no_guest_is_told_in_is_refused(fleet, ask):
    answer = ask("why", "rsv_1", "--language", "de")
    assert (answer.exit_code, fleet.asked) == (2, [])


def test_a_lock_that_does_not_answer_is_said_to_be_silent(fleet, ask):
    fleet.will("GET", "/why/rsv_1?live=true", {"refusals": [{**REFUSAL, "asked_now": False}]})
    assert "it did not answer in time: this is what was known before\n" in ask("why", "rsv_1").stdout


def test_what_is_kept_is_told_without_asking_a_lock(fleet, ask):
    fleet.will("GET", "/why/rsv_1", {"refusals": [{**REFUSAL, "asked_now": None}]})
    said = ask("why", "rsv_1", "--kept").stdout
    assert "its lock was compared" in said
    assert "asked now" not in said
