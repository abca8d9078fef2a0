"""A webhook as it is kept: recorded before anything acts on it, and told once more when it was acted on.

Its id follows from what it says, so that a webhook sent twice is kept once. It waits for its vendor's adapter
until its `outcome` is known, and is forgotten after ninety days (B §4: operational).
"""

import hashlib
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.ids import PropertyId, TenantId, WebhookId, ulid
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import VendorCode
from shared.domain.stored import Json, Stored
from shared.ledger.reading import read_record
from shared.ledger.site import site_of
from shared.ports.documents import Document, Ref
from shared.streams.stream import Stream

WEBHOOKS: Final = "webhooks"
KEPT_FOR: Final = timedelta(days=90)
TAKEN_UP_AFTER: Final = timedelta(minutes=2)
"""Whoever applies webhooks comes within seconds; after this, the sweeper sends somebody again."""


class HookOutcome(StrEnum):
    """What became of a webhook (B §2.16)."""

    APPLIED = "applied"
    DUPLICATE = "duplicate"
    """All that it told of was known."""
    IGNORED = "ignored"
    """It is about nothing of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HintRecord:
    """Where to look, or, of a vendor that signs, what happened there."""

    lock: str
    at: Moment
    event: Annotated[str | None, Stored(omitted=True)] = None
    opened: Annotated[bool | None, Stored(omitted=True)] = None
    name: Annotated[str | None, Stored(omitted=True)] = None
    refused: Annotated[str | None, Stored(omitted=True)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorWebhook(Stream):
    """One webhook: from whom, of what type, and what it says without any secret."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("site", "waiting")

    id: WebhookId
    tenant: TenantId
    property_id: PropertyId
    vendor: VendorCode
    type: str
    event_id: str
    received_at: Moment
    signed: bool
    hints: tuple[HintRecord, ...] = ()
    tries: int = 0
    looked_at: Annotated[Moment | None, Stored(omitted=True)] = None
    """When somebody last tried to apply it, and it had to wait: whoever comes next begins with others."""
    outcome: Annotated[HookOutcome | None, Stored(omitted=True)] = None
    processed_at: Annotated[Moment | None, Stored(omitted=True)] = None
    sequence: int = 1

    def indexed(self) -> dict[str, Json]:
        """Return what the index of those that wait reads."""
        if self.outcome is not None:
            return {}
        waiting = self.looked_at or self.received_at
        return {"site": site_of(self.property_id, self.vendor), "waiting": milliseconds(waiting)}

    def applied(self, outcome: HookOutcome, at: datetime) -> Self:
        """Return it with what became of it, which is yet to be told."""
        return replace(
            self, outcome=outcome, processed_at=at, sequence=self.sequence + 1, due=at + TAKEN_UP_AFTER
        )

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(WEBHOOKS, str(self.id))

    @property
    def kept_until(self) -> datetime:
        """When it is forgotten."""
        return self.received_at + KEPT_FOR

    @property
    def _sequence(self) -> int:
        return self.sequence


def webhook_id(site: str, event_id: str, at: datetime) -> WebhookId:
    """Return the id of a webhook: the same for the same, however often it comes."""
    digest = hashlib.sha256(f"{site}|{event_id}".encode()).digest()
    return WebhookId.mint(ulid(max(0, milliseconds(at)), int.from_bytes(digest[:10])))


def webhook_from(found: Document) -> VendorWebhook:
    """Read a webhook."""
    return read_record(VendorWebhook, found)
