"""Scopes: what keys open besides rooms, and what staff may open."""

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import Area
from shared.domain.scope import AccessScope, MasterScope, MasterScopeKind

SPELLINGS = {
    "room:rmu_204": MasterScope(MasterScopeKind.ROOM, "rmu_204"),
    "floor:3": MasterScope(MasterScopeKind.FLOOR, "3"),
    "rooms:assigned": MasterScope(MasterScopeKind.ROOMS_ASSIGNED),
    "rooms:all": MasterScope(MasterScopeKind.ROOMS_ALL),
    "areas:pool": MasterScope(MasterScopeKind.AREA, "pool"),
    "areas:all": MasterScope(MasterScopeKind.AREAS_ALL),
    "back_of_house": MasterScope(MasterScopeKind.BACK_OF_HOUSE),
}


@pytest.mark.parametrize(("text", "scope"), SPELLINGS.items())
def test_every_spelling_of_the_specification_is_read_and_written_back(text, scope):
    assert MasterScope.parse(text) == scope
    assert str(scope) == text


def test_every_kind_of_scope_has_a_spelling():
    assert {scope.kind for scope in SPELLINGS.values()} == set(MasterScopeKind)


@pytest.mark.parametrize("text", ["", "rooms", "rooms:some", "roof:1", "back_of_house:1"])
def test_an_unknown_scope_is_refused_with_the_known_ones(text):
    with pytest.raises(InvalidInput, match=r"scope: not a scope\. .*rooms:all"):
        MasterScope.parse(text)


@pytest.mark.parametrize("text", ["room:204", "floor:", "floor:" + "x" * 17, "areas:roof"])
def test_a_target_that_names_nothing_is_refused(text):
    with pytest.raises(InvalidInput):
        MasterScope.parse(text)


@pytest.mark.parametrize(
    ("kind", "target"), [(MasterScopeKind.ROOMS_ALL, "rmu_1"), (MasterScopeKind.FLOOR, None)]
)
def test_a_target_exists_only_where_the_kind_has_one(kind, target):
    with pytest.raises(InvalidInput, match="does not fit"):
        MasterScope(kind, target)


@pytest.mark.parametrize(
    "scope", [AccessScope(floors=("3",)), AccessScope(areas=(Area.GYM,)), AccessScope(back_of_house=True)]
)
def test_a_scope_that_opens_something_is_true(scope):
    assert scope


def test_an_empty_scope_is_false():
    assert not AccessScope()


def test_a_floor_is_a_short_name():
    with pytest.raises(InvalidInput, match="floor"):
        AccessScope(floors=("3/../4",))
