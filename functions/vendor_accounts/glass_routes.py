"""Break-glass over HTTP: asked for by one, agreed to by two others, shown sealed to the one who asked."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field, StringConstraints

from functions.vendor_accounts.account_routes import Code, Vendor
from shared.domain.ids import PropertyId as Place
from shared.domain.permissions import Permission
from shared.events.wire import Instant, Maybe, PropertyId, Published
from shared.queries import accounts as queries
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.accounts import break_glass as glasses
from shared.usecases.accounts.rotate import WhichAccount, checked_vendor
from shared.usecases.accounts.services import AccountServices

ID: Final = "breakGlassId"


class GlassWanted(Published):
    """Whose account somebody must see, for which incident, how long, and the key it is to be sealed to."""

    property_id: PropertyId
    vendor: Vendor
    incident: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{2,63}$")]
    because: Code
    minutes: Annotated[int, Field(ge=1, le=60)] = 30
    seal_to: Annotated[str, StringConstraints(min_length=44, max_length=44)]
    """An X25519 public key in base64."""


class GlassJudged(Published):
    """Whether who was asked agrees."""

    verdict: Literal["agreed", "refused"]


class ApprovalShown(Published):
    """Who agreed, and when."""

    by: str
    at: Instant


class GlassShown(Published):
    """One incident, and to the one who asked, while it is open, the account sealed to their key."""

    break_glass_id: str
    vendor: str
    property_id: PropertyId
    stage: Literal["asked", "open", "closed", "refused", "expired"]
    incident: str
    because: str
    asked_by: str
    asked_at: Instant
    decided_until: Instant
    minutes: int
    approvals: tuple[ApprovalShown, ...]
    open_until: Maybe[Instant] = None
    ended_by: Maybe[str] = None
    ended_at: Maybe[Instant] = None
    sealed_account: Maybe[str] = None


class GlassList(Published):
    """Incidents, the newest first."""

    incidents: tuple[GlassShown, ...]


async def ask_for(asked: Asked, on: Platform) -> GlassShown:
    """Ask for an account."""
    body, place = asked.body, Place(asked.body.property_id)
    asked.at(place)
    which = WhichAccount(asked.principal.tenant, checked_vendor(body.vendor), place)
    wish = glasses.AskFor(which, asked.by, body.incident, body.because, body.minutes, body.seal_to)
    return _shown(await glasses.ask_for(wish.checked(), AccountServices.on(on)))


async def judge(asked: Asked, on: Platform) -> GlassShown:
    """Agree, or refuse."""
    await _found(asked, on)
    doing = glasses.approve if asked.body.verdict == "agreed" else glasses.refuse
    return _shown(await doing(asked.principal.tenant, asked.ids[ID], asked.by, AccountServices.on(on)))


async def close(asked: Asked, on: Platform) -> GlassShown:
    """Close it before its time."""
    await _found(asked, on)
    tenant, name = asked.principal.tenant, asked.ids[ID]
    return _shown(await glasses.close(tenant, name, asked.by, AccountServices.on(on)))


async def show(asked: Asked, on: Platform) -> GlassShown:
    """Show one, and to whom it is for the sealed account."""
    glass, services = await _found(asked, on), AccountServices.on(on)
    box = await glasses.sealed_for(glass, asked.principal.tenant, asked.by, services)
    return _shown(glass, box)


async def list_glass(asked: Asked, on: Platform) -> GlassList:
    """List what was asked for, where the caller works."""
    found = await queries.incidents(on.documents.tenant(asked.principal.tenant), asked.where())
    return GlassList(incidents=tuple(GlassShown(**each) for each in found))


async def _found(asked: Asked, on: Platform) -> Any:
    glass = await queries.incident(on.documents.tenant(asked.principal.tenant), asked.ids[ID])
    if glass is None:
        raise NotThere("no such incident")
    asked.at(glass.property_id)
    return glass


def _shown(glass: Any, box: str | None = None) -> GlassShown:
    return GlassShown(**queries.glass_facts(glass, box))


ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/break-glass",
        summary="For which incidents a vendor's account was asked for",
        use_case=list_glass,
        answer=GlassList,
        permission=Permission.AUDIT_READ,
    ),
    Route(
        method="POST",
        path="/lock/v1/break-glass",
        summary="Ask for a vendor's account in an emergency",
        use_case=ask_for,
        request=GlassWanted,
        answer=GlassShown,
        permission=Permission.BREAK_GLASS_ASK,
        status=202,
    ),
    Route(
        method="GET",
        path="/lock/v1/break-glass/{breakGlassId}",
        summary="One incident, and to who asked the sealed account while it is open",
        use_case=show,
        answer=GlassShown,
        permission=Permission.BREAK_GLASS_ASK,
    ),
    Route(
        method="POST",
        path="/lock/v1/break-glass/{breakGlassId}/verdict",
        summary="Agree to what another asks for, or refuse",
        use_case=judge,
        request=GlassJudged,
        answer=GlassShown,
        permission=Permission.BREAK_GLASS_APPROVE,
    ),
    Route(
        method="POST",
        path="/lock/v1/break-glass/{breakGlassId}/closing",
        summary="Close it before its time; the account is replaced",
        use_case=close,
        answer=GlassShown,
        permission=Permission.BREAK_GLASS_ASK,
    ),
)
