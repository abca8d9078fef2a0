"""keyfleet stay."""

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
    assert "held: fraud review; keyfleet release rsv_1" in said
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
