"""keyfleet trigger: valid events for the sample hotel, and what came of them."""

import pytest

from shared.events.codec import parse_payload

NOW = "2026-05-01T09:00:00+00:00"
BOOKING = "melmastoon.reservation.booking"
STAY = {"start": "2026-05-01T08:00:00.000Z", "end": "2026-05-03T08:00:00.000Z", "rooms": ["rmu_101"]}
MADE = {
    "settled": True,
    "delivering": False,
    "letters": [],
    "heard": {"outcome": "applied", "because": None},
    "keys": [],
}
TOLD = {"topic": "t", "message_id": "7", "event_id": "evt_1", "listeners": ["on-it"], "tenant": "tnt_silk"}
NEWEST = "/credentials?tenant=tnt_silk&property=ppt_kabul&limit=50"


@pytest.fixture
def played(fleet, ask):
    """A trigger against a fleet that has one booking, rsv_7; returns what was published."""
    fleet.will("GET", "/clock", {"now": NOW})
    fleet.will("GET", NEWEST, {"credentials": [{"reservation": None}, {"reservation": "rsv_7"}]})
    fleet.will("GET", "/documents/tnt_silk/reservations/rsv_7", {"document": {"stay": STAY}})
    fleet.will("GET", "/documents/tnt_silk/reservations/rsv_8", {"document": None})
    fleet.will("POST", "/publish", {**TOLD, "reservation": "rsv_7"})
    fleet.will("GET", "/outcomes/7?event=evt_1&tenant=tnt_silk&reservation=rsv_7", MADE)

    def play(*arguments):
        result = ask("trigger", *arguments)
        assert result.exit_code == 0, result.output
        (body,) = [body for method, path, body in fleet.asked if path == "/publish"]
        assert parse_payload(body["subject"], body["data"])
        return body

    return play


def test_a_booked_stay_is_a_new_booking_that_has_begun(played):
    body = played("stay.booked")
    data = body["data"]
    assert (body["subject"], body["tenant"]) == (f"{BOOKING}.confirmed.v1", "tnt_silk")
    assert data["reservationId"] == "rsv_260501_090000_000000"
    assert (data["rooms"], data["propertyId"]) == (["rmu_101"], "ppt_kabul")
    assert data["guest"]["contact"] == {"email": "260501_090000_000000@guest.example"}
    assert (data["validFrom"], data["validUntil"]) == ("2026-05-01T08:55:00Z", "2026-05-03T09:00:00Z")


def test_room_window_and_booking_are_as_they_are_asked_for(played):
    options = ("--room", "204", "--from", "+1d", "--until", "2026-05-09T12:00:00+04:30")
    data = played("stay.booked", *options, "--reservation", "rsv_mine")["data"]
    assert (data["reservationId"], data["rooms"]) == ("rsv_mine", ["rmu_204"])
    assert (data["validFrom"], data["validUntil"]) == ("2026-05-02T09:00:00Z", "2026-05-09T07:30:00Z")


@pytest.mark.parametrize(
    ("what", "end"), [("stay.extended", "2026-05-04T08:00:00Z"), ("stay.shortened", "2026-05-02T08:00:00Z")]
)
def test_the_newest_booking_gets_a_night_more_or_less(played, what, end):
    body = played(what)
    assert body["subject"] == f"{BOOKING}.dates_changed.v1"
    assert body["data"] == {"reservationId": "rsv_7", "propertyId": "ppt_kabul", "validUntil": end}


def test_a_moved_stay_names_its_other_room(played):
    assert played("stay.moved", "--room", "203")["data"]["rooms"] == ["rmu_203"]


@pytest.mark.parametrize(
    "verb", ["cancelled", "checked_in", "checked_out", "early_checkout", "no_show", "fraud_flagged"]
)
def test_what_ends_or_troubles_a_stay_names_the_stay_alone(played, verb):
    body = played(f"stay.{verb}")
    assert body["subject"] == f"{BOOKING}.{verb}.v1"
    assert body["data"] == {"reservationId": "rsv_7", "propertyId": "ppt_kabul"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("stay.eaten",), "stay.booked, stay.extended"),
        (("stay.booked", "--room", "999"), "101, 102, 203, 204"),
        (("stay.booked", "--from", "noon"), "-1h, +30m, +2d"),
        (("stay.moved",), "--room is missing"),
        (("stay.extended", "--reservation", "rsv_8"), "pass --until"),
    ],
)
def test_what_cannot_be_played_is_refused_before_anything_is_published(played, fleet, ask, arguments, named):
    result = ask("trigger", *arguments)
    assert result.exit_code == 2
    assert named in result.stderr
    assert [path for _, path, _ in fleet.asked if path == "/publish"] == []


def test_without_any_booking_there_is_nothing_to_go_on_with(played, fleet, ask):
    fleet.will("GET", NEWEST, {"credentials": []})
    result = ask("trigger", "stay.cancelled")
    assert result.exit_code == 2
    assert "begin with keyfleet trigger stay.booked" in result.stderr
