"""Who could open, who did, who was refused, who looked: read off the log's entries alone."""

import json
from datetime import UTC, datetime

import pytest

from shared.audit.entries import Entry, action_entry, finding_entry
from shared.audit.evidence import ATTEMPT, Question, accesses, evidence, read
from shared.audit.subjects import Subject
from tests.support.audited import ISSUED, LOCK, row, subject_of

ROOM, LOCKED = "rmu_204", "lck_204"


def at(hour, minute=0):
    return datetime(2026, 11, 18, hour, minute, tzinfo=UTC)


def text(hour, minute=0):
    return f"2026-11-18T{hour:02}:{minute:02}:00Z"


def key_row(verb, sequence, hour, stream="key_a", data=None, **facts):
    """Return what was done to a key; no guest is named but in what was issued."""
    told = {"keyCredentialId": stream} | (data or {})
    return row(stream, sequence, text(hour), f"{LOCK}.{verb}.v1", told, **facts)


def issued(hour=9, since=10, until=18, stream="key_a", rooms=(ROOM,)):
    data = {
        "guestId": f"gst_of_{stream}",
        "rooms": [*rooms],
        "validFrom": text(since),
        "validUntil": text(until),
    }
    return key_row("issued", 1, hour, stream, data)


def attempt(number, hour, outcome="granted", key="key_a", **facts):
    data = {"deviceId": LOCKED, "outcome": outcome, "attemptedAt": text(hour), "denyReason": "expired"}
    data |= {"keyCredentialId": key} if key else {}
    return row(f"kca_{number}", 1, text(hour + 1), ATTEMPT, data, **facts)


def log_of(*rows, withheld=()):
    """Return a log of rows, some of whose bodies are not there."""
    entries = [action_entry(each, subject_of(each)) for each in rows]
    return {n: Entry(each.header) if n in withheld else each for n, each in enumerate(entries)}


def could(entries, since, until, **asked):
    question = Question(at(since), at(until), **asked)
    return [
        (each.key, each.since.hour, each.until.hour, each.device)
        for each in evidence(question, read(entries)).could
    ]


def times(*rows):
    return [(each.since.hour, each.until.hour) for each in accesses(read(log_of(*rows)))]


def test_a_key_opens_from_its_window_to_its_end():
    assert times(issued()) == [(10, 18)]
    assert times(issued(hour=12)) == [(12, 18)]


REVOKED = {"metadata": {"wasProvisional": False, "vendorRevokeOk": True}}
UNCONFIRMED = {"metadata": {"wasProvisional": False, "vendorRevokeOk": False}}
STUCK = {
    "locks": [{"deviceId": "lck_1", "ok": True}, {"deviceId": LOCKED, "ok": False, "exposureUntil": text(17)}]
}


def until(hour):
    """Return the end of a window that is moved to an hour."""
    return {"changes": {"validUntil": {"from": text(18), "to": text(hour)}}}


@pytest.mark.parametrize(
    ("rows", "opens"),
    [
        ([key_row("revoked", 2, 12, data=REVOKED)], [(10, 12)]),
        ([key_row("revoked", 2, 9, data=REVOKED)], []),
        ([key_row("revoked", 2, 12, data=UNCONFIRMED)], [(10, 18)]),
        ([key_row("revoked", 2, 12, data=UNCONFIRMED), key_row("revoke_settled", 3, 13)], [(10, 13)]),
        (
            [key_row("revoked", 2, 12, data=UNCONFIRMED), key_row("revoke_settled", 3, 13, data=STUCK)],
            [(10, 13), (13, 17)],
        ),
        ([key_row("suspended", 2, 12)], [(10, 12)]),
        ([key_row("suspended", 2, 12), key_row("unsuspended", 3, 14)], [(10, 12), (14, 18)]),
        ([key_row("suspended", 2, 9), key_row("unsuspended", 3, 9)], [(10, 18)]),
        (
            [key_row("updated", 2, 12, data=until(20))],
            [(10, 12), (12, 20)],
        ),
        (
            [key_row("updated", 2, 12, data=until(14))],
            [(10, 12), (12, 14)],
        ),
        ([key_row("failed", 2, 12)], [(10, 18)]),
    ],
)
def test_what_is_done_to_a_key_changes_when_it_opens(rows, opens):
    assert times(issued(), *rows) == opens


def test_a_key_that_moves_opens_another_room():
    moved = key_row("updated", 2, 12, data={"changes": {"rooms": {"from": [ROOM], "to": ["rmu_9"]}}})
    entries = log_of(issued(), moved)
    assert could(entries, 10, 20, rooms=frozenset({ROOM})) == [("key_a", 10, 12, "")]
    assert could(entries, 10, 20, rooms=frozenset({"rmu_9"})) == [("key_a", 12, 18, "")]


