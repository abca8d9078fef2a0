"""What became of webhooks, once the doors that they name were heard: kept and told, each once.

| a webhook | becomes |
|---|---|
| names no door of this property, or nothing happened at one | ignored |
| tells of an attempt that was not known | applied |
| says that a lock or its gateway came or went | applied, once the locks were looked at; else it waits |
| tells of attempts that were all known | duplicate |
| tells of an attempt that its vendor's list has not | waits, for six looks; then ignored, and said |
| names a door that could not be asked | waits |
| names a door that nobody came to | waits, and is before all that were looked at |
"""

import contextlib
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
from shared.streams.owed import nothing_owed
from shared.streams.rows import Telling, row_of
from shared.streams.telling import row_write

MOST_LOOKS: Final = 6
REACH: Final = ".reach"
"""How the types of webhooks end that say that a lock or a gateway came or went."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What doors told, by their vendor's names: when they were tried, and what is new.

    Those that are `silent` could not be asked; for those `unasked` there was no time.
    """

    doors: frozenset[str]
    told: Mapping[str, set[datetime]]
    silent: frozenset[str]
    unasked: frozenset[str]
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
        if any(hint.lock in self.silent | self.unasked for hint in ours):
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
    waiting, told = list[VendorWebhook](), list[VendorWebhook]()
    for hook in hooks:
        with contextlib.suppress(AlreadyExists, StaleVersion):  # somebody else applied it
            if (outcome := heard.outcome(hook)) is not None:
                told.append(await _applied(hook, outcome, store, services))
                continue
            if not _names(hook, heard.unasked):
                tries = hook.tries + (not _names(hook, heard.silent))
                await store.commit([replace(hook, tries=tries, looked_at=services.now).write()])
            waiting.append(hook)
    await nothing_owed(told, store.note)
    return waiting


async def _applied(
    hook: VendorWebhook, outcome: HookOutcome, store: TenantDocuments, services: Services
) -> VendorWebhook:
    if outcome is HookOutcome.IGNORED and hook.tries:
        services.log.warning(
            "a webhook told of what its vendor's list has not", webhook=hook.id, property=hook.property_id
        )
    done = hook.applied(outcome, services.now)
    row = _row(done, services)
    writes: list[Write] = [done.write(), row_write(row)]
    version, _ = await store.commit(writes)
    standing = replace(done, version=version, stored=done.sequence, told=(row,))
    return await standing.announce(store, services.bus)


def _names(hook: VendorWebhook, locks: frozenset[str]) -> bool:
    return any(hint.lock in locks for hint in hook.hints)


def _row(hook: VendorWebhook, services: Services) -> OutboxRow:
    assert hook.outcome is not None  # noqa: S101 - it was given one just now
    payload = VendorWebhookProcessedV1(
        webhook_id=str(hook.id),
        vendor=hook.vendor,
        type=hook.type,
        outcome=hook.outcome.value,
        processed_at=services.now,
        property_id=str(hook.property_id),
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
