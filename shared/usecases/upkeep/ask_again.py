"""Somebody will not wait until a key's saga asks its vendor again by itself; that costs the key nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, TenantId, credential_id
from shared.keywork.desired import next_vendor
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import KeyRecord, Work
from shared.ledger.ledger import Ledger
from shared.usecases.upkeep.tend_key import begin_again


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Which key is meant."""

    tenant: TenantId
    key: CredentialId

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        key = credential_id(body.get("key"), "key")
        return cls(TenantId.parse(body.get("tenant"), "tenant"), key)


async def ask_again(command: AskAgain, services: Services) -> dict[str, Any]:
    """Begin a key's work anew, at once, and say which work at which vendor."""
    ledger = await services.ledger(command.tenant)
    return await retry_on_conflict(lambda: _ask(command, ledger, services))


async def _ask(command: AskAgain, ledger: Ledger, services: Services) -> dict[str, Any]:
    entry = await ledger.entry(command.key)
    if entry is None:
        raise InvalidInput("key", "no such key", "name one that keyfleet credentials shows")
    grants = await ledger.grants(entry)
    _check_idle(entry, grants, services)
    vendor = next_vendor(entry, grants)
    if vendor is None:
        remedy = f"see what became of it: keyfleet timeline {command.key}"
        raise InvalidInput("key", "nothing is left to do at its locks", remedy)
    await begin_again(for_nothing(entry), vendor, ledger, services)
    return {"key": entry.id, "work": entry.saga.kind.value, "vendor": vendor}


def _check_idle(entry: KeyRecord, grants: Sequence[GrantRecord], services: Services) -> None:
    """Refuse to take a call's key away from it: what it is told by the vendor would be lost."""
    waited_for = [kept.busy_until for kept in grants if kept.busy_until and kept.unanswered(services.now)]
    if entry.saga.began is not None and entry.due is not None and entry.due > services.now:
        waited_for.append(entry.due)
    if waited_for:
        remedy = f"see what comes of it; if nothing does, ask again after {max(waited_for):%H:%M:%S} UTC"
        raise InvalidInput("key", "its vendor is being asked for it just now", remedy)


def for_nothing(entry: KeyRecord) -> KeyRecord:
    """Return the entry so that what is asked now is no attempt: only those that come by themselves count."""
    saga, plan = entry.saga, entry.credential.core.plan
    if saga.kind is Work.ISSUE:
        return replace(entry, round_open=plan.attempts > 0)
    return replace(entry, saga=replace(saga, tries=max(0, saga.tries - 1)))
