"""Every field of every event is decided about, and what A §17.3 forbids is in no entry."""

import json
import typing

import pytest
from pydantic import BaseModel

from infra.manifest.load import ROOT
from shared.audit.entries import action_entry
from shared.audit.kept import GUEST, KEPT, NEVER_KEPT, is_word, kept_of
from shared.audit.subjects import Subject
from shared.events.catalogue import model_for, subjects
from shared.events.subject import Direction
from tests.support.audited import key_of, row

NOBODY = Subject(b"k" * 32)
EXAMPLES = json.loads((ROOT / "shared/events/examples/produced.json").read_text(encoding="utf-8"))
PLANTED = {
    "vendorRef": "vendor-ref-canary",
    "pin": "482913",
    "token": "tk_canary",
    "displayName": "Name Canary",
    "email": "canary@example.com",
    "phone": "+99890canary",
    "note": "the guest asked for a canary",
    "somethingNew": "canary",
}


def fields_of(annotation, seen=()):
    """Return the names of a payload's fields, however deep."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation in seen:
            return set()
        fields = annotation.model_fields
        return {field.alias or name for name, field in fields.items()}.union(
            *(fields_of(field.annotation, (*seen, annotation)) for field in fields.values())
        )
    return set().union(*(fields_of(each, seen) for each in typing.get_args(annotation)))


PRODUCED = sorted(subject.name for subject in subjects(Direction.PRODUCED))


@pytest.mark.parametrize("name", PRODUCED)
def test_every_field_of_every_event_is_decided_about(name):
    undecided = fields_of(model_for(name)) - set(KEPT) - set(NEVER_KEPT) - {GUEST}
    assert undecided == set(), "decide in shared/audit/kept.py whether audit may keep it for seven years"


def test_nothing_is_both_kept_and_never_kept():
    assert not set(KEPT) & set(NEVER_KEPT)
    assert GUEST not in {*KEPT, *NEVER_KEPT}


def test_no_name_of_a_secret_or_of_a_person_is_kept():
    forbidden = {"vendorRef", "token", "secret", "password", "name", "displayName", "email", "phone", "note"}
    assert not forbidden & set(KEPT)


def buried(value):
    """Return an event with the planted words in every object of it, and in place of every text."""
    if isinstance(value, dict):
        return {name: buried(each) for name, each in value.items()} | PLANTED
    return [buried(each) for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_what_is_planted_in_an_event_is_in_no_entry(name):
    for example in EXAMPLES[name]:
        entry = action_entry(row(subject=name, data=buried(example)), NOBODY)
        said = (entry.header + entry.body).decode().lower()
        assert "canary" not in said
        assert PLANTED["pin"] not in said
        assert "opaqueref" not in json.dumps(json.loads(entry.body)["data"]).lower()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_an_example_of_each_event_loses_only_what_is_never_kept(name):
    for example in EXAMPLES[name]:
        guest = example.get(GUEST)
        assert kept_of(example, Subject(b"k" * 32, guest)).withheld <= set(NEVER_KEPT)


def test_a_guest_is_kept_as_an_alias_and_another_guest_not_at_all():
    subject = Subject(key_of("gst_1"), "gst_1")
    assert sifted({GUEST: "gst_1"}, subject) == ({GUEST: subject.alias}, set())
    assert sifted({GUEST: "gst_2"}, subject) == ({}, {GUEST})
    assert sifted({GUEST: "gst_1"}, NOBODY) == ({}, {GUEST})


def sifted(data, subject):
    found = kept_of(data, subject)
    return found.data, found.withheld


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        ({"reason": "lost"}, {"reason": "lost"}),
        ({"reason": "Mr Smith lost it"}, {}),
        ({"pin": True}, {"pin": True}),
        ({"pin": "1234"}, {}),
        ({"pin": 1234}, {}),
        ({"attempts": 6}, {"attempts": 6}),
        ({"attempts": True}, {}),
        ({"rooms": ["rmu_1", "a b"]}, {}),
        ({"rooms": {"from": ["rmu_1"], "to": ["rmu_2"]}}, {"rooms": {"from": ["rmu_1"], "to": ["rmu_2"]}}),
        ({"reservationId": {"from": "rsv_a", "to": "A Guest"}}, {"reservationId": {"from": "rsv_a"}}),
        ({"floors": ["Ground floor"]}, {"floors": ["Ground floor"]}),
        ({"floors": ["words that are longer"]}, {}),
        ({"scope": "everything"}, {}),
        ({"warnings": [{"code": "W", "detail": "text"}]}, {"warnings": [{"code": "W"}]}),
        ({"replaces": None}, {}),
    ],
)
def test_a_field_is_kept_when_its_value_is_of_its_kind(data, kept):
    assert kept_of(data, NOBODY).data == kept


@pytest.mark.parametrize("word", ["", "a b", "a@b.example", "é", "-a", "a" * 129, "a\n", 7, None])
def test_an_address_or_a_sentence_is_no_word(word):
    assert not is_word(word)
