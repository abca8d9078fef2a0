"""Somebody has mended what was wrong, and will not wait: keys that failed are requested anew at once.

Nothing is spent by it. A key that did not fail is asked for now (`ask_again`); of several, who arrives first
goes first. Repeated, it is refused for a key in whose place another was requested, and makes no third.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, TenantId, credential_id
from shared.domain.kinds import VendorCode
from shared.domain.states import Failed
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.indexes import TASKS
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Ledger
from shared.ports.documents import Document
from shared.usecases.upkeep.ask_again import AskAgain, ask_again
from shared.usecases.upkeep.revive_key import Wish, request_anew, wish_for

PAGE: Final = 200
MOST_AT_ONCE: Final = 500
"""As many as one call begins; whoever asks again has the others."""


@dataclass(frozen=True, slots=True)
class RetryKeys:
    """Which keys are meant: one, or all of a tenant that failed and are wanted, perhaps at one vendor."""

    tenant: TenantId
    key: CredentialId | None = None
    vendor: VendorCode | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        tenant = TenantId.parse(body.get("tenant"), "tenant")
        vendor = body.get("vendor")
        if body.get("key") is None:
            return cls(tenant, vendor=None if vendor is None else VendorCode(str(vendor)))
        return cls(tenant, credential_id(body["key"], "key"))


async def retry_keys(command: RetryKeys, services: Services) -> dict[str, Any]:
    """Request anew what failed, or ask for what waits, and say which keys that are now."""
    ledger = await services.ledger(command.tenant)
    if command.key is not None:
        return {"retried": [await _retried(command.key, ledger, services)], "refused": []}
    entries = await _failed(command, ledger)
    outcomes = [await _tried(entry, ledger, services) for entry in entries[:MOST_AT_ONCE]]
    return {
        "retried": [each for each in outcomes if "anew" in each],
        "refused": [each for each in outcomes if "anew" not in each],
        "left": max(0, len(entries) - MOST_AT_ONCE),
    }


async def _tried(entry: KeyRecord, ledger: Ledger, services: Services) -> dict[str, Any]:
    try:
        return await _retried(entry.id, ledger, services)
    except InvalidInput as refusal:
        return {"key": entry.id, "problem": refusal.problem, "remedy": refusal.remedy}


async def _retried(key: CredentialId, ledger: Ledger, services: Services) -> dict[str, Any]:
    return await retry_on_conflict(lambda: _retry(key, ledger, services))


async def _retry(key: CredentialId, ledger: Ledger, services: Services) -> dict[str, Any]:
    entry = await ledger.entry(key)
    if entry is None or not isinstance(entry.credential.state, Failed):
        asked = await ask_again(AskAgain(ledger.documents.tenant, key), services)
        return {**asked, "anew": [key]}
    wish = await wish_for(entry, ledger)
    if wish is None:
        remedy = f"see what became of its stay: keyfleet timeline {_stay_of(entry)}"
        raise InvalidInput("key", "its stay is over, or has another key by now", remedy)
    return await _requested(wish, ledger, services)


async def _requested(wish: Wish, ledger: Ledger, services: Services) -> dict[str, Any]:
    anew = await request_anew(wish, ledger, services)
    if not anew:
        remedy = "map a lock that can have such a key to its room, and see that its stay is not over"
        raise InvalidInput("key", "its rooms have no lock that could have it now", remedy)
    vendors = {change.credential.core.plan.current.vendor for change in anew}
    return {
        "key": wish.entry.id,
        "work": "issue",
        "vendor": min(vendors),
        "anew": [each.id for each in anew],
    }


async def _failed(command: RetryKeys, ledger: Ledger) -> list[KeyRecord]:
    """Return the keys that failed and have a task, by their guests' arrival."""
    found, page = list[Document](), [*await ledger.documents.query(TASKS, {}, limit=PAGE)]
    while page:
        found += page
        page = [*await ledger.documents.query(TASKS, {}, after=page[-1], limit=PAGE)]
    entries = [await ledger.entry(task.ref.id) for task in found]
    wanted = [each for each in entries if each is not None and _of_vendor(each, command.vendor)]
    return sorted(wanted, key=lambda each: (each.credential.core.window.start, each.id))


def _of_vendor(entry: KeyRecord, vendor: VendorCode | None) -> bool:
    return vendor is None or any(choice.vendor == vendor for choice in entry.credential.core.plan.choices)


def _stay_of(entry: KeyRecord) -> str:
    return str(getattr(entry.credential.core.holder, "reservation_id", entry.id))