def test_a_key_that_becomes_the_next_stays_opens_for_each_in_its_own_time():
    handed = key_row("updated", 3, 12, data={"changes": {"reservationId": {"from": "rsv_a", "to": "rsv_b"}}})
    first, longer = issued(), key_row("updated", 2, 11, data=until(20))
    data = json.loads(first["body"])["data"] | {"reservationId": "rsv_a"}
    entries = log_of(row("key_a", 1, text(9), data=data), longer, handed)
    assert could(entries, 8, 23, stay="rsv_a") == [("key_a", 10, 11, ""), ("key_a", 11, 12, "")]
    assert could(entries, 8, 23, stay="rsv_b") == [("key_a", 12, 20, "")]
    assert len(could(entries, 8, 23)) == 3


def test_who_could_open_a_room_within_a_time():
    entries = log_of(issued(), issued(stream="key_b", rooms=("rmu_9",)), issued(stream="key_c", since=16))
    assert [key for key, *_ in could(entries, 11, 15, rooms=frozenset({ROOM}))] == ["key_a"]
    assert [key for key, *_ in could(entries, 11, 17, rooms=frozenset({ROOM}))] == ["key_a", "key_c"]
    assert [key for key, *_ in could(entries, 11, 17, keys=frozenset({"key_b"}))] == ["key_b"]


def test_a_key_whose_rooms_are_withheld_is_told_wherever_it_may_matter():
    entries = log_of(issued(), issued(stream="key_b", rooms=("rmu_9",)), withheld={1})
    assert [key for key, *_ in could(entries, 11, 15, rooms=frozenset({ROOM}))] == ["key_a", "key_b"]


def test_a_lock_that_did_not_let_go_is_told_for_itself():
    rows = issued(), key_row("revoked", 2, 12, data=UNCONFIRMED), key_row("revoke_settled", 3, 13, data=STUCK)
    entries = log_of(*rows)
    assert could(entries, 14, 15, devices=frozenset({LOCKED})) == [("key_a", 13, 17, LOCKED)]
    assert could(entries, 14, 15, devices=frozenset({"lck_1"})) == []


DOOR = Question(at(8), at(23), rooms=frozenset({ROOM}), devices=frozenset({LOCKED}))
ROWS = (
    issued(),
    attempt(1, 11),
    attempt(2, 12, "denied", key="key_x"),
    attempt(3, 13, key=None),
    key_row("revealed", 2, 14, operatorId="usr_7"),
    key_row("revoked", 3, 15, data=REVOKED, operatorId="usr_8", reason="lost"),
    issued(stream="key_b", rooms=("rmu_9",)),
)


def indices(rows):
    return [each.index for each in rows]


def test_a_door_in_a_time_is_answered_whole():
    answer = evidence(DOOR, read(log_of(*ROWS)))
    assert indices(answer.opened) == [1, 3]
    assert indices(answer.refused) == [2]
    assert indices(answer.looked) == [4]
    assert indices(answer.done) == [0, 5]
    assert [each.key for each in answer.could] == ["key_a"]
    assert answer.opened[0].at == at(11)


def test_a_room_without_its_locks_is_answered_by_its_keys():
    answer = evidence(Question(at(8), at(23), rooms=frozenset({ROOM})), read(log_of(*ROWS)))
    assert indices(answer.opened) == [1]
    assert indices(answer.done) == [0, 5]


def test_a_person_of_staff_is_answered_by_what_they_did():
    answer = evidence(Question(at(8), at(23), people=frozenset({"usr_7"})), read(log_of(*ROWS)))
    assert (indices(answer.looked), indices(answer.done), answer.could) == ([4], [], ())
    assert answer.looked[0].who == "usr_7"


def test_a_guest_is_answered_by_their_alias():
    alias = subject_of(issued()).alias
    answer = evidence(Question(at(8), at(23), people=frozenset({alias})), read(log_of(*ROWS)))
    assert 0 in indices(answer.done)
    assert 6 not in indices(answer.done)
    assert [each.holder for each in answer.could] == [alias]


def test_outside_of_the_time_nothing_is_told():
    answer = evidence(Question(at(20), at(23)), read(log_of(*ROWS)))
    assert (answer.opened, answer.done, answer.looked) == ((), (), ())


def test_what_the_log_found_wrong_is_always_told():
    found = finding_entry("gap", row(), Subject(b"k" * 32), 1)
    answer = evidence(DOOR, read({0: found}))
    assert [each.header["finding"] for each in answer.findings] == ["gap"]


def test_a_key_that_was_never_issued_here_opens_nothing_here():
    assert (
        times(key_row("unsuspended", 4, 9), key_row("updated", 5, 9), key_row("revoke_settled", 6, 9)) == []
    )


def test_staff_keys_name_their_holder():
    data = {
        "staffUserId": "usr_9",
        "holderKind": "staff",
        "rooms": [],
        "validFrom": text(9),
        "validUntil": text(17),
    }
    entries = log_of(row("key_s", 1, text(9), ISSUED, data, staffUserId="usr_9"))
    assert [each.holder for each in accesses(read(entries))] == ["usr_9"]
