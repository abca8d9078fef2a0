"""Entry points of the audit log: its days, its witnesses, its evidence, and the rights of guests."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from shared.domain.errors import InvalidInput
from shared.runtime.api import api
from shared.runtime.entry import step
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.domain.ids import TenantId
    from shared.runtime.routes import Route
    from shared.usecases.audit.services import AuditServices

Body = Mapping[str, Any]
WORKFLOW = "anchor_day"


def _services(on: Platform) -> "AuditServices":
    from shared.usecases.audit.services import AuditServices

    return AuditServices.on(on)


async def _tenants(on: Platform) -> "list[TenantId]":
    """Return the tenants of the cell, and the one in whose name the cell's own is told."""
    from shared.queries.hotels import Cell
    from shared.usecases.audit.services import PLATFORM

    return [*await Cell(on.documents, on.cell).tenants(), PLATFORM]


@step
async def anchor_due(body: Body, on: Platform) -> Body:
    """Have a day's log closed: yesterday's, unless another is named."""
    from shared.usecases.audit.books import last_over

    date = body.get("date") or last_over(on.clock.now())
    if not isinstance(date, str):
        raise InvalidInput("date", "not a text", "name a day such as 2026-11-18, or none")
    return {"date": date, "execution": await on.sagas.start(WORKFLOW, {"date": date})}


@step
async def anchor_tenants(body: Body, on: Platform) -> Body:
    """Name whose days are to be closed, if what the witness remembers lets anybody go on."""
    from shared.usecases.audit.anchor_cell import CloseCell, require_fresh
    from shared.usecases.audit.books import last_over

    tenants, day = await _tenants(on), {"date": last_over(on.clock.now())}
    await require_fresh(_services(on), CloseCell.of({**body, **day}, tenants).seen)
    return {"tenants": [str(each) for each in tenants]}


@step
async def anchor_tenant(body: Body, on: Platform) -> Body:
    """Close a tenant's days up to one."""
    from shared.usecases.audit.anchor_tenant import CloseDays, anchor_tenant

    return await anchor_tenant(CloseDays.of(body), _services(on))


@step
async def anchor_cell(body: Body, on: Platform) -> Body:
    """Close the cell's days up to one."""
    from shared.usecases.audit.anchor_cell import CloseCell, close_cell

    return await close_cell(CloseCell.of(body, await _tenants(on)), _services(on))


@step
async def audit_witness(body: Body, on: Platform) -> Body:
    """Tell what the witness remembers, have it witness a day, or set it up."""
    from functions.audit.bucket import open_bucket
    from shared.usecases.audit import witnessing

    services = _services(on)
    if body.get("do") == "set-up":
        return await witnessing.set_up_bucket(body, services)
    settings = await witnessing.bucket_settings(services)
    if body.get("do") == "remember":
        if settings is None:
            return {"seen": []}
        found = await witnessing.remembered(services, await open_bucket(settings))
        return {"seen": [] if found is None else [found.text]}
    date = str(body.get("date"))
    if settings is not None:
        await witnessing.witness_day(date, services, settings, await open_bucket(settings))
    return {"date": date, "witnesses": await witnessing.lines_under(date, services)}


@step
async def audit_cosign(body: Body, on: Platform) -> Body:
    """Hand a desk what it is to cosign, keep its line, or trust its key."""
    from shared.usecases.audit import witnessing

    services = _services(on)
    match body.get("do"):
        case "request":
            return await witnessing.request_for(int(body.get("old") or 0), services)
        case "cosign":
            return await witnessing.cosign(body, services)
        case "trust":
            return await witnessing.trust_desk(body, services)
    raise InvalidInput("do", "not among what can be done", "say request, cosign or trust")


@step
async def audit_pack(body: Body, on: Platform) -> Body:
    """Hand out evidence, or the keys that its readers trust."""
    from shared.domain.ids import TenantId
    from shared.usecases.audit import packs

    services = _services(on)
    if body.get("do") == "policy":
        tenant = TenantId.parse(body.get("tenant"), "tenant")
        return {"policy": await packs.policy(tenant, services)}
    return await packs.hand_out(packs.WantPack.of(body), services)


@api
def audit_api() -> "Sequence[Route]":
    """Return what people may ask of the audit log."""
    from functions.audit import evidence_routes, rights_routes

    return (*evidence_routes.ROUTES, *rights_routes.ROUTES)


@step
async def audit_keys(body: Body, on: Platform) -> Body:
    """Draw the key that takes over a log with its next day."""
    from shared.domain.ids import TenantId
    from shared.usecases.audit.openings import draw_next_key

    return await draw_next_key(TenantId.parse(body.get("tenant"), "tenant"), _services(on))


@step
async def audit_rights(body: Body, on: Platform) -> Body:
    """Do what a guest, or somebody for them, may ask."""
    from shared.queries.guest_records import guest_records
    from shared.usecases.audit import rights

    answer = await rights.answer(body, _services(on))
    if body.get("do") != "export":
        return answer
    request = rights.GuestRequest.of(body)
    return {**await guest_records(on.documents.tenant(request.tenant), request.guest), **answer}


@step
async def audit_status(body: Body, on: Platform) -> Body:
    """Tell how the cell's logs stand, or what leaves the cell for a tenant."""
    from shared.domain.ids import TenantId
    from shared.queries.audit import anchors
    from shared.queries.egress import egress
    from shared.queries.hotels import Cell

    cell = Cell(on.documents, on.cell)
    if body.get("do") == "egress":
        await _services(on).admitted(TenantId.parse(body.get("tenant"), "tenant"))
        return await egress(cell, str(body.get("tenant")))
    return {"logs": await anchors(cell, on.clock.now())}


@step
async def audit_upkeep(_body: Body, on: Platform) -> Body:
    """Let go of what is over, have guests forgotten whose time has come, and tell of open days."""
    from shared.queries.audit import overdue
    from shared.queries.hotels import Cell
    from shared.usecases.audit.retention import keep_tenant
    from shared.usecases.audit.witnessing import require_witnessed

    services, cell = _services(on), Cell(on.documents, on.cell)
    kept = (*await _tenants(on), *await cell.departed())
    done = [await keep_tenant(tenant, services) for tenant in kept]
    late = await overdue(cell, on.clock.now())
    for log in late:
        on.log.alert("a day of the audit log is open for too long", runbook="audit/anchor", tenant=log)
    witnessed = await require_witnessed(services)
    return {"streams": sum(each["streams"] for each in done), "overdue": late, "witnessed": witnessed}
