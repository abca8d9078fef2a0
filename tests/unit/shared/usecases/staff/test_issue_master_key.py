"""What a manager may order of staff's keys, and how weeks and roles are read."""

from datetime import time

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.scope import MasterScope
from shared.domain.staff_scopes import lacking, scopes_of
from shared.usecases.staff.issue_master_key import IssueMasterKey, RevokeMasterKey, weekly

BODY = {"tenant": "tnt_1", "property": "ppt_1", "staff": "usr_7", "by": "usr_gm", "scopes": ["rooms:all"]}
END = {"until": "2026-05-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("said", "days", "hours"),
    [
        ("mon-fri 06:00-14:00", [0, 1, 2, 3, 4], (time(6), time(14))),
        ("sat 22:00-06:00", [5], (time(22), time(6))),
        ("sat-mon 08:00-12:00", [5, 6, 0], (time(8), time(12))),
        ("Sun-Sun 08:00-12:00", [6], (time(8), time(12))),
    ],
)
def test_a_week_is_read_as_people_say_it(said, days, hours):
    shifts = list(weekly(said))
    assert [shift.weekday for shift in shifts] == days
    assert {(shift.start, shift.end) for shift in shifts} == {hours}


@pytest.mark.parametrize(
    "said", ["", "monday 06:00-14:00", "mon 6-14", "mon-xyz 06:00-14:00", "mon 25:00-26:00"]
)
def test_what_is_no_week_is_refused(said):
    with pytest.raises(InvalidInput, match="week"):
        weekly(said)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "until"),
        ({**END, "scopes": ["attic"]}, "scope"),
        ({**END, "scopes": "rooms:all"}, "scopes"),
        ({**END, "staff": "me"}, "staff"),
        ({**END, "kind": "brass"}, "kind"),
        ({"until": "tomorrow"}, "until"),
    ],
)
def test_an_order_names_the_field_that_is_wrong(body, field):
    with pytest.raises(InvalidInput) as refused:
        IssueMasterKey.of({**BODY, **body})
    assert refused.value.field == field


@pytest.mark.parametrize("body", [{}, {"key": "mky_01ARZ3NDEKTSV4RRFFQ69G5FAV", "staff": "usr_7"}])
def test_a_revocation_is_of_one_key_or_of_one_person(body):
    with pytest.raises(InvalidInput, match="key"):
        RevokeMasterKey.of({"tenant": "tnt_1", "by": "usr_gm", **body})


@pytest.mark.parametrize(
    ("role", "scopes"),
    [
        ("housekeeper", ["rooms:assigned", "back_of_house"]),
        ("engineer", ["rooms:assigned", "back_of_house"]),
        ("gm", ["rooms:all", "areas:all", "back_of_house"]),
        ("concierge", ["back_of_house"]),
    ],
)
def test_a_role_opens_the_least_that_a12_1_gives_it(role, scopes):
    assert [*map(str, scopes_of((), role))] == scopes
    assert [*map(str, scopes_of(("floor:3", "floor:3"), role))] == ["floor:3"]


@pytest.mark.parametrize("role", [None, "wizard"])
def test_nobody_guesses_what_an_unknown_role_may_open(role):
    with pytest.raises(InvalidInput, match="scopes"):
        scopes_of((), role)


@pytest.mark.parametrize(
    ("wanted", "held", "lacks"),
    [
        (["floor:1", "areas:spa"], ["rooms:all"], ["areas:spa"]),
        (["room:rmu_1", "rooms:assigned"], ["rooms:all"], []),
        (["areas:spa"], ["areas:all"], []),
        (["rooms:all"], ["floor:1"], ["rooms:all"]),
        (["back_of_house"], ["rooms:all", "areas:all"], ["back_of_house"]),
    ],
)
def test_a_standing_key_spares_a_shift_what_it_opens_already(wanted, held, lacks):
    parsed = [list(map(MasterScope.parse, each)) for each in (wanted, held)]
    assert [*map(str, lacking(*parsed))] == lacks
