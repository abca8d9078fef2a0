"""What a use case of the API is given: who asks, about what, and the question where a thing is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from shared.domain.ids import EventId, PropertyId, UserId
from shared.domain.permissions import Permission, Principal, Verdict
from shared.kernel.identity import Forbidden
from shared.runtime.problems import NotThere, PreconditionFailed, PreconditionRequired, SignInAgain
from shared.runtime.routes import OF_PROPERTY, Reach, Route

if TYPE_CHECKING:
    from pydantic import BaseModel

_REFUSALS: Final[Mapping[Verdict, type[Exception]]] = {
    Verdict.FORBIDDEN: Forbidden,
    Verdict.ELSEWHERE: NotThere,
    Verdict.STALE_PROOF: SignInAgain,
}


PROGRAM: Final = UserId.prefix
"""Begins the name by which a program's doings are noted: no person's id is a program's."""

NO_EVENT: Final = EventId("evt_0")


class NeverAsked(RuntimeError):
    """A use case that answered without asking whether its caller works where the thing is."""


@dataclass(slots=True)
class Asked:
    """One request, proven and allowed as far as that can be said before the thing is found.

    A use case of Reach.THING calls `at` with the thing's property before it shows or changes anything, or
    `where` to look among the caller's properties only. One that forgets is not answered.
    """

    principal: Principal
    route: Route
    now: datetime
    request_id: str
    trace: str = ""
    ids: Mapping[str, str] = field(default_factory=dict)
    query: Any = None
    body: Any = field(default=None, repr=False)
    if_match: str | None = None
    narrowed: bool = False
    event_id: EventId = NO_EVENT
    """What a change is told as: the same each time that it is asked for by the same key."""
    since: datetime | None = None
    """When a change was asked for first."""
    places: list[PropertyId] = field(default_factory=list)
    """The properties whose things were shown or changed."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """What came with the request, by names in lower case: believed only where it is checked."""
    address: str = field(default="", repr=False)
    """From where it came, as whoever is in front of us says."""

    @property
    def by(self) -> UserId:
        """Who asks, as what they do is noted: a program goes by its own id."""
        caller = self.principal.id
        return caller if isinstance(caller, UserId) else UserId(f"{PROGRAM}{caller}")

    def allow(self) -> None:
        """Refuse, unless the principal may do this, as far as the path tells."""
        if self.route.permission is None:
            return
        if self.route.reach is Reach.PATH:
            self.at(PropertyId(self.ids[OF_PROPERTY]))
        else:
            _demand(self.principal.verdict(self.route.permission, self.now))

    def at(self, property_id: PropertyId) -> None:
        """Refuse as if the thing were not there, unless the principal works at its property."""
        if self.route.permission is not None:
            _demand(self.principal.verdict_at(self.route.permission, property_id, self.now))
        self.narrowed = True
        self.places.append(property_id)

    def where(self) -> frozenset[PropertyId] | None:
        """Return the properties to look among; None is every one of the tenant."""
        self.narrowed = True
        return self.principal.properties

    def may(self, permission: Permission) -> bool:
        """Say whether the principal holds a further permission."""
        return permission in self.principal.permissions

    def expects(self, version: str) -> None:
        """Refuse a change that is meant for another state of the thing than this."""
        if self.if_match is None:
            if self.route.guarded:
                raise PreconditionRequired("send If-Match")
        elif self.if_match not in ("*", etag(version)):
            raise PreconditionFailed("the thing changed meanwhile")

    def check_narrowed(self) -> None:
        """Raise NeverAsked where the use case did not ask where its thing is."""
        if self.route.reach is Reach.THING and not self.narrowed:
            raise NeverAsked(f"{self.route.method} {self.route.path} never asked where its thing is")


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that says more than its body: the state of the thing, another status, headers."""

    body: "BaseModel"
    version: str | None = None
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


def etag(version: str) -> str:
    """Return a thing's version as an ETag."""
    return f'"{version}"'


def _demand(verdict: Verdict) -> None:
    if verdict is not Verdict.ALLOWED:
        raise _REFUSALS[verdict](verdict.value)
