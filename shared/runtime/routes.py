"""A table of routes: what is asked where, by whom, and what answers. Dispatch and documents read it alike."""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from shared.domain import ids
from shared.domain.errors import InvalidInput
from shared.domain.permissions import RULES, Permission, Where
from shared.runtime.addresses import Address
from shared.runtime.incoming import MethodNotAllowed
from shared.runtime.problems import NotThere

if TYPE_CHECKING:
    from pydantic import BaseModel

    from shared.runtime.asked import Asked
    from shared.runtime.platform import Platform

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
BODILESS: Final = ("GET", "DELETE")
_PARAMETER: Final = re.compile(r"\{([a-zA-Z]+)\}")
_WORD: Final = re.compile(r"[a-z0-9-]+")
OF_PROPERTY: Final = ids.PropertyId.field
PATH_IDS: Final[Mapping[str, Callable[[str], str]]] = {
    **{
        each.field: each
        for each in (*ids.OwnId.__subclasses__(), *ids.ForeignId.__subclasses__())
        if each is not ids.TenantId
    },
    ids.KeyCredentialId.field: ids.credential_id,
}
"""The ids that may stand in a path, by name. A tenant never does: it is the caller's."""

UseCase = Callable[["Asked", "Platform"], Awaitable[Any]]


_HEADERS: Final = "asked_headers"


def asking(headers: Mapping[str, str]) -> Callable[[UseCase], UseCase]:
    """Mark a use case that refuses a request without these headers, each with what it is."""

    def mark(use_case: UseCase) -> UseCase:
        setattr(use_case, _HEADERS, headers)
        return use_case

    return mark


class Reach(StrEnum):
    """How a route finds out which property its thing is at."""

    NOWHERE = "nowhere"
    """It is about the caller, or about the company as a whole."""
    PATH = "path"
    """The path names the property."""
    THING = "thing"
    """The use case finds the thing, and asks before it shows or changes anything of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One row: everything there is to know of a request."""

    method: str
    path: str
    summary: str
    use_case: UseCase = field(repr=False)
    answer: "type[BaseModel]"
    permission: Permission | None = None
    """None is for whoever is proven."""
    request: "type[BaseModel] | None" = None
    query: "type[BaseModel] | None" = None
    status: int = 200
    remembered: bool = True
    """Whether a change's answer is kept for those who ask again; what must not be written down is not."""
    name: str | None = None
    """What programs call it, where its use case answers at more than one address."""
    guarded: bool = False
    """Whether a change must say by If-Match which state it is meant for."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in the path, in order."""
        return tuple(_PARAMETER.findall(self.path))

    @property
    def reach(self) -> Reach:
        """How the route finds out which property its thing is at."""
        if self.permission is None or RULES[self.permission].where is Where.TENANT:
            return Reach.NOWHERE
        return Reach.PATH if OF_PROPERTY in self.parameters else Reach.THING

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers that its use case refuses to do without, each with what it is."""
        found: Mapping[str, str] = getattr(self.use_case, _HEADERS, {})
        return found

    def loaded(self) -> "Route":
        """Return the row itself: whoever has it has loaded it."""
        return self


class RouteRefused(ValueError):
    """A row that cannot be served as it stands."""


Row = TypeVar("Row", Route, Address)


class Shapes(Generic[Row]):
    """Finds what answers a request: a row, or its address."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.routes: tuple[Row, ...] = tuple(rows)
        self._by_shape: dict[int, list[tuple[tuple[str, ...], dict[str, Row]]]] = {}
        for row in rows:
            self._add(row)

    def find(self, method: str, path: str) -> tuple[Row, Mapping[str, str]]:
        """Return the row and the ids in the path, or raise NotThere or MethodNotAllowed."""
        given = tuple(path.split("/")[1:])
        for parts, rows in self._by_shape.get(len(given), ()):
            named = _fitted(parts, given)
            if named is not None:
                return _of_method(rows, method), _ids(named)
        raise NotThere("no such route")

    def _add(self, route: Row) -> None:
        parts = tuple(route.path.split("/")[1:])
        shapes = self._by_shape.setdefault(len(parts), [])
        rows = next((rows for known, rows in shapes if known == parts), None)
        if rows is None:
            rows = {}
            shapes.append((parts, rows))
            # What is spelt out comes before what stands for anything.
            shapes.sort(key=lambda shape: [part.startswith("{") for part in shape[0]])
        if route.method in rows:
            raise RouteRefused(f"{route.method} {route.path}: is there twice")
        rows[route.method] = route


class RouteTable(Shapes[Route]):
    """Rows that can be served, each looked at as it is read."""

    def __init__(self, routes: Sequence[Route]) -> None:
        for route in routes:
            for problem in _problems(route):
                raise RouteRefused(f"{route.method} {route.path}: {problem}")
        super().__init__(routes)


def _fitted(parts: Sequence[str], given: Sequence[str]) -> dict[str, str] | None:
    named: dict[str, str] = {}
    for part, value in zip(parts, given, strict=True):
        if part.startswith("{"):
            named[part[1:-1]] = value
        elif part != value:
            return None
    return named


def _of_method(rows: Mapping[str, Row], method: str) -> Row:
    wanted = "GET" if method == "HEAD" else method
    if wanted not in rows:
        raise MethodNotAllowed(tuple(each for each in METHODS if each in rows))
    return rows[wanted]


def _ids(named: Mapping[str, str]) -> Mapping[str, str]:
    try:
        return {name: PATH_IDS[name](value) for name, value in named.items()}
    except InvalidInput:
        # What can be no id names nothing; telling the two apart would help nobody but a guesser.
        raise NotThere("no such id") from None


def _problems(route: Route) -> Iterator[str]:
    if route.method not in METHODS:
        yield f"is none of {', '.join(METHODS)}"
    if route.request is not None and route.method in BODILESS:
        yield "has no body to read a request from"
    for part in route.path.split("/")[1:]:
        name = _PARAMETER.fullmatch(part)
        if name is None and not _WORD.fullmatch(part):
            yield f"'{part}' is neither a lower-case word nor an id in braces"
        if name is not None and name[1] not in PATH_IDS:
            yield f"{name[1]} is no id that may stand in a path"
    if len(set(route.parameters)) != len(route.parameters):
        yield "names an id twice"
