"""A vendor calls: proven, read, kept in one commit, and answered; what follows, a queue prompts.

| step                                                | died here                                       |
|-----------------------------------------------------|-------------------------------------------------|
| 1. the address names a property; its secrets prove  | nothing is kept of what is not proven           |
|    the vendor, before a byte of the body is parsed  |                                                 |
| 2. the notice is kept with `received` beside it     | the vendor sends it again, and it is kept once  |
| 3. one prompt for each property and two seconds     | the sweeper sends somebody after two minutes    |
| 4. the answer                                       | the vendor sends it again: 2 finds it kept      |

The receiver opens nothing, knows no account and no key, and publishes nothing. Decision 0106.
"""

import contextlib
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.instants import instant, milliseconds
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.events.outbox import OutboxRow
from shared.events.vendor_traffic import VendorWebhookReceivedV1
from shared.kernel.log import Log
from shared.kernel.remembered import Remembered
from shared.ledger.hotel_directory import KNOWN_FOR, HotelDirectory
from shared.ledger.site import site_of
from shared.ledger.vendor_webhook import TAKEN_UP_AFTER, HintRecord, VendorWebhook, webhook_id
from shared.ports.ambient import Clock, Ids
from shared.ports.documents import AlreadyExists
from shared.ports.tasks import Task, TaskError, TaskExists, TaskQueue
from shared.ports.trouble import ServiceTrouble
from shared.ports.vault import SecretMissing, Secrets
from shared.streams.rows import Telling, row_of
from shared.streams.telling import row_write
from shared.usecases.webhooks.delivered import NotProven
from shared.vendor_kit.webhook import Delivered, HookReader, Notice, webhook_secret

PROMPTED: Final = "hear-doors"
PROMPT_EVERY: Final = timedelta(seconds=2)
ALERT_EVERY: Final = timedelta(hours=1)
MOST_KNOWN: Final = 4096
Proofs = tuple[Secret[bytes], ...]


@dataclass(frozen=True, slots=True)
class DoorbellPorts:
    """What a receiver works with."""

    hotels: HotelDirectory
    secrets: Secrets
    tasks: TaskQueue
    ids: Ids
    clock: Clock
    log: Log


class Doorbell:
    """One vendor's receiver: it remembers for some seconds by what each property is proven."""

    def __init__(self, vendor: VendorCode, reader: HookReader, ports: DoorbellPorts) -> None:
        self._vendor, self._reader, self._ports = vendor, reader, ports
        now = ports.clock.now
        self._proofs: Remembered[str, Proofs] = Remembered(now, KNOWN_FOR, MOST_KNOWN)
        self._prompted: Remembered[str, bool] = Remembered(now, PROMPT_EVERY * 2, MOST_KNOWN)
        self._alerted: Remembered[str, bool] = Remembered(now, ALERT_EVERY, MOST_KNOWN)

    async def ring(self, hook: Delivered) -> bytes:
        """Keep what a vendor tells, and return what it wants to hear; NotProven where nothing is."""
        await self._prove(hook)
        now = self._ports.clock.now()
        notice = self._reader.read(hook, now)
        store = await self._ports.hotels.admit(hook.tenant)
        kept = self._record(hook, notice, now)
        with contextlib.suppress(AlreadyExists):
            await store.commit([kept.write(), row_write(self._row(kept))])
        await self._prompt(hook, now)
        return self._reader.answer

    async def _prove(self, hook: Delivered) -> None:
        name = webhook_secret(self._vendor, hook.tenant, hook.property_id)
        proofs = await self._proofs.recall(name, lambda: self._read(name))
        if self._reader.proven(hook, proofs, self._ports.clock.now()):
            return
        if proofs and self._alerted.get(name) is None:
            self._alerted.put(name, True)
            self._ports.log.alert(
                "MELMASTOON.LOCK.WEBHOOK_SIGNATURE_INVALID",
                runbook="lock/webhooks",
                tenant=hook.tenant,
                property=hook.property_id,
                vendor=self._vendor,
                because="a webhook came without its proof: a forgery, or a secret that was rotated",
            )
        raise NotProven

    async def _read(self, name: str) -> Proofs:
        """Return the newest secret and the one before it: while one replaces the other, both count."""
        try:
            newest = await self._ports.secrets.latest(name)
        except SecretMissing:
            return ()
        proofs = [newest.value]
        if newest.version > 1:
            with contextlib.suppress(SecretMissing):
                proofs.append((await self._ports.secrets.version(name, newest.version - 1)).value)
        return tuple(proofs)

    def _record(self, hook: Delivered, notice: Notice, now: datetime) -> VendorWebhook:
        site = site_of(hook.property_id, self._vendor)
        return VendorWebhook(
            id=webhook_id(site, notice.event_id, notice.newest),
            tenant=hook.tenant,
            property_id=hook.property_id,
            vendor=self._vendor,
            type=notice.type,
            event_id=notice.event_id,
            received_at=now,
            signed=self._reader.signed,
            hints=_kept(notice),
            due=now + TAKEN_UP_AFTER,
        )

    def _row(self, kept: VendorWebhook) -> OutboxRow:
        payload = VendorWebhookReceivedV1(
            webhook_id=str(kept.id),
            vendor=kept.vendor,
            external_event_id=kept.event_id,
            type=kept.type,
            received_at=kept.received_at,
            signature_ok=True,
            property_id=str(kept.property_id),
        )
        telling = Telling(
            tenant=kept.tenant,
            stream=str(kept.id),
            sequence=1,
            action="webhook_received",
            at=kept.received_at,
            vendor=kept.vendor,
        )
        return row_of(payload, telling, self._ports.ids)

    async def _prompt(self, hook: Delivered, now: datetime) -> None:
        """Have what is kept applied at the end of these two seconds; of a flood, there is one prompt."""
        window = milliseconds(now) // (PROMPT_EVERY // timedelta(milliseconds=1))
        site = site_of(hook.property_id, self._vendor)
        name = f"hear-{hashlib.sha256(f'{hook.tenant}|{site}'.encode()).hexdigest()[:24]}-{window}"
        if self._prompted.get(name):
            return
        body = {"tenant": hook.tenant, "property": hook.property_id, "vendor": self._vendor}
        due = instant((window + 1) * (PROMPT_EVERY // timedelta(milliseconds=1)))
        try:
            with contextlib.suppress(TaskExists):  # another process prompted, which is as good
                await self._ports.tasks.enqueue(Task(PROMPTED, body, name, due))
        except (TaskError, ServiceTrouble) as trouble:
            # It is kept, and due: the sweeper sends somebody.
            self._ports.log.failure("a webhook is kept, and nobody could be prompted", trouble)
            return
        self._prompted.put(name, True)


def _kept(notice: Notice) -> tuple[HintRecord, ...]:
    return tuple(
        HintRecord(
            lock=each.lock,
            at=each.at,
            event=each.event,
            opened=each.opened,
            name=each.name,
            refused=each.refused,
        )
        for each in notice.hints
    )
