"""keyfleet credentials."""

from datetime import timedelta

import pytest

from shared.ledger.grant_record import LONGEST_EXTENSION

KEY = {
    "id": "key_01KSAMP1E00000000000000101",
    "tenant": "tnt_silk",
    "property": "ppt_kabul",
    "reservation": "rsv_7",
    "staff": None,
    "rooms": ["rmu_101", "rmu_102"],
    "vendor": "ttlock",
    "kind": "pin_code",
    "state": "revoked",
    "reason": "checkout",
    "window": {"from": "2026-03-01T10:00:00Z", "until": "2026-03-02T10:00:00Z", "zone": "Asia/Kabul"},
    "effective": None,
    "saga": {"kind": "settle", "generation": 2, "execution": "01X", "tries": 1},
    "due_at": "2026-03-02T10:01:00.000Z",
    "attempts": 1,
    "events": 3,
    "unannounced": 1,
    "warnings": ["REVOKE_PENDING_AT_LOCK"],
    "grants": [
        {
            "id": "grt_01KSAMP1E00000000000000101",
            "device": "lck_01KSAMP1E00000000000000101",
            "label": "Room 101",
            "vendor": "ttlock",
            "kind": "pin_code",
            "vendor_name": "MM-cdcdcdcdcdcd",
            "state": "residual",
            "detail": "gateway_offline",
            "changed_at": "2026-03-02T09:00:00Z",
            "exposure_until": "2026-03-02T10:00:00Z",
            "busy_until": None,
            "calls": [],
        }
    ],
}
QUIET = {**KEY, "reason": None, "due_at": None, "unannounced": 0, "warnings": [], "grants": []}


def _will(fleet, *keys, query="limit=100", more=False):
    fleet.will("GET", f"/credentials?{query}", {"credentials": list(keys), "more": more})


def test_keys_are_printed_as_the_fleet_tells_them(fleet, facts):
    _will(fleet, KEY)
    assert facts("credentials") == {"credentials": [KEY], "more": False}


def test_trial_m3_change_that_the_locks_have_not_followed_is_told_beside_what_stands(fleet, ask):
    asked = {"from": "2026-03-01T10:00:00Z", "until": "2026-03-05T20:00:00Z", "zone": "Asia/Kabul"}
    _will(fleet, {**QUIET, "state": "active", "becomes": {"rooms": ["rmu_203"], "window": asked}})
    said = ask("credentials").stdout
    assert "2026-03-01 10:00:00 to 2026-03-02 10:00:00 UTC" in said
    assert (
        "asked since: rmu_203, 2026-03-01 10:00:00 to 2026-03-05 20:00:00 UTC; till the locks follow" in said
    )
    assert "at the hotel 2026-03-01 14:30 to 2026-03-06 00:30" in said
    _will(fleet, {**QUIET, "state": "revoked", "becomes": {"rooms": ["rmu_203"], "window": asked}})
    assert "asked since" not in ask("credentials").stdout


def test_every_filter_reaches_the_fleet(fleet, facts):
    query = "tenant=tnt_silk&reservation=rsv_7&property=ppt_kabul&state=active&limit=5"
    _will(fleet, query=query)
    chosen = ("--tenant", "tnt_silk", "--reservation", "rsv_7", "--property", "ppt_kabul")
    assert facts("credentials", *chosen, "--state", "active", "--limit", "5")["credentials"] == []


def test_a_key_is_said_with_its_work_and_what_is_left_at_each_lock(fleet, ask):
    _will(fleet, KEY)
    said = ask("credentials").stdout
    revoked = f"{KEY['id']}  revoked: checked out (checkout)  "
    assert f"{revoked}rmu_101, rmu_102  pin_code at ttlock" in said
    assert "another code may still open the lock (REVOKE_PENDING_AT_LOCK)" in said
    assert "rsv_7 of tnt_silk, ppt_kabul, 2026-03-01 10:00:00 to 2026-03-02 10:00:00 UTC" in said
    assert "saga settle, generation 2, 1 attempt, looked after at 2026-03-02 10:01:00 UTC, 14:31" in said
    assert "at the latest, 1 event not known" in said
    assert "Room 101: residual (gateway offline), pin_code, MM-cdcdcdcdcdcd in the app, may" in said
    assert ", may open until 2026-03-02 10:00:00 UTC, 14:30 at the hotel" in said
    assert "REVOKE_PENDING_AT_LOCK" in said
    assert f"keyfleet timeline {KEY['id']}{fleet.place.flags}" in said


def test_what_there_is_none_of_is_not_mentioned(fleet, ask):
    _will(fleet, QUIET)
    said = ask("credentials").stdout
    assert "1 attempt, nothing due\n" in said
    assert "not known to be published" not in said
    assert "may open" not in said


def test_a_removal_that_waits_for_a_lost_call_says_until_when(fleet, ask):
    (residue,) = KEY["grants"]
    waiting = {**residue, "state": "removing", "detail": None, "busy_until": "2026-03-02T09:02:30.000Z"}
    _will(fleet, {**KEY, "grants": [waiting, {**waiting, "state": "residual"}]})
    said = ask("credentials").stdout
    assert (
        "; no removal is believed before 2026-03-02 09:02:30 UTC, for a lost call may still place it" in said
    )
    assert said.count("09:02:30") == 1


