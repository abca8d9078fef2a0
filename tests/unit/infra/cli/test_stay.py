"""keyfleet stay."""

from shared.events.codec import parse_payload

STAY = {
    "reservation": "rsv_1",
    "tenant": "tnt_silk",
    "property": "ppt_kabul",
    "zone": "Asia/Kabul",
    "status": "confirmed",
    "refused": True,
    "holds": ["fraud_review"],
    "guest": "gst_1",
    "rooms": ["rmu_101"],
    "from": "2026-03-01T09:30:00Z",
    "until": "2026-03-03T20:00:00Z",
    "keys": [{"id": "key_1", "state": "suspended"}],
    "heard": [
        {
            "event": "evt_2",
            "subject": "melmastoon.reservation.booking.cancelled.v1",
            "version": 2,
            "dated": "2026-03-01T08:00:00Z",
            "heard_at": "2026-03-01T08:00:01Z",
            "outcome": "ignored",
            "because": "older than version 3",
            "reused_at": "2026-03-01T09:00:00Z",
        }
    ],
}


def test_stay_is_told_with_its_holds_keys_and_events_by_both_clocks(fleet, ask):
    fleet.will("GET", "/stays/rsv_1", STAY)
    said = ask("stay", "rsv_1").stdout
    assert "rsv_1  confirmed  gst_1 of tnt_silk, ppt_kabul" in said
    assert (
        "from 2026-03-01 09:30:00 UTC, 14:00 at the hotel, until 2026-03-03 20:00:00 UTC, 2026-03-04 00:30"
        in said
    )
    assert "as it is it can have no key" in said
    assert "held: fraud review; keyfleet release rsv_1 --reason fraud_review --by usr_…" in said
    assert "key_1  suspended" in said
    assert "ignored  cancelled (evt_2, version 2), heard 2026-03-01 08:00:01 UTC, 12:30" in said
    assert "older than version 3" in said
    assert "its id came again with other content at 2026-03-01 09:00:00 UTC" in said


def test_stay_that_nobody_confirmed_yet_is_told_as_awaited(fleet, ask):
    empty = {"guest": None, "property": None, "zone": None, "rooms": [], "from": None, "until": None}
    fleet.will("GET", "/stays/rsv_1", {**STAY, **empty, "status": "awaited", "keys": [], "holds": []})
    said = ask("stay", "rsv_1").stdout
    assert "rsv_1  awaited  nobody yet of tnt_silk, no property yet" in said
    assert "no key" in said


def test_what_is_planned_for_a_stay_and_the_roles_of_its_keys_are_told(fleet, ask):
    keys = [
        {"id": "key_1", "state": "active", "role": "first"},
        {"id": "key_2", "state": "active", "role": "copy"},
    ]
    planned = [{"at": "2026-03-01T18:00:00.000Z", "what": "hold_for_no_show"}]
    fleet.will("GET", "/stays/rsv_1", {**STAY, "keys": keys, "planned": planned})
    said = ask("stay", "show", "rsv_1").stdout
    assert "nobody came: its keys rest from 2026-03-01 18:00:00 UTC, 22:30 at the hotel" in said
    assert "key_2  active, a copy" in said


def changed(fleet, ask, *arguments):
    """Change a stay that runs; return what was published, if anything was."""
    fleet.will("GET", "/clock", {"now": "2026-03-01T09:00:00+00:00"})
    told = {
        "topic": "t",
        "message_id": "7",
        "event_id": "evt_1",
        "listeners": ["on-it"],
        "tenant": "tnt_silk",
    }
    fleet.will("POST", "/publish", {**told, "reservation": "rsv_1"})
    made = {"settled": True, "delivering": False, "letters": [], "keys": []}
    made["heard"] = {"outcome": "applied", "because": None}
    fleet.will("GET", "/outcomes/7?event=evt_1&tenant=tnt_silk&reservation=rsv_1", made)
    result = ask("stay", *arguments)
    return result, [body for _, path, body in fleet.asked if path == "/publish"]


def test_stay_is_extended_or_moved_by_an_event_that_its_booking_might_tell(fleet, ask):
    fleet.will("GET", "/stays/rsv_1", STAY)
    result, (body,) = changed(fleet, ask, "extend", "rsv_1", "--until", "+3d")
    assert result.exit_code == 0, result.output
    assert body["subject"] == "melmastoon.reservation.booking.dates_changed.v1"
    assert body["data"] == {
        "reservationId": "rsv_1",
        "propertyId": "ppt_kabul",
        "validUntil": "2026-03-04T09:00:00Z",
    }
    result, (_, body) = changed(fleet, ask, "move", "rsv_1", "rmu_102", "rmu_203")
    assert (result.exit_code, body["data"]["rooms"]) == (0, ["rmu_102", "rmu_203"])
    assert parse_payload(body["subject"], body["data"])


def test_stay_that_is_over_or_would_be_is_not_changed(fleet, ask):
    fleet.will("GET", "/stays/rsv_1", {**STAY, "status": "checked_out"})
    result, published = changed(fleet, ask, "move", "rsv_1", "rmu_102")
    assert (result.exit_code, published) == (2, [])
    result, published = changed(fleet, ask, "extend", "rsv_1", "--until=-1h")
    assert (result.exit_code, published) == (2, [])
    assert "--until is past" in result.stderr
