"""An operator at a desktop: their session proven with each request, and what they do counted and told.

1. The person is proven by their token (the entry does it); the machine by its session's secret, in a header.
2. A machine whose program is too old is let in no more: its session is closed, and says why.
3. The use case answers.
4. What was done is counted in the session, and told as the operator's activity, by its share.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from functions.backoffice.services import frontdoor_of, turns_of
from shared.domain.ids import PropertyId, UserId
from shared.events.backoffice.boundary import their_property
from shared.kernel.identity import Forbidden, Unauthenticated
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import problem_of
from shared.runtime.routes import asking
from shared.usecases.backoffice.sessions import NOT_PROVEN, Session, proven
from shared.usecases.backoffice.sign_in import Frontdoor, close, count, doing_of
from shared.usecases.telemetry.tell import Doing, Teller

if TYPE_CHECKING:
    from shared.ports.documents import TenantDocuments

SESSION_HEADER: Final = "backoffice-session"
DEVICE_HEADER: Final = "backoffice-device"
PROOF: Final[Mapping[str, str]] = {
    SESSION_HEADER: "The `secret` of the session at this machine, as signing in told it.",
    DEVICE_HEADER: "The id of the machine, as it signed in: `dev_…`.",
}
"""What a desktop sends with each request of its session, besides its operator's token."""
_A_MILLISECOND: Final = timedelta(milliseconds=1)
ERRORS: Final = "MELMASTOON.BFF."


@dataclass(slots=True)
class Desk:
    """One request of an operator at a machine."""

    asked: Asked
    on: Platform
    session: Session
    door: Frontdoor
    about: tuple[str, str] | None = None
    """Kind and id of what was done something to."""
    property_id: PropertyId | None = None

    @property
    def teller(self) -> Teller:
        """Who tells what is done."""
        return self.door.teller

    @property
    def store(self) -> "TenantDocuments":
        """The tenant's documents."""
        return self.on.documents.tenant(self.asked.principal.tenant)

    def at(self, house: PropertyId) -> PropertyId:
        """Refuse, unless the operator works at a hotel; note that something is done there."""
        self.asked.at(house)
        self.property_id = house
        return house

    def since(self) -> int:
        """Return for how many milliseconds the request has been worked on."""
        return max(self.on.clock.now() - self.asked.now, timedelta(0)) // _A_MILLISECOND

    def doing(self, house: PropertyId | None = None) -> Doing:
        """Return whose doing this is."""
        at, tenant = self.on.clock.now(), self.asked.principal.tenant
        more = {"trace": self.asked.trace, "property_id": house or self.property_id}
        return doing_of(self.session, tenant, self.asked.request_id, at, **more)

    async def tell(self, event: str, **payload: Any) -> None:
        """Tell one thing that was done, by its share."""
        await self.teller.tell(await self.teller.drawn(event, self.doing(), **payload))


UseCase = Callable[[Asked, Platform], Awaitable[Any]]
Work = Callable[[Desk], Awaitable[Any]]


def operator_of(asked: Asked) -> UserId:
    """Return the person who asks; a program has no desktop."""
    if not isinstance(asked.principal.id, UserId):
        raise Forbidden("a program has no session at a desktop")
    return asked.principal.id


async def desk_of(asked: Asked, on: Platform) -> Desk:
    """Return the desk that a request comes from, or refuse it."""
    door, tenant = frontdoor_of(on), asked.principal.tenant
    said, device = (asked.headers.get(name, "") for name in (SESSION_HEADER, DEVICE_HEADER))
    store = on.documents.tenant(tenant)
    session = await proven(said, operator_of(asked), device, store, asked.now)
    if door.is_too_old(session.app_version):
        await close(session, "version_upgrade", tenant, asked.request_id, door.teller)
        raise Unauthenticated(NOT_PROVEN)
    return Desk(asked, on, session, door)


def at_desk(category: str, action: str, **counted: bool) -> Callable[[Work], UseCase]:
    """Make a use case of what an operator does at a desk; `counted` says what else it counts as."""

    def decorate(work: Work) -> UseCase:
        async def use_case(asked: Asked, on: Platform) -> Any:
            desk = await desk_of(asked, on)
            try:
                answer = await work(desk)
            except Exception as error:
                await _acted(desk, category, action, counted, error)
                raise
            await _acted(desk, category, action, counted, None)
            return answer

        use_case.__name__ = action.replace(".", "_")  # what programs call it
        return asking(PROOF)(use_case)

    return decorate


async def _acted(
    desk: Desk, category: str, action: str, counted: Mapping[str, bool], error: Exception | None
) -> None:
    # A desktop asks for several things at once: on this instance, one counts after the other.
    async with turns_of(desk.on).setdefault(desk.session.id, asyncio.Lock()):
        await count(desk.session, desk.asked.principal.tenant, desk.teller, **counted)
    house = desk.property_id
    kind, name = desk.about or ("", "")
    await desk.tell(
        "operator.activity",
        tenant_id=desk.asked.principal.tenant,
        property_id=None if house is None else their_property(house),
        operator_id=desk.doing().operator_id,
        device_id=desk.session.device,
        session_id=desk.session.id,
        occurred_at=desk.on.clock.now(),
        category=category,
        action=action,
        resource_ref={"kind": kind, "id": name} if kind else None,
        outcome="success" if error is None else "failure",
        latency_ms=desk.since(),
        error_code=None if error is None else code_of(problem_of(error).code),
    )


def code_of(problem: str) -> str:
    """Return a problem of the API's catalogue as C's error codes are spelt."""
    return ERRORS + problem.upper().replace("-", "_")
