"""A company's end over the control plane: what is kept of it, page by page, and its removal."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request

from infra.local.control.bodies import json_body
from infra.local.control.operations import Operations, Routes
from infra.local.tenancy import next_of
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId, UserId


def _tenant(request: Request) -> TenantId:
    return TenantId.parse(request.path_params["tenant"], "tenant")


async def _standing(on: Operations, request: Request) -> Mapping[str, Any]:
    return on.tenancy.standing(_tenant(request))


async def _page(on: Operations, request: Request) -> Mapping[str, Any]:
    asked = request.query_params
    page = on.tenancy.page(_tenant(request), (asked.get("collection", ""), asked.get("id", "")))
    return {"documents": page, "next": next_of(page)}


async def _removed(on: Operations, request: Request) -> Mapping[str, Any]:
    tenant, told = _tenant(request), await json_body(request)
    by = UserId.parse(told.get("by"), "by")
    if told.get("tenant") != tenant:
        raise InvalidInput("tenant", "not said twice", "say in the body, too, whose records are to go")
    remains = await on.tenancy.remove(tenant)
    on.platform.hotels.forget(tenant)
    on.platform.log.info("a company's records were removed", tenant=tenant, by=by, **remains["removed"])
    return {**remains, "by": by, "at": on.platform.clock.now().isoformat()}


ROUTES: Routes = (
    ("GET", "/tenants/{tenant}", _standing),
    ("GET", "/tenants/{tenant}/documents", _page),
    ("POST", "/tenants/{tenant}/removal", _removed),
)
