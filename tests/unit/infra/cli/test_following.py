"""keyfleet timeline --follow: each thing is told once, as it happens, until Ctrl-C."""

import pytest

from infra.cli.control import ControlPlane
from infra.cli.following import Followed, followed
from infra.cli.polling import Patience

NO_LETTERS = {"messages": []}
LETTERS = "/dead-letters?after={}&limit=200"
KEYS = "/credentials?limit=200"


def _line(second, what):
    at = f"2026-05-01T09:00:{second:02}.000Z"
    return {"at": at, "source": "lock", "kind": "placed", "about": "grt_1", "what": what, "branch": ""}


def _key(name, room="rmu_204", state="active"):
    return {"id": f"key_{name}", "reservation": f"rsv_{name}", "rooms": [room], "state": state, "grants": []}


@pytest.fixture
def follow(fleet):
    """Follow somebody while the fleet's answers change; returns what was said and the answer at the end."""

    def play(identity, *scenes):
        left = list(scenes)

        def pause(_seconds):
            if not left:
                raise KeyboardInterrupt
            for path, answer in left.pop(0).items():
                fleet.will("GET", path, answer)

        pause(0)
        telling = followed(Followed(ControlPlane(fleet.place), identity, None), Patience(pause=pause))
        said = []
        while True:
            try:
                said.append(next(telling).plain)
            except StopIteration as end:
                return said, end.value

    return play


def _told(*lines):
    return {"timeline": list(lines)}


def test_a_stay_is_told_once_and_then_what_is_new(follow):
    first, second = _line(1, "written down"), _line(2, "placed")
    scenes = [{"/timeline/rsv_7": _told(first)}, {}, {"/timeline/rsv_7": _told(first, second)}]
    said, answer = follow("rsv_7", *scenes)
    assert said[0] == "Following rsv_7; Ctrl-C ends it."
    assert ["written down" in each for each in said].count(True) == 1
    assert "placed" in said[-1]
    assert (answer.facts["timeline"], answer.exit_code) == ([first, second], 0)


def test_a_stay_that_was_never_heard_of_may_still_come(follow):
    said, _ = follow("rsv_7", {}, {"/timeline/rsv_7": _told(_line(1, "booked"))})
    assert "booked" in said[-1]


@pytest.mark.parametrize("room", ["204", "rmu_204"])
def test_a_room_is_followed_through_whoever_has_a_key_to_it(follow, room):
    keys = {"credentials": [_key("here"), _key("elsewhere", room="rmu_101")]}
    said, _ = follow(room, {KEYS: keys, "/timeline/rsv_here": _told(_line(1, "opened here"))})
    assert "opened here" in said[-1]


def test_everything_has_what_was_set_aside_among_it(follow):
    letter = {
        "id": "9",
        "subject": "melmastoon.reservation.booking.confirmed.v1",
        "topic": "quarantine",
        "reservation": "rsv_9",
        "parked_at": "2026-05-01T09:00:03+00:00",
        "problems": [{"problem": "no lock is mapped"}],
    }
    scene = {
        KEYS: {"credentials": [_key("a")]},
        "/timeline/rsv_a": _told(_line(1, "placed")),
        LETTERS.format(0): {"messages": [letter]},
        LETTERS.format(9): NO_LETTERS,
    }
    said, answer = follow(None, scene, {})
    assert said[0] == "Following everything; Ctrl-C ends it."
    assert (
        "set aside: melmastoon.reservation.booking.confirmed.v1 as message 9: no lock is mapped" in said[-1]
    )
    assert len(answer.facts["timeline"]) == 2


def test_a_key_at_rest_is_asked_about_no_more_and_one_under_way_each_time(follow, fleet):
    keys = {"credentials": [_key("rests"), _key("moves", state="pending")]}
    follow("204", {KEYS: keys, "/timeline/rsv_rests": _told(), "/timeline/rsv_moves": _told()}, {}, {})
    asked = [path for _, path, _ in fleet.asked]
    assert (asked.count("/timeline/rsv_rests"), asked.count("/timeline/rsv_moves")) == (1, 3)


def test_without_follow_somebody_is_to_be_named(ask):
    result = ask("timeline")
    assert result.exit_code == 2
    assert "pass --follow" in result.stderr
