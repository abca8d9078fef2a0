"""What became of webhooks, once the doors that they name were heard: kept and told, each once.

| a webhook | becomes |
|---|---|
| names no door of this property, or nothing happened at one | ignored |
| tells of an attempt that was not known | applied |
| says that a lock or its gateway came or went | applied, once the locks were looked at |
| tells of attempts that were all known | duplicate |
| tells of an attempt that its vendor's list has not | waits, for six looks; then ignored, and said |
| names a door that could not be asked | waits |
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from shared.events.outbox import OutboxRow
from shared.events.vendor_traffic import VendorWebhookProcessedV1
from shared.keywork.services import Services
from shared.ledger.attempt import Attempt
from shared.ledger.vendor_webhook import HookOutcome, VendorWebhook
from shared.ports.documents import AlreadyExists, StaleVersion, TenantDocuments, Write
from shared.streams.rows import Telling, row_of
from shared.streams.telling import row_write

MOST_LOOKS: Final = 6
REACH: Final = ".reach"
"""How the types of webhooks end that say that a lock or a gateway came or went."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What doors told, by their vendor's names: when they were tried, which were silent, and what is new."""

    doors: frozenset[str]
    told: Mapping[str, set[datetime]]
    silent: frozenset[str]
    new: Sequence[Attempt]
    looked: bool = False
    """Whether the locks themselves were looked at, as a webhook may ask."""

    def outcome(self, hook: VendorWebhook) -> HookOutcome | None:
        """Return what becomes of a webhook; None if it waits."""
        if hook.type.endswith(REACH):
            return HookOutcome.APPLIED if self.looked else None
        ours = [hint for hint in hook.hints if hint.lock in self.doors]
        if not ours:
            return HookOutcome.IGNORED
        if any(hint.lock in self.silent for hint in ours):
            return None
        missing = [hint for hint in ours if hint.at not in self.told.get(hint.lock, ())]
        if missing and hook.tries + 1 < MOST_LOOKS:
            return None
        fresh = {attempt.at for attempt in self.new}
        if any(hint.at in fresh for hint in ours):
            return HookOutcome.APPLIED
        return HookOutcome.IGNORED if missing else HookOutcome.DUPLICATE


async def apply_webhooks(
    hooks: Sequence[VendorWebhook], heard: Heard, store: TenantDocuments, services: Services
) -> list[VendorWebhook]:
    """Keep and tell what became of webhooks, and return those that wait still."""
    waiting = list[VendorWebhook]()
    for hook in hooks:
        outcome = heard.outcome(hook)
        try:
            if outcome is None:
                later = replace(hook, tries=hook.tries + (not _silent(hook, heard)))
                await store.commit([later.write()])
                waiting.append(hook)
            else:
                await _applied(hook, outcome, store, services)
        except (AlreadyExists, StaleVersion):
            continue  # somebody else applied it
    return waiting


async def _applied(
    hook: VendorWebhook, outcome: HookOutcome, store: TenantDocuments, services: Services
) -> None:
    if outcome is HookOutcome.IGNORED and hook.tries:
        services.log.warning(
            "a webhook told of what its vendor's list has not", webhook=hook.id, property=hook.property_id
        )
    done = hook.applied(outcome, services.now)
    row = _row(done, services)
    writes: list[Write] = [done.write(), row_write(row)]
    version, _ = await store.commit(writes)
    told = await replace(done, version=version, stored=done.sequence, told=(row,)).announce(
        store, services.bus
    )
    await store.note([replace(told, due=None).write()])


def _silent(hook: VendorWebhook, heard: Heard) -> bool:
    return any(hint.lock in heard.silent for hint in hook.hints)


def _row(hook: VendorWebhook, services: Services) -> OutboxRow:
    assert hook.outcome is not None  # noqa: S101 - it was given one just now
    payload = VendorWebhookProcessedV1(
        webhook_id=str(hook.id),
        vendor=hook.vendor,
        type=hook.type,
        outcome=hook.outcome.value,
        processed_at=services.now,
    )
    telling = Telling(
        tenant=hook.tenant,
        stream=str(hook.id),
        sequence=hook.sequence,
        action="webhook_processed",
        at=services.now,
        vendor=hook.vendor,
        reason=hook.outcome.value,
    )
    return row_of(payload, telling, services.ids)
