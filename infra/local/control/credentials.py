"""Keys as an operator may see them: whose, where, how they stand at each lock; never what opens a door."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from infra.local.control.records import RESIDUAL, Json, Records, UnknownRecord, Wanted
from infra.local.delivery.instants import rfc3339
from shared.domain.core import Guest
from shared.domain.credential import KeyCredential
from shared.domain.documents import from_document
from shared.domain.errors import InvalidInput
from shared.domain.grant import Grant
from shared.domain.grant_lifecycle import Placed, Removed, Residual
from shared.domain.ids import TenantId
from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import TABLE, name_of
from shared.domain.plan import Choice
from shared.domain.states import Active, Failed, IssuedKey, Revoked, Suspended
from shared.domain.window import StayWindow
from shared.ledger.admission import RECORD

PROPERTIES: Final = "properties"
MOST_NAMED: Final = 10
STATES: Final = (*(name_of(state) for state in TABLE), RESIDUAL)


def credentials(records: Records, query: Mapping[str, str], limit: int) -> dict[str, Any]:
    """Return the keys that a query asks for, newest first within each tenant, and whether there are more."""
    state = query.get("state")
    if state is not None and state not in STATES:
        raise InvalidInput("state", "no state of a key", f"name one of {', '.join(STATES)}")
    tenant = query.get("tenant")
    wanted = Wanted(
        tenant=None if tenant is None else TenantId(tenant),
        reservation=query.get("reservation"),
        property=query.get("property"),
        state=state,
        limit=limit + 1,
        key=query.get("key"),
    )
    found = list(records.credentials(wanted))
    if not found:
        _check_names(records, wanted)
    shown = [shown_credential(records, kept) for kept in found[:limit]]
    return {"credentials": shown, "more": len(found) > limit}


def _check_names(records: Records, wanted: Wanted) -> None:
    """Raise UnknownRecord where there is no key because there is no such tenant or property."""
    known = list(records.tenants())
    if wanted.tenant is not None and wanted.tenant not in known:
        admitted = [each for each in known if records.one(each, RECORD.collection, RECORD.id)]
        raise UnknownRecord(f"no tenant {wanted.tenant[:80]!r}: {_one_of(admitted)}")
    asked = known if wanted.tenant is None else [wanted.tenant]
    place = wanted.property
    if place is not None and not any(records.one(each, PROPERTIES, place) for each in asked):
        raise UnknownRecord(f"no property {place[:80]!r}: give its id as the property's events do")


def _one_of(names: Sequence[str]) -> str:
    more = " …" if len(names) > MOST_NAMED else ""
    return f"name one of {', '.join(names[:MOST_NAMED])}{more}" if names else "none is admitted yet"


def credential_in(kept: Json) -> KeyCredential:
    """Return the key that a record is about."""
    return from_document(KeyCredential, kept["credential"])


def shown_credential(records: Records, kept: Json) -> dict[str, Any]:
    """Return what an operator may see of a key, with its grants."""
    credential, saga = credential_in(kept), kept["saga"]
    core, due = credential.core, kept.get("due_at")
    return {
        "id": core.id,
        "tenant": core.tenant,
        "property": core.property_id,
        **_holder(credential),
        "rooms": list(core.rooms),
        **_made(credential),
        "state": name_of(type(credential.state)),
        "reason": getattr(credential.state, "reason", None),
        "window": _window(core.window),
        "saga": {name: saga.get(name) for name in ("kind", "generation", "execution", "tries")},
        "due_at": None if due is None else rfc3339(int(due) * 1000),
        "attempts": core.plan.attempts,
        "events": credential.sequence,
        "unannounced": credential.sequence - kept["announced"],
        "warnings": [warning.code for warning in core.warnings],
        "grants": shown_grants(records, core.tenant, core.id),
    }


def shown_grants(records: Records, tenant: TenantId, credential: str) -> list[dict[str, Any]]:
    """Return what an operator may see of a key at each of its locks."""
    found = records.grants(tenant, credential)
    return [_grant(records, from_document(Grant, each["grant"]), each) for each in found]


def _holder(credential: KeyCredential) -> dict[str, str | None]:
    holder = credential.core.holder
    if isinstance(holder, Guest):
        return {"reservation": holder.reservation_id, "staff": None}
    return {"reservation": None, "staff": holder.user_id}


def _made(credential: KeyCredential) -> dict[str, Any]:
    key = issued(credential)
    made = _tried(credential) if key is None else key
    effective = None if key is None else _window(key.effective)
    return {"vendor": made.vendor, "kind": made.kind, "effective": effective}


def _tried(credential: KeyCredential) -> Choice:
    # One that failed shows what was tried last, and not what was left to try.
    plan = credential.core.plan
    return plan.made[-1].choice if isinstance(credential.state, Failed) and plan.made else plan.current


def issued(credential: KeyCredential) -> IssuedKey | None:
    """Return the key that a vendor confirmed, if one did."""
    state = credential.state
    return state.key if isinstance(state, Active | Suspended | Revoked) else None


def _window(window: StayWindow) -> dict[str, str]:
    return {"from": instant_to_text(window.start), "until": instant_to_text(window.end), "zone": window.zone}


def _grant(records: Records, grant: Grant, kept: Json) -> dict[str, Any]:
    device = records.one(grant.tenant, "devices", grant.device_id) or {}
    exposure, busy = grant.exposure_until, kept.get("busy_until")
    return {
        "id": grant.id,
        "device": grant.device_id,
        "label": device.get("label"),
        "vendor": grant.vendor,
        "kind": grant.kind,
        "vendor_name": grant.vendor_name,
        "state": name_of(type(grant.state)),
        "detail": _detail(grant),
        "changed_at": instant_to_text(grant.changed_at),
        "exposure_until": None if exposure is None else instant_to_text(exposure),
        "busy_until": None if busy is None else rfc3339(int(busy) * 1000),
        "calls": [_call(each) for each in kept.get("calls", ())],
    }


def _call(kept: Json) -> dict[str, Any]:
    answered = kept.get("answered")
    said = kept.get("said", ())
    return {
        "at": rfc3339(int(kept["at"]) * 1000),
        "asked": kept["asked"],
        "answer": kept["answer"],
        "answered_at": None if answered is None else rfc3339(int(answered) * 1000),
        "said": [{"at": rfc3339(at * 1000), "asked": asked, "answer": told} for at, asked, told in said],
    }


def _detail(grant: Grant) -> str | None:
    match grant.state:
        case Placed(placement=detail) | Removed(proof=detail) | Residual(cause=detail):
            return str(detail)
        case _:
            return None
