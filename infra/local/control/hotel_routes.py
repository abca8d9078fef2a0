"""Hotels over the control plane: whoever runs the fleet lets a tenant in and sets its property up."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from infra.local.control.bodies import json_body
from infra.local.control.operations import Operations, Routes
from infra.local.sample.account import sample_account, simulator_address
from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId, PropertyId, TenantId
from shared.domain.premises import Tenant
from shared.ledger.admission import RECORD
from shared.ports.documents import Create
from shared.usecases.hotels.import_hotel import HotelPlan, import_hotel
from shared.vendor_kit.accounts import account_secret


async def _imported(on: Operations, request: Request) -> Mapping[str, Any]:
    told = await json_body(request)
    tenant = told.get("tenant") or {}
    id_, hotel = TenantId.parse(tenant.get("id"), "tenant.id"), told.get("property") or {}
    place, platform = PropertyId.parse(hotel.get("id"), "property.id"), on.platform
    plan = HotelPlan.of(place, {**told, "property": {**hotel, "id": place}})
    store = platform.documents.tenant(id_)
    known = await store.get(RECORD)
    if known is None:
        name = str(tenant.get("name") or id_)
        admitted = to_document(Tenant(id=id_, name=name, data_residency=platform.cell))
        await store.commit([Create(RECORD, admitted)])
    elif known.data.get("data_residency") != platform.cell:
        raise InvalidInput("tenant.id", "a tenant of another cell", "set its hotels up there")
    now = platform.clock.now()
    report = await import_hotel(plan, EventId.mint(platform.ids.ulid()), now, store)
    platform.hotels.forget(id_)
    opened = await _simulated(told.get("simulator_port"), plan, id_, on)
    return {"tenant": id_, **report, "accounts_opened": opened}


async def _simulated(port: Any, plan: HotelPlan, tenant: TenantId, on: Operations) -> list[str]:
    """Open the hotel's account at the simulators of its vendors, where doors to play with are asked for."""
    if not isinstance(port, int):
        return []
    vendors = sorted({each.vendor for each in plan.devices})
    for vendor in vendors:
        account = sample_account(vendor, simulator_address(port))
        await on.platform.secrets.add(account_secret(vendor, tenant, plan.property.id), account)
    return [str(each) for each in vendors]


ROUTES: Routes = (("POST", "/hotels", _imported),)
