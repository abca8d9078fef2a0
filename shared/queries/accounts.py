"""Vendors' accounts and broken glass as people are shown them: nothing of what an account holds."""

from collections.abc import Collection
from typing import Any, Final

from shared.ledger.account_rotation import LASTS, AccountRotation, rotation_from
from shared.ledger.break_glass import ASKED_FOR, BreakGlass, GlassStage, find_glass, glass_from
from shared.ledger.indexes import ACCOUNTS, GLASS
from shared.ports.documents import TenantDocuments
from shared.queries.hotels import every

LISTED: Final = 100
Facts = dict[str, Any]


async def accounts(store: TenantDocuments) -> list[Facts]:
    """Return every account of a tenant of which anything is known, those used longest first."""
    return [account_facts(rotation_from(found)) async for found in every(store, ACCOUNTS, {})]


def account_facts(record: AccountRotation) -> Facts:
    """Return what is shown of an account."""
    return {
        "vendor": str(record.vendor),
        "property_id": record.property_id,
        "stage": record.stage.value,
        "used_since": record.since,
        "lasts_until": record.since + LASTS,
        "turn": record.turn,
        "begun_by": record.by,
        "because": record.because,
        "refused": record.refused,
    }


async def incidents(store: TenantDocuments, where: Collection[str] | None) -> list[Facts]:
    """Return the newest incidents at some properties, or at all."""
    found = [glass_from(each) for each in await store.query(GLASS, {}, limit=LISTED)]
    return [glass_facts(each) for each in found if where is None or each.property_id in where]


async def incident(store: TenantDocuments, name: str) -> BreakGlass | None:
    """Return one incident, or None."""
    return await find_glass(store, name)


def glass_facts(it: BreakGlass, box: str | None = None) -> Facts:
    """Return what is shown of an incident, and perhaps the account as it is sealed to who asked."""
    return {
        "break_glass_id": str(it.id),
        "vendor": str(it.vendor),
        "property_id": it.property_id,
        "stage": it.stage.value,
        "incident": it.incident,
        "because": it.because,
        "asked_by": it.asked_by,
        "asked_at": it.asked_at,
        "decided_until": it.asked_at + ASKED_FOR,
        "minutes": it.minutes,
        "approvals": tuple({"by": each.by, "at": each.at} for each in it.approvals),
        "open_until": it.ends if it.stage is GlassStage.OPEN else None,
        "ended_by": it.ended_by,
        "ended_at": it.ended_at,
        "sealed_account": box,
    }
