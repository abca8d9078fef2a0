"""What staff may open where nobody says so: by their role, and no more than the least of it (A §12.1)."""

from collections.abc import Iterable, Mapping
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.permissions import Role
from shared.domain.scope import MasterScope, MasterScopeKind

_BEHIND: Final = MasterScope(MasterScopeKind.BACK_OF_HOUSE)
_ASSIGNED: Final = MasterScope(MasterScopeKind.ROOMS_ASSIGNED)
_WHOLE_HOUSE: Final = (
    MasterScope(MasterScopeKind.ROOMS_ALL),
    MasterScope(MasterScopeKind.AREAS_ALL),
    _BEHIND,
)
_OF_ROLE: Final[Mapping[Role, tuple[MasterScope, ...]]] = {
    Role.GM: _WHOLE_HOUSE,
    Role.HOUSEKEEPER: (_ASSIGNED, _BEHIND),
    Role.ENGINEER: (_ASSIGNED, _BEHIND),
}
"""All others are let behind the house, and no further."""
_COVERS: Final[Mapping[MasterScopeKind, frozenset[MasterScopeKind]]] = {
    MasterScopeKind.ROOMS_ALL: frozenset(
        {MasterScopeKind.ROOM, MasterScopeKind.FLOOR, MasterScopeKind.ROOMS_ASSIGNED}
    ),
    MasterScopeKind.AREAS_ALL: frozenset({MasterScopeKind.AREA}),
}
"""Scopes within which others lie whole."""


def scopes_of(spelled: Iterable[str], role: str | None) -> tuple[MasterScope, ...]:
    """Return the scopes that are spelled, or those of a role, each once."""
    scopes = tuple(dict.fromkeys(map(MasterScope.parse, spelled)))
    if scopes:
        return scopes
    try:
        return _OF_ROLE.get(Role(role or ""), (_BEHIND,))
    except ValueError:
        remedy = f"Give scopes such as floor:3, or one of the roles {', '.join(Role)}"
        raise InvalidInput("scopes", "empty, and nobody knows the role", remedy) from None


def lacking(wanted: Iterable[MasterScope], held: Iterable[MasterScope]) -> tuple[MasterScope, ...]:
    """Return the scopes that lie in none of those that are held."""
    having = tuple(held)
    within = {kind for scope in having for kind in _COVERS.get(scope.kind, ())}
    return tuple(scope for scope in wanted if scope not in having and scope.kind not in within)
