"""An entry says who did what, when and why; what leads to a person can go, and it still verifies."""

import json

import pytest

from shared.audit.entries import (
    action_entry,
    body_hash,
    day_entry,
    expiry_entry,
    finding_entry,
    key_entry,
)
from shared.audit.errors import Malformed
from shared.audit.subjects import Subject
from shared.audit.text import parsed
from tests.support.audited import REVOKED, TENANT, TRACE, row, subject_of
from tests.support.notaries import log

ROW = row(subject=REVOKED, operatorId="usr_7", reason="lost", staffUserId=None)


def test_a_header_holds_what_the_regulator_asks_for():
    header = parsed(action_entry(ROW, subject_of(ROW)).header)
    assert header | {"body": "", "guest": ""} == {
        "v": 1,
        "kind": "action",
        "tenant": TENANT,
        "id": "evt_key_a_1",
        "type": REVOKED,
        "stream": "key_a",
        "seq": 1,
        "property": "ppt_01HX4Q8ZT9WKE2M7VR5N3BCD6F",
        "key": "key_a",
        "action": "revoked",
        "at": "2026-11-18T10:00:00Z",
        "operator": "usr_7",
        "reason": "lost",
        "vendor": "ttlock",
        "capabilities": ["pin", "remoteRevoke"],
        "trace": TRACE,
        "body": "",
        "guest": "",
    }
    assert header["guest"] == subject_of(ROW).alias


def test_a_header_answers_for_its_body_under_its_salt():
    entry = action_entry(ROW, subject_of(ROW))
    assert parsed(entry.header)["body"] == body_hash(entry.salt, entry.body)
    assert parsed(entry.header)["body"] != body_hash(b"", entry.body)
    assert json.loads(entry.body)["data"]["reservationId"] == "rsv_of_key_a"


def test_a_header_names_neither_guest_nor_reservation():
    header = action_entry(ROW, subject_of(ROW)).header
    assert b"gst_" not in header
    assert b"rsv_" not in header


def test_the_same_row_makes_the_same_entry():
    assert action_entry(ROW, subject_of(ROW)) == action_entry(row() | ROW, subject_of(ROW))


def test_a_door_event_names_door_key_and_outcome():
    data = {"deviceId": "lck_1", "keyCredentialId": "key_b", "outcome": "denied", "denyReason": "expired"}
    header = parsed(action_entry(row("lck_1", data=data), Subject(b"k" * 32)).header)
    assert [header[name] for name in ("device", "key", "outcome", "reason")] == [
        "lck_1",
        "key_b",
        "denied",
        "expired",
    ]


def test_free_text_where_a_code_belongs_is_left_out_and_said_so():
    spoken = row(reason="she lost it at the pool", operatorId="reception@hotel.example")
    entry = action_entry(spoken, subject_of(spoken))
    assert not {"reason", "operator"} & set(parsed(entry.header))
    assert parsed(entry.body)["withheld"] == ["operator", "reason"]
    assert b"pool" not in entry.header + entry.body


def test_a_body_is_not_in_what_a_log_line_would_show():
    assert "rsv_of" not in repr(action_entry(ROW, subject_of(ROW)))


def test_a_finding_holds_of_a_row_where_it_stood_and_a_salted_hash():
    entry = finding_entry("gap", ROW, subject_of(ROW), 1)
    header = parsed(entry.header)
    assert [header[name] for name in ("kind", "finding", "stream", "seq", "expected")] == [
        "finding",
        "gap",
        "key_a",
        1,
        1,
    ]
    assert b"gst_" not in entry.header
    other = finding_entry("gap", ROW, Subject(b"o" * 32), 1)
    assert parsed(other.header)["row"] != header["row"]


def test_days_keys_and_expiries_are_entries_too():
    assert parsed(day_entry(TENANT, "2026-11-18", 4, {"actions": 3}).header) == {
        "v": 1,
        "kind": "day",
        "tenant": TENANT,
        "day": "2026-11-18",
        "first": 4,
        "actions": 3,
    }
    old, new = log("a.example"), log("a.example", seed="new")
    assert parsed(key_entry(TENANT, "2026-11-18T00:00:00Z", new.key, old.key).header)["verifier"] == str(
        new.key
    )
    expiry = parsed(expiry_entry(TENANT, "2033-11-18T00:00:00Z", "regulated", 0, 7).header)
    assert (expiry["first"], expiry["count"], expiry["policy"]) == (0, 7, "regulated")


@pytest.mark.parametrize("body", ["[]", '{"data":1}', "{}"])
def test_a_row_without_an_event_is_refused(body):
    with pytest.raises(Malformed, match="Quarantine"):
        action_entry(ROW | {"body": body}, subject_of(ROW))


def test_a_body_that_no_bundle_holds_is_withheld_by_name():
    rooms = [f"rmu_{number:06}" for number in range(1_500)]
    entry = action_entry(row(data={"rooms": rooms, "keyCredentialId": "key_a"}), subject_of(row()))
    body = parsed(entry.body)
    assert body == {"data": {}, "withheld": ["keyCredentialId", "rooms"]}
    assert parsed(entry.header)["key"] == "key_a"
