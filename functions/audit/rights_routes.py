"""What a guest, or a regulator, asks of the company (A §17.4), over HTTP: export, erasure, holds, a list."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from shared.domain.ids import GuestId
from shared.domain.permissions import Permission
from shared.events.wire import Maybe, Published
from shared.queries.egress import egress
from shared.queries.guest_records import guest_records
from shared.queries.hotels import Cell
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import as_state
from shared.runtime.routes import Route
from shared.usecases.audit import rights
from shared.usecases.audit.services import AuditServices

Reason = Annotated[str, Field(pattern="^[A-Za-z0-9_]{1,64}$")]


class ExportWanted(Published):
    """In which language the page is to be."""

    language: Literal["en", "fr", "ar", "ps", "fa-AF"] = "en"


class Because(Published):
    """Why, in one word, such as `police_request`."""

    reason: Reason


class GuestExport(Published):
    """All that is kept of a guest, attempts and messages too, and what the audit log knows, with proofs."""

    guest: str
    export_id: str
    stays: tuple[dict[str, Any], ...]
    pack: str
    """Base64 of lines of JSON, to be verified offline."""
    page: str
    policy: str
    closed_up_to: str
    entries: int


class ErasedAudit(Published):
    """What became of the audit of a guest: kept until when, and by which carve-out."""

    erased: bool
    kept_until: Maybe[str] = None
    because: Maybe[str] = None


class AccountKept(Published):
    """A key on a phone that still opens, and why where it was sent stays sealed until it goes."""

    key: str
    until: str
    because: str


class Erasure(Published):
    """What was destroyed of a guest, and what has to stay."""

    request: str
    audit: ErasedAudit
    contacts_erased: int
    accounts_kept: tuple[AccountKept, ...] = ()


class Holding(Published):
    """Why a guest's audit is kept beyond its window, by everybody who holds it."""

    request: str
    holds: tuple[Reason, ...]


class GuestRequest(Published):
    """Something that a guest asked of us, or somebody for them."""

    id: str
    at: str
    what: str
    kind: str
    about: Maybe[str] = None
    by: str
    outcome: str


class GuestRequests(Published):
    """What guests asked of us, and who was shown what of the log."""

    requests: tuple[GuestRequest, ...]


class VendorCalled(Published):
    """A vendor whose cloud is called for the company, at how many locks of which properties."""

    vendor: str
    locks: int
    properties: tuple[str, ...]


class Egress(Published):
    """What leaves the cell for the company."""

    cell: str
    vendors: tuple[VendorCalled, ...]
    witness: Maybe[str] = None


async def export_guest(asked: Asked, on: Platform) -> GuestExport:
    """Return all that is kept of a guest; that it was shown is noted."""
    request, services = _request(asked, language=asked.body.language), AuditServices.on(on)
    with as_state():
        told = await rights.export_guest(request, services)
    kept = await guest_records(on.documents.tenant(asked.principal.tenant), request.guest)
    both = {**kept, **told, "export_id": told["export"]}
    return GuestExport.model_validate({name: both[name] for name in GuestExport.model_fields})


async def erase_guest(asked: Asked, on: Platform) -> Erasure:
    """Destroy what may go of a guest, and say what has to stay, until when and why."""
    with as_state():
        return Erasure.model_validate(await rights.erase_guest(_request(asked), AuditServices.on(on)))


async def hold_guest(asked: Asked, on: Platform) -> Holding:
    """Keep a guest's audit beyond its window, for a reason."""
    return await _held(rights.hold, asked, on)


async def release_guest(asked: Asked, on: Platform) -> Holding:
    """Take a reason to keep a guest's audit away."""
    return await _held(rights.release, asked, on)


async def list_guest_requests(asked: Asked, on: Platform) -> GuestRequests:
    """Return what guests asked of us, and who was shown what."""
    return GuestRequests.model_validate(await rights.requests(asked.principal.tenant, AuditServices.on(on)))


async def show_egress(asked: Asked, on: Platform) -> Egress:
    """Say what leaves the cell for the company."""
    told = await egress(Cell(on.documents, on.cell), asked.principal.tenant)
    return Egress.model_validate({name: told[name] for name in Egress.model_fields})


_Doing = Callable[[rights.GuestRequest, AuditServices], Awaitable[dict[str, Any]]]


async def _held(doing: _Doing, asked: Asked, on: Platform) -> Holding:
    with as_state():
        told = await doing(_request(asked, reason=asked.body.reason), AuditServices.on(on))
    return Holding.model_validate(told)


def _request(asked: Asked, **more: str) -> rights.GuestRequest:
    return rights.GuestRequest(asked.principal.tenant, GuestId(asked.ids["guestId"]), asked.by, **more)


_P: Final = Permission
_ONE: Final = "/lock/v1/guests/{guestId}"
ROUTES: Final = (
    Route(
        method="POST",
        path=f"{_ONE}/export",
        summary="All that is kept of a guest, with proofs",
        use_case=export_guest,
        request=ExportWanted,
        answer=GuestExport,
        permission=_P.GUEST_RIGHTS,
        remembered=False,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/erase",
        summary="Forget a guest, as far as the law lets us",
        use_case=erase_guest,
        answer=Erasure,
        permission=_P.GUEST_RIGHTS,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/hold",
        summary="Keep a guest's audit beyond its window",
        use_case=hold_guest,
        request=Because,
        answer=Holding,
        permission=_P.GUEST_RIGHTS,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/release",
        summary="Keep a guest's audit no longer for a reason",
        use_case=release_guest,
        request=Because,
        answer=Holding,
        permission=_P.GUEST_RIGHTS,
    ),
    Route(
        method="GET",
        path="/lock/v1/guest-requests",
        summary="What guests asked of us, and who was shown what",
        use_case=list_guest_requests,
        answer=GuestRequests,
        permission=_P.GUEST_RIGHTS,
    ),
    Route(
        method="GET",
        path="/lock/v1/egress",
        summary="What leaves the cell for the company",
        use_case=show_egress,
        answer=Egress,
        permission=_P.TENANT_READ,
    ),
)
