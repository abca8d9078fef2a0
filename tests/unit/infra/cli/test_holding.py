"""keyfleet hold and release (trial M5)."""

import pytest

TIMELINE = {"id": "rsv_1", "tenant": "tnt_silk", "credentials": ["key_1"], "timeline": []}


@pytest.fixture
def stay(fleet):
    fleet.will("GET", "/timeline/rsv_1", TIMELINE)
    fleet.serves("hold-stay", {"keys": ["key_1"]})
    fleet.serves("release-stay", {"keys": ["key_1"]})
    return fleet


def held(fleet, *reasons):
    document = {"document": {"holds": list(reasons)}, "version": "1"}
    fleet.will("GET", "/documents/tnt_silk/reservations/rsv_1", document)


def test_trial_m5_hold_orders_the_stay_to_rest_on_somebodys_word(stay, ask):
    held(stay, "overdue_payment")
    result = ask("hold", "rsv_1", "--by", "usr_7", "--reason", "overdue_payment")
    assert result.exit_code == 0, result.stderr
    assert "rsv_1 is held (overdue payment): 1 key has to rest." in result.stdout
    assert "keyfleet release rsv_1 --reason overdue_payment --by usr_7" in result.stdout
    order = {"reservation": "rsv_1", "reason": "overdue_payment", "by": "usr_7", "tenant": "tnt_silk"}
    assert ("POST", "/hold-stay", order) in stay.asked


def test_trial_m5_release_wakes_the_keys_with_the_last_reason(stay, ask):
    held(stay)
    assert "1 key has to open again." in ask("release", "rsv_1", "--by", "usr_7").stdout
    held(stay, "fraud_review")
    said = ask("release", "rsv_1", "--by", "usr_7").stdout
    assert "is not held for manual, but still is for fraud review" in said


def test_unknown_reason_is_refused_with_those_there_are(stay, ask):
    result = ask("hold", "rsv_1", "--by", "usr_7", "--reason", "boredom")
    assert result.exit_code == 2
    assert "fraud_review" in result.stderr
    assert stay.asked == []


def test_stay_that_nobody_knows_is_told_as_the_fleet_tells_it(stay, ask):
    stay.will(
        "GET", "/timeline/rsv_1", {"error": {"detail": "no booking and no key 'rsv_1': see"}}, status=404
    )
    result = ask("hold", "rsv_1", "--by", "usr_7")
    assert result.exit_code != 0
    assert "no booking and no key" in result.stderr
