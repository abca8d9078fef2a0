"""A company over the control plane: what is kept of it, its removal, and its move to another cell."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final

from nacl.public import PublicKey
from starlette.requests import Request

from infra.local.arrival import Arrival, followed_log
from infra.local.control.bodies import json_body
from infra.local.control.operations import Operations, Routes
from infra.local.tenancy import next_of
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId, UserId
from shared.ports.dead_letters import QUARANTINE_TOPIC, ParkedMessage
from shared.usecases.audit.services import AuditServices

AT_ONCE: Final = 200
_REGION: Final = re.compile(r"[a-z]+-[a-z]+[0-9]+")


def _tenant(request: Request) -> TenantId:
    return TenantId.parse(request.path_params["tenant"], "tenant")


async def _standing(on: Operations, request: Request) -> Mapping[str, Any]:
    tenant = _tenant(request)
    standing = on.tenancy.standing(tenant)
    return {**standing, "audit_follows": await followed_log(AuditServices.on(on.platform), tenant)}


async def _page(on: Operations, request: Request) -> Mapping[str, Any]:
    asked = request.query_params
    page = on.tenancy.page(_tenant(request), (asked.get("collection", ""), asked.get("id", "")))
    return {"documents": page, "next": next_of(page)}


async def _removed(on: Operations, request: Request) -> Mapping[str, Any]:
    tenant, told = _tenant(request), await json_body(request)
    by = UserId.parse(told.get("by"), "by")
    if told.get("tenant") != tenant:
        raise InvalidInput("tenant", "not said twice", "say in the body, too, whose records are to go")
    remains = await on.tenancy.remove(tenant, told.get("arrived"))
    on.platform.hotels.forget(tenant)
    on.platform.log.info("a company's records were removed", tenant=tenant, by=by, **remains["removed"])
    return {**remains, "by": by, "at": on.platform.clock.now().isoformat()}


async def _frozen(on: Operations, request: Request) -> Mapping[str, Any]:
    tenant, told = _tenant(request), await json_body(request)
    by, to = UserId.parse(told.get("by"), "by"), told.get("to")
    if not isinstance(to, str) or not to or to == on.platform.cell:
        raise InvalidInput("to", "no other cell", "name the cell that the company goes to, by its --cell")
    here = region_of(on.platform.cell)
    if region_of(to) != here and told.get("leaves") != here:
        remedy = f"only where its contract allows that: --leaves {here}"
        raise InvalidInput("to", f"not in {here}, where the company is pinned", remedy)
    frozen = await on.departure.freeze(tenant, to)
    on.platform.hotels.forget(tenant)
    on.platform.log.info("a company is frozen", tenant=tenant, by=by, to=to)
    return frozen


async def _thawed(on: Operations, request: Request) -> Mapping[str, Any]:
    tenant, told = _tenant(request), await json_body(request)
    by = UserId.parse(told.get("by"), "by")
    thawed = await on.departure.thaw(tenant, nowhere=told.get("nowhere") == tenant)
    on.platform.hotels.forget(tenant)
    on.platform.log.info("a company is at work again", tenant=tenant, by=by)
    return thawed


async def _manifest(on: Operations, request: Request) -> Mapping[str, Any]:
    return await on.departure.manifest(_tenant(request))


async def _boxes(on: Operations, request: Request) -> Mapping[str, Any]:
    asked = request.query_params
    place = (asked.get("db", ""), asked.get("collection", ""), asked.get("id", ""))
    return await on.departure.boxes(_tenant(request), _key(asked.get("key", "")), place)


async def _exported(on: Operations, request: Request) -> Mapping[str, Any]:
    told = await json_body(request)
    return await on.departure.exported(_tenant(request), str(told.get("sha256")))


async def _set_aside(on: Operations, request: Request) -> Mapping[str, Any]:
    key, letters, page = _key(request.query_params.get("key", "")), list[ParkedMessage](), AT_ONCE
    while page == AT_ONCE:
        after = letters[-1].id if letters else "0"
        found = on.bus.dead_letters.page(topic=QUARANTINE_TOPIC, after=after, limit=AT_ONCE)
        letters, page = [*letters, *found], len(found)
    return {"boxes": on.departure.set_aside(_tenant(request), key, letters)}


async def _heard(on: Operations, request: Request) -> Mapping[str, Any]:
    told = await json_body(request)
    return await Arrival(_tenant(request), on.platform).hear(told.get("boxes") or ())


async def _invited(on: Operations, request: Request) -> Mapping[str, Any]:
    told = await json_body(request)
    by, invited = UserId.parse(told.get("by"), "by"), await Arrival(_tenant(request), on.platform).invited()
    on.platform.log.info("a company is invited", tenant=invited["tenant"], by=by)
    return invited


async def _begun(on: Operations, request: Request) -> Mapping[str, Any]:
    told = await json_body(request)
    by = UserId.parse(told.get("by"), "by")
    begun = await Arrival(_tenant(request), on.platform).begin(told.get("manifest") or {})
    on.platform.log.info("a company is brought", tenant=_tenant(request), by=by)
    return begun


async def _boxes_brought(on: Operations, request: Request) -> Mapping[str, Any]:
    told = await json_body(request)
    return await Arrival(_tenant(request), on.platform).boxes(told.get("boxes") or ())


async def _documents_brought(on: Operations, request: Request) -> Mapping[str, Any]:
    told = await json_body(request)
    return await Arrival(_tenant(request), on.platform).documents(told.get("documents") or ())


async def _ended(on: Operations, request: Request) -> Mapping[str, Any]:
    told = await json_body(request)
    return await Arrival(_tenant(request), on.platform).end(told.get("manifest") or {})


async def _settled(on: Operations, request: Request) -> Mapping[str, Any]:
    return await Arrival(_tenant(request), on.platform).settled()


def region_of(cell: str) -> str:
    """Return the region of a cell: its name, or what it begins with where a region has more than one."""
    found = _REGION.match(cell)
    return found[0] if found else cell.partition("-")[0]


def _key(said: str) -> bytes:
    try:
        key = base64.b64decode(said, validate=True)
    except binascii.Error:
        key = b""
    if len(key) != PublicKey.SIZE:
        raise InvalidInput("key", "none of an invitation", "copy what keyfleet tenant invite printed")
    return key


ROUTES: Routes = (
    ("GET", "/tenants/{tenant}", _standing),
    ("GET", "/tenants/{tenant}/documents", _page),
    ("POST", "/tenants/{tenant}/removal", _removed),
    ("POST", "/tenants/{tenant}/freeze", _frozen),
    ("POST", "/tenants/{tenant}/thaw", _thawed),
    ("GET", "/tenants/{tenant}/departure", _manifest),
    ("GET", "/tenants/{tenant}/boxes", _boxes),
    ("POST", "/tenants/{tenant}/exported", _exported),
    ("GET", "/tenants/{tenant}/set-aside", _set_aside),
    ("POST", "/tenants/{tenant}/invitation", _invited),
    ("POST", "/tenants/{tenant}/arrival", _begun),
    ("POST", "/tenants/{tenant}/arrival/boxes", _boxes_brought),
    ("POST", "/tenants/{tenant}/arrival/documents", _documents_brought),
    ("POST", "/tenants/{tenant}/arrival/end", _ended),
    ("POST", "/tenants/{tenant}/arrival/settled", _settled),
    ("POST", "/tenants/{tenant}/arrival/events", _heard),
)
