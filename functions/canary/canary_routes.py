"""Vendors' next builds on trial over HTTP: begun at a pilot, shown with their figures, ended."""

from typing import Annotated, Any, Final, Literal

from pydantic import StringConstraints

from shared.domain.ids import PropertyId as Place
from shared.domain.permissions import Permission
from shared.events.wire import Instant, Maybe, PropertyId, Published
from shared.queries import canaries as queries
from shared.runtime.asked import Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.routes import Route
from shared.usecases.canary import begin

Vendor = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{1,14}$")]


class BuildFigures(Published):
    """How a build did: what it was the first to be asked for, and every call."""

    issue_success_rate: Maybe[float] = None
    issue_p95_ms: Maybe[int] = None
    revoke_success_rate: Maybe[float] = None
    vendor_error_rate: Maybe[float] = None
    calls: int


class CanaryShown(Published):
    """A vendor's next build on trial, or the last that was."""

    vendor: str
    pilot: PropertyId
    stage: Literal["running", "promoted", "rolled_back", "stopped"]
    step: int
    turn: int
    build: Maybe[str] = None
    begun_by: str
    began_at: Instant
    step_at: Instant
    reason: Maybe[str] = None
    before: Maybe[BuildFigures] = None
    figures: BuildFigures


class CanaryList(Published):
    """The last trial of each vendor's next build."""

    canaries: tuple[CanaryShown, ...]


class CanaryWanted(Published):
    """Whose next build is to be tried, and where first."""

    vendor: Vendor
    property_id: PropertyId


class CanaryEnded(Published):
    """Whose next build is on trial no longer."""

    vendor: Vendor


async def list_canaries(asked: Asked, on: Platform) -> CanaryList:
    """Return the last trial of each vendor's next build."""
    found = await queries.canaries(on.documents.tenant(asked.principal.tenant))
    return CanaryList(canaries=tuple(CanaryShown(**each) for each in found))


async def begin_canary(asked: Asked, on: Platform) -> CanaryShown:
    """Put a vendor's next build on trial."""
    pilot = Place.parse(asked.body.property_id, "propertyId")
    record = await begin.begin_canary(_which(asked), pilot, str(asked.by), services_of(on))
    return CanaryShown(**queries.canary_facts(record))


async def stop_canary(asked: Asked, on: Platform) -> CanaryShown:
    """End a trial."""
    record = await begin.stop_canary(_which(asked), str(asked.by), services_of(on))
    return CanaryShown(**queries.canary_facts(record))


def _which(asked: Asked) -> begin.WhichBuild:
    said: dict[str, Any] = {"tenant": asked.principal.tenant, "vendor": asked.body.vendor}
    return begin.WhichBuild.of(said)


ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/canaries",
        summary="Vendors' next builds on trial, and how they do",
        use_case=list_canaries,
        answer=CanaryList,
        permission=Permission.VENDOR_ACCOUNT_WRITE,
    ),
    Route(
        method="POST",
        path="/lock/v1/canaries",
        summary="Put a vendor's next build on trial at a pilot",
        use_case=begin_canary,
        request=CanaryWanted,
        answer=CanaryShown,
        permission=Permission.VENDOR_ACCOUNT_WRITE,
        status=202,
    ),
    Route(
        method="POST",
        path="/lock/v1/canaries/stop",
        summary="End the trial of a vendor's next build",
        use_case=stop_canary,
        request=CanaryEnded,
        answer=CanaryShown,
        permission=Permission.VENDOR_ACCOUNT_WRITE,
    ),
)
