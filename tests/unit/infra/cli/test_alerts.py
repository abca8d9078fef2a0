"""keyfleet alerts."""

ALERT = {
    "at": "2026-03-01T21:05:00Z",
    "message": "an ending changed nothing: the stay goes on, and so do its keys",
    "page": "lock/ignored-event",
    "reservation": "rsv_1",
    "key": None,
    "device": None,
    "event": "evt_2",
    "because": "older_than version 3",
    "remedy": "publish it again",
    "tenant": "tnt_silk",
    "zone": "Asia/Kabul",
}


def test_alerts_say_when_by_both_clocks_why_and_what_to_do(fleet, ask):
    fleet.will("GET", "/alerts?limit=20", {"alerts": [ALERT], "more": True})
    said = ask("alerts").stdout
    assert "2026-03-01 21:05:00 UTC, 2026-03-02 01:35 at the hotel" in said
    assert "an ending changed nothing" in said
    assert "reservation rsv_1, event evt_2 of tnt_silk" in said
    assert "because: older than version 3" in said
    assert "fix: publish it again" in said
    assert "infra/runbooks/lock/ignored-event.md; keyfleet timeline rsv_1" in said
    assert "There are more" in said


def test_cause_of_an_alert_is_read_as_words_and_its_codes_and_ids_can_be_looked_for(fleet, ask):
    because = "vendor_unreachable, MELMASTOON.LOCK.VENDOR_UNREACHABLE; lck_01KSAMP1E: gateway_offline"
    fleet.will("GET", "/alerts?limit=20", {"alerts": [{**ALERT, "because": because}], "more": False})
    said = " ".join(ask("alerts").stdout.split())
    away = "the vendor cannot be reached"
    assert (
        f"{away} (vendor_unreachable), {away} (MELMASTOON.LOCK.VENDOR_UNREACHABLE); lck_01KSAMP1E: " in said
    )
    assert "lck_01KSAMP1E: the lock’s gateway is offline (gateway_offline)" in said


def test_an_alert_is_told_by_the_names_that_people_at_the_hotel_use(fleet, ask):
    about = {
        "message": "MELMASTOON.LOCK.KEY_ISSUE_FAILED",
        "device": "lck_01KSAMP1E",
        "because": "lck_01KSAMP1E: 3 of 20 places are left; pin_code.delivered: email bounced",
        "property": "ppt_kabul",
        "rooms": ["rmu_101", "rmu_102"],
        "names": {"lck_01KSAMP1E": "Room 101", "rmu_101": "101", "rmu_102": "102", "ppt_kabul": "Silk House"},
    }
    fleet.will("GET", "/alerts?limit=20", {"alerts": [{**ALERT, **about}], "more": False})
    said = " ".join(ask("alerts").stdout.split())
    assert "the vendor made no key (MELMASTOON.LOCK.KEY_ISSUE_FAILED)" in said
    assert "at Silk House, rooms 101 and 102, reservation rsv_1, device Room 101 (lck_01KSAMP1E)" in said
    assert "because: Room 101 (lck_01KSAMP1E): 3 of 20 places are left; " in said
    assert "the code (pin_code.delivered): email bounced" in said


def test_where_nobody_was_woken_that_is_said(fleet, ask):
    fleet.will("GET", "/alerts?limit=20", {"alerts": [], "more": False})
    assert "Nobody was woken" in ask("alerts").stdout


def test_status_names_the_last_alert_of_a_day(fleet, ask):
    from tests.unit.infra.cli.conftest import WELL
    from tests.unit.infra.cli.test_status import STATUS

    fleet.will("GET", "/status", STATUS)
    fleet.will("GET", "/attention", {**WELL, "alerts_within_a_day": 3, "last_alert": ALERT})
    said = ask("status").stdout
    assert "Alerts within 24 h: 3, the last at 2026-03-01 21:05:00 UTC, 2026-03-02 01:35 at the hotel" in said
    assert said.index("Alerts within") < said.index("No message was set aside")
    fleet.will("GET", "/attention", {**WELL, "alerts_within_a_day": 0, "last_alert": ALERT})
    assert "Alerts" not in ask("status").stdout
