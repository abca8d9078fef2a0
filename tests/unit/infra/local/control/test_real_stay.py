"""Keys and timelines of a stay that the fleet itself made, with its functions, its workflows and TTLock."""

import asyncio
import json

import pytest

from tests.support.sample_hotel import SILK, play

GATEWAY_BUSY = "errcode:-3003"


async def _ask(house, path):
    status, answer = await house.on.send(f"_cloud/{path}", caller="operator", method="GET")
    assert status == 200, answer
    return answer


async def _stay(house):
    """A stay whose first attempt fails, and which ends; what was shown in it, and what opened its door."""
    await house.fault(GATEWAY_BUSY, "keyboardPwd/add", times=1)
    await house.publish("evt_1")
    await asyncio.sleep(30)
    opened = await house.keys_at("101") + await house.keys_at("front")
    shown = [await _ask(house, "credentials"), await _ask(house, "timeline/rsv_1")]
    await house.publish("evt_2", "checked_out", time="2026-03-05T07:00:00Z")
    await asyncio.sleep(600)
    shown += [await _ask(house, "credentials"), await _ask(house, "timeline/rsv_1")]
    (key,) = shown[1]["credentials"]
    shown.append(await _ask(house, f"timeline/{key}"))
    shown.append(await _ask(house, "credentials?state=residual"))
    return opened, shown


@pytest.fixture(scope="module")
def stay(tmp_path_factory):
    """The stay, once for all tests of this module."""
    return play(tmp_path_factory.mktemp("stay"), _stay)


def _of(answer, source):
    return [(each["kind"], each["what"]) for each in answer["timeline"] if each["source"] == source]


def test_its_key_is_shown_as_it_stands_before_and_after_the_guest_left(stay):
    _, (before, _, after, *_) = stay
    (made,), (taken,) = before["credentials"], after["credentials"]
    assert (made["state"], made["attempts"], made["due_at"] > made["window"]["until"]) == ("active", 2, True)
    assert [(each["label"], each["state"]) for each in made["grants"]] == [
        ("Front door", "placed"),
        ("Room 101", "placed"),
    ]
    assert (taken["state"], taken["reason"], taken["unannounced"]) == ("revoked", "checkout", 0)
    assert {each["state"] for each in taken["grants"]} == {"removed"}


def test_it_leaves_nothing_residual(stay):
    _, (*_, residual) = stay
    assert residual["credentials"] == []


def test_its_events_are_told_from_the_booking_to_what_the_locks_said(stay):
    _, (*_, told, _, _) = stay
    assert [what.split(".")[-2] for _, what in _of(told, "booking")] == ["confirmed", "checked_out"]
    subjects = [what.split()[1].split(".")[3] for _, what in _of(told, "event")]
    assert subjects[:3] == ["requested", "pending", "issued"]
    assert subjects[3] == "revoked"
    assert {kind for kind, _ in _of(told, "event")} == {"published"}


def test_its_booking_comes_first_although_the_hotels_clock_is_ahead_of_ours(stay):
    _, (*_, told, _, _) = stay
    first = told["timeline"][0]
    assert first["what"].startswith("melmastoon.reservation.booking.confirmed.v1 (evt_1, ")
    assert first["at"] == "2026-03-01T09:00:00.000Z"


def test_what_its_vendor_was_asked_stands_before_the_event_that_tells_of_it(stay):
    _, (_, told, *_) = stay
    said = [each["what"] for each in told["timeline"]]
    (issued,) = (n for n, what in enumerate(said) if ".credential.issued." in what)
    assert max(n for n, what in enumerate(said) if what.endswith(": placed (on_lock)")) < issued


def test_its_retry_is_told_with_the_attempt_the_verdict_and_the_wait(stay):
    _, (*_, told, _, _) = stay
    assert [kind for kind, _ in _of(told, "attempt")][:2] == ["refused", "made"]
    saga = [what for _, what in _of(told, "saga")]
    verdict = next(what for what in saga if what.startswith("POST /adapter-ttlock: 200, retry in "))
    wait = verdict.removeprefix("POST /adapter-ttlock: 200, retry in ")
    assert f"sleep {wait}: done" in saga
    assert "POST /adapter-ttlock: 200, done" in saga
    assert [what for what in saga if " ended: " in what] == ["work_on_key ended: done"] * 2


def test_every_call_of_its_vendor_is_told_with_the_answer(stay):
    _, (*_, told, _, _) = stay
    calls = [what.removeprefix("ttlock was asked to ") for _, what in _of(told, "vendor")]
    front, room = ([call for call in calls if door in call] for door in ("Front door", "Room 101"))
    assert front == [
        "place pin_code at Front door: gateway_busy",
        "place pin_code at Front door: on_lock",
        "remove pin_code at Front door: gone",
    ]
    assert sorted(set(room), key=room.index) == [
        "place pin_code at Room 101: on_lock",
        "remove pin_code at Room 101: gone",
    ]


def test_its_locks_still_tell_when_they_had_the_key_after_the_guest_left(stay):
    _, (*_, told, _, _) = stay
    at = {(each["kind"], each["what"].split(": ")[0]): each["at"] for each in told["timeline"]}
    for door in ("Front door", "Room 101"):
        written, placed, gone = (
            at[kind, f"pin_code at {door}"] for kind in ("intended", "placed", "removed")
        )
        assert written <= placed < gone


def test_its_timeline_is_in_order_and_its_keys_is_the_same_without_the_booking(stay):
    _, (*_, booking, key, _) = stay
    times = [each["at"] for each in booking["timeline"]]
    assert times == sorted(times)
    assert booking["tenant"] == SILK
    assert key["timeline"] == [each for each in booking["timeline"] if each["source"] != "booking"]


def test_nothing_shown_holds_what_opens_its_doors_or_names_it_at_the_vendor(stay):
    opened, shown = stay
    said = json.dumps(shown)
    assert len(opened) == 2
    secrets = {str(row[name]) for row in opened for name in ("code", "passcode_id")}
    assert [secret for secret in secrets if secret in said] == []


def test_every_request_to_its_vendor_is_told_with_its_answer(stay):
    _, (*_, told, _, _) = stay
    calls = [what for kind, what in _of(told, "vendor") if kind == "call"]
    assert calls[0] == "ttlock /oauth2/token: yes"
    assert calls.count("ttlock keyboardPwd/add: -3003") == 1
    assert calls.count("ttlock keyboardPwd/add: yes") == 2
    assert calls.count("ttlock keyboardPwd/delete: yes") == 2
