"""Telling what the backoffice did: each event drawn for, sealed into its bytes once, and published.

| road     | 1. with the state              | 2. afterwards                 | died in between              |
|----------|--------------------------------|-------------------------------|------------------------------|
| outbox   | its row is saved in one commit | published, then the row goes  | the sweeper publishes the    |
|          | with what it tells of          |                               | same bytes, under the same id|
| buffered | nothing                        | published, 500 ms at most     | it is not told, and the log  |
|          |                                |                               | says how many                |

What is kept for years goes with the state it tells of; the rest must not hold the answer (C §3).
"""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.ids import PropertyId, TenantId, UserId
from shared.events.backoffice.boundary import their_property
from shared.events.backoffice.catalogue import ROOT, Telemetry
from shared.events.backoffice.envelope import (
    TelemetryEvent,
    TelemetryHead,
    encode_telemetry,
    payload_model,
    row_of,
    telemetry_model,
)
from shared.events.backoffice.sampling import Told, is_told
from shared.kernel.log import Log
from shared.ports.ambient import Clock, Entropy, Ids
from shared.ports.bus import EventBus
from shared.ports.documents import DocumentStore
from shared.usecases.telemetry.flags import Rates
from shared.usecases.telemetry.untold import Untold, tell_untold

SWEPT_AFTER: Final = timedelta(minutes=1)
PATIENCE_SECONDS: Final = 0.5
OPERATOR: Final = "opr_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """What an operator does: who, at which machine, in which request, when. Ids alone."""

    tenant: TenantId
    operator: UserId
    device: str
    app_version: str
    app_platform: str
    request: str
    occurred_at: datetime
    session: str | None = None
    property_id: PropertyId | None = None
    trace: str = ""
    cause: str | None = None

    @property
    def operator_id(self) -> str:
        """The operator as C names one."""
        return their_operator(self.operator)

    @property
    def their_property(self) -> str | None:
        """The property as C names it."""
        return None if self.property_id is None else their_property(self.property_id)


def their_operator(user: str) -> str:
    """Return a member of staff as C names an operator."""
    return OPERATOR + user.removeprefix(UserId.prefix)


@dataclass(frozen=True, slots=True)
class Teller:
    """Makes telemetry of what was done, and publishes it."""

    documents: DocumentStore
    bus: EventBus
    rates: Rates
    clock: Clock
    ids: Ids
    entropy: Entropy
    log: Log
    instance: str

    async def drawn(self, event: str, doing: Doing, **payload: Any) -> list[Untold]:
        """Return the event to be told, or nothing if its lot says so; `pepper` names that of its hashes."""
        row = row_of(f"{ROOT}.{event}.v1")
        pepper = payload.pop("pepper", None)
        rate = await self.rates.of(row.subject, doing.tenant)
        if not is_told(row, Told(doing.session, doing.device, doing.occurred_at), rate):
            return []
        head = self._head(row, doing, rate, pepper)
        told = telemetry_model(row.subject)(envelope=head, payload=payload_model(row.subject)(**payload))
        key = doing.session or doing.device
        return [Untold(doing.tenant, head.event_id, row, key, self._body(told), self._swept_at())]

    def _body(self, told: TelemetryEvent[Any]) -> bytes:
        return encode_telemetry(told)

    def _swept_at(self) -> datetime:
        return self.clock.now() + SWEPT_AFTER

    def _head(self, row: Telemetry, doing: Doing, rate: float, pepper: str | None) -> TelemetryHead:
        return TelemetryHead(
            event_id=f"evt_{self.ids.ulid()}",
            subject=row.subject,
            version=row.version,
            occurred_at=doing.occurred_at,
            published_at=max(self.clock.now(), doing.occurred_at),
            producer_instance=self.instance,
            tenant_id=doing.tenant,
            operator_id=doing.operator_id,
            device_id=doing.device,
            session_id=doing.session,
            property_id=doing.their_property,
            request_id=doing.request,
            trace_id=doing.trace or self._trace(),
            causation_id=doing.cause,
            correlation_id=doing.request,
            schema_uri=row.schema_uri,
            retention_class=row.retention,
            sampling_rate=rate,
            app_version=doing.app_version,
            app_platform=doing.app_platform,
            pepper_id=pepper,
        )

    def _trace(self) -> str:
        return f"00-{self.entropy.token(16).hex()}-{self.entropy.token(8).hex()}-01"

    async def tell(self, untold: Iterable[Untold]) -> None:
        """Publish what was drawn, and never hold or break the answer: the sweeper tells what is kept."""
        waiting = tuple(untold)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                for each in waiting:
                    await self._told(each)
        except Exception as error:  # noqa: BLE001 - what was done is done: telling it must not undo the answer
            lost = [each.row.subject for each in waiting if not each.lasting]
            self.log.failure("telemetry was not told", error, subjects=lost, lost=len(lost))

    async def _told(self, untold: Untold) -> None:
        if untold.lasting:
            await tell_untold(untold.id, self.documents.tenant(untold.tenant), self.bus)
        else:
            await self.bus.publish(untold.row.group.topic, [untold.message()])
