"""What operators order of desks: a code for a new one, the list of them, an end to one that is lost."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shared.domain.errors import InvalidInput
from shared.domain.ids import DesktopDeviceId, PropertyId, TenantId, UserId
from shared.domain.instants import instant_to_text
from shared.offline.certificate import LIFETIME
from shared.usecases.desk.certificates import stop_desk
from shared.usecases.desk.desks import DeskRecord, desk_of, desks_of
from shared.usecases.desk.lock_keys import keep_lock_keys, locks_left_with
from shared.usecases.desk.pairing import Invite, invite
from shared.usecases.desk.services import DeskServices
from shared.usecases.desk.staff import staff_orders

Json = dict[str, Any]


async def order(body: Mapping[str, Any], on: DeskServices) -> Json:
    """Do what an operator orders of desks."""
    match body.get("do"):
        case "invite":
            return await invite(Invite.of(body), on)
        case "list":
            return await _listed(body, on)
        case "stop":
            return await _stopped(body, on)
        case "staff":
            return await staff_orders(body, on)
        case "lock-keys":
            return await keep_lock_keys(body, on)
    raise InvalidInput("do", "not among what can be done", "say invite, list, stop, staff or lock-keys")


async def _listed(body: Mapping[str, Any], on: DeskServices) -> Json:
    tenant = TenantId.parse(body.get("tenant"), "tenant")
    property_id = PropertyId.parse(body.get("property"), "property")
    found = await desks_of(await on.store(tenant), property_id)
    return {"desks": [await _shown(each, tenant, on) for each in found]}


async def _stopped(body: Mapping[str, Any], on: DeskServices) -> Json:
    tenant = TenantId.parse(body.get("tenant"), "tenant")
    by, store = UserId.parse(body.get("by"), "by"), await on.store(tenant)
    device = DesktopDeviceId.parse(body.get("desk"), "desk")
    record = await desk_of(store, device)
    if record is None:
        raise InvalidInput("desk", "no such desk", "name one that keyfleet desk list shows")
    if record.stopped_at is None:
        record = replace(record, stopped_at=on.now, stopped_by=by)
        await stop_desk(record, store, on)
        on.keys.log.warning("a desk was stopped", tenant=tenant, device=device, by=by)
        await _tell_of_locks(record, tenant, on)
    return await _shown(record, tenant, on)


async def _tell_of_locks(record: DeskRecord, tenant: TenantId, on: DeskServices) -> None:
    """Call somebody where a desk that is stopped can speak on to locks: no word of ours reaches those."""
    locks = await locks_left_with(record, tenant, on)
    if locks:
        seen = {"tenant": tenant, "device": record.id, "locks": len(locks)}
        on.keys.log.alert("a stopped desk has the keys of locks", runbook="desk/lock-keys", **seen)


async def _shown(record: DeskRecord, tenant: TenantId, on: DeskServices) -> Json:
    return {
        "desk": record.id,
        "name": record.name,
        "property": record.property_id,
        "paired_by": record.paired_by,
        "paired_at": instant_to_text(record.paired_at),
        "certificate": record.serial,
        "certified_until": instant_to_text(record.certified_at + LIFETIME),
        "stopped_at": None if record.stopped_at is None else instant_to_text(record.stopped_at),
        "rows_heard": record.pushed,
        "locks_left": await locks_left_with(record, tenant, on),
    }