def test_a_lock_without_an_end_and_one_that_is_done_are_told_apart(fleet, ask):
    (residue,) = KEY["grants"]
    endless = {**residue, "label": None, "exposure_until": None}
    over = {**residue, "label": "Front door", "state": "removed", "detail": "vendor_confirmed"}
    _will(fleet, {**KEY, "grants": [endless, over]})
    said = ask("credentials").stdout
    assert (
        f"{residue['device']}: residual (gateway offline), pin_code, MM-cdcdcdcdcdcd in the app, "
        "may open until it is removed\n" in said
    )
    assert "Front door: removed (vendor confirmed), pin_code\n" in said


def test_no_key_is_said_to_be_none(fleet, ask):
    _will(fleet)
    assert ask("credentials").stdout == "No key.\n"


def test_no_key_of_a_booking_points_at_what_was_set_aside(fleet, ask):
    _will(fleet, query="reservation=rsv+7&limit=100")
    said = ask("credentials", "--reservation", "rsv 7").stdout
    assert said.startswith("No key.\n")
    assert f"keyfleet dead-letter list --reservation 'rsv 7'{fleet.place.flags}\n" in said


def test_no_key_in_a_state_is_not_said_to_be_none_of_the_booking(fleet, ask):
    _will(fleet, query="reservation=rsv_7&state=revoked&limit=100")
    assert ask("credentials", "--reservation", "rsv_7", "--state", "revoked").stdout == (
        "No key in that state.\n"
    )


@pytest.mark.parametrize(
    ("state", "asked", "answer", "said"),
    [
        ("intended", "place", "gateway_offline", True),
        ("intended", "place", None, False),
        ("removing", "remove", "gateway_offline", True),
        ("removing", "place", "gateway_offline", False),
        ("placed", "place", "on_lock", False),
    ],
)
def test_what_a_vendor_said_last_of_what_is_still_to_be_done_is_told(fleet, ask, state, asked, answer, said):
    calls = [
        {"at": "2026-03-01T09:00:00Z", "asked": asked, "answer": "lock_busy", "answered_at": None},
        {
            "at": "2026-03-01T09:01:00Z",
            "asked": asked,
            "answer": answer,
            "answered_at": "2026-03-01T09:02:00Z",
        },
    ]
    grant = {**KEY["grants"][0], "state": state, "detail": None, "calls": calls}
    _will(fleet, {**KEY, "state": "pending", "grants": [grant]})
    told = ask("credentials").stdout
    words = ", ttlock: the lock’s gateway is offline (gateway_offline) at 2026-03-01 09:02:00 UTC,"
    assert (words in told) is said
    assert "lock busy" not in told


def test_as_much_longer_is_told_as_a_key_may_open(fleet, ask):
    _will(fleet, {**KEY, "grants": [{**KEY["grants"][0], "exposure_until": "2026-03-02T14:00:00Z"}]})
    assert timedelta(hours=4) == LONGEST_EXTENSION
    assert "that is up to 4 hours past the stay's end: " in ask("credentials").stdout


def test_a_minute_is_not_told_as_hours(fleet, ask):
    _will(fleet, {**KEY, "grants": [{**KEY["grants"][0], "exposure_until": "2026-03-02T10:01:00Z"}]})
    assert "that is up to 1 minute past the stay's end: " in ask("credentials").stdout


def test_half_a_second_is_not_told(fleet, ask):
    _will(fleet, {**KEY, "grants": [{**KEY["grants"][0], "exposure_until": "2026-03-02T10:00:00.468605Z"}]})
    assert "past the stay's end" not in ask("credentials").stdout


def test_the_stay_is_told_by_the_clock_on_the_hotels_wall_too(fleet, ask):
    _will(fleet, KEY)
    assert "at the hotel 2026-03-01 14:30 to 2026-03-02 14:30\n" in ask("credentials").stdout


@pytest.mark.parametrize(
    ("until", "state", "explained"),
    [
        ("2026-03-02T14:00:00Z", "residual", True),
        ("2026-03-02T14:00:00Z", "removed", False),
        ("2026-03-02T10:00:00Z", "residual", False),
        ("2026-03-02T10:00:00.468Z", "residual", False),
        (None, "residual", False),
    ],
)
def test_why_a_key_may_open_longer_than_its_stay_is_told(fleet, ask, until, state, explained):
    grant = {**KEY["grants"][0], "state": state, "exposure_until": until}
    _will(fleet, {**KEY, "grants": [grant]})
    assert ("past the stay's end: its vendor rounds" in ask("credentials").stdout) is explained


def test_more_keys_than_the_limit_are_not_kept_silent(fleet, ask):
    _will(fleet, QUIET, query="limit=1", more=True)
    assert "There are more than these 1: raise --limit" in ask("credentials", "--limit", "1").stdout
    _will(fleet, QUIET, query="limit=1")
    assert "There are more" not in ask("credentials", "--limit", "1").stdout


@pytest.mark.parametrize(
    ("key", "waits"),
    [
        (KEY, True),
        ({**QUIET, "state": "pending"}, True),
        ({**QUIET, "state": "active"}, False),
        ({**KEY, "grants": [{**KEY["grants"][0], "state": "removing"}]}, True),
        ({**KEY, "grants": [{**KEY["grants"][0], "state": "removed"}]}, False),
    ],
)
def test_a_key_whose_vendor_is_yet_to_be_asked_tells_how_to_ask_it_now(fleet, ask, key, waits):
    _will(fleet, key)
    asked = f"keyfleet ask-again {KEY['id']}{fleet.place.flags} asks its vendor now"
    assert (asked in ask("credentials").stdout) is waits
