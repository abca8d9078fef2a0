"""A key at its locks as people may see it: how it stands, what was asked and answered; never what opens."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from shared.domain.grant import Grant
from shared.domain.grant_lifecycle import Placed, Removed, Residual
from shared.domain.instants import instant_to_text
from shared.domain.lifecycle import name_of
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import OF_CREDENTIAL
from shared.ledger.vendor_calls import CallMade
from shared.ports.documents import TenantDocuments
from shared.queries.hotels import label_of

Json = Mapping[str, Any]
MILLISECOND_DIGITS: Final = 3


async def grants_of(store: TenantDocuments, credential: str) -> list[GrantRecord]:
    """Return all grants a key ever had."""
    found = await store.query(OF_CREDENTIAL, {"credential_id": credential}, limit=MOST_GRANTS)
    return [grant_from(each) for each in found]


async def shown_grants(store: TenantDocuments, credential: str) -> list[dict[str, Any]]:
    """Return what people may see of a key at each of its locks."""
    return [await shown_grant(store, kept) for kept in await grants_of(store, credential)]


async def shown_grant(store: TenantDocuments, kept: GrantRecord) -> dict[str, Any]:
    """Return what people may see of a key at one lock."""
    grant = kept.grant
    return {
        "id": grant.id,
        "device": grant.device_id,
        "label": await label_of(store, grant.device_id),
        "vendor": grant.vendor,
        "kind": grant.kind,
        "vendor_name": grant.vendor_name,
        "state": name_of(type(grant.state)),
        "detail": _detail(grant),
        "changed_at": instant_to_text(grant.changed_at),
        "exposure_until": at_or_none(grant.exposure_until),
        "busy_until": moment(kept.busy_until),
        "calls": [_call(each) for each in kept.calls],
    }


def _call(call: CallMade) -> dict[str, Any]:
    said = [{"at": moment(each.at), "asked": each.asked, "answer": each.answer} for each in call.said]
    return {
        "at": moment(call.at),
        "asked": call.asked,
        "answer": call.answer,
        "answered_at": moment(call.answered_at),
        "said": said,
    }


def _detail(grant: Grant) -> str | None:
    match grant.state:
        case Placed(placement=detail) | Removed(proof=detail) | Residual(cause=detail):
            return str(detail)
        case _:
            return None


def at_or_none(at: datetime | None) -> str | None:
    """Return an instant as text, if there is one."""
    return None if at is None else instant_to_text(at)


def moment(at: datetime | None) -> str | None:
    """Return an instant with its milliseconds, if there is one."""
    if at is None:
        return None
    return f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:0{MILLISECOND_DIGITS}d}Z"
