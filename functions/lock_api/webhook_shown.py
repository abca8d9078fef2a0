"""What the API takes and shows of addresses that hear events, and of what was sent there."""

from typing import Annotated, Literal

from pydantic import Field

from functions.lock_api.shown import At, Text
from shared.events.wire import Maybe, Published, text
from shared.events.wire import PropertyId as AtProperty

WebhookId = Annotated[str, Field(pattern="^lsn_[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
DeliveryId = Annotated[str, Field(pattern="^snd_[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
Pattern = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_.]{0,120}[*]?$|^[*]$")]


class Webhook(Published):
    """An address that hears events, and how it fares."""

    id: WebhookId
    url: Text
    events: tuple[str, ...]
    properties: tuple[AtProperty, ...]
    state: Literal["unproven", "live", "disabled"]
    by: str
    made_at: At
    failures: int
    """In a row."""
    failing_since: Maybe[At] = None
    rests_until: Maybe[At] = None
    because: Maybe[str] = None


class Webhooks(Published):
    """The addresses that hear events."""

    webhooks: tuple[Webhook, ...]


class WebhookWanted(Published):
    """Where events are to go, and which: subjects, or what they begin with and a star."""

    url: Annotated[str, text(1000)]
    events: Annotated[tuple[Pattern, ...], Field(min_length=1, max_length=50)] = ("*",)
    properties: Annotated[tuple[AtProperty, ...], Field(max_length=200)] = ()


class WebhookSecret(Published):
    """An address, and what its events are signed with: shown this once."""

    webhook: Webhook
    secret: Annotated[str, Field(max_length=200)]


class Proof(Published):
    """What the address was sent as its challenge."""

    challenge: Annotated[str, Field(pattern="^[0-9a-f]{1,64}$")]


class SecretRotation(Published):
    """Whether the secret before this one ends at once; else events are signed with both for a day."""

    at_once: bool = False


class Removed(Published):
    """An address that hears nothing any more."""

    removed: WebhookId


class DeliveryTry(Published):
    """One try: what came back, or why nothing did."""

    at: At
    took_ms: int
    status: Maybe[int] = None
    problem: Maybe[str] = None


class WebhookDelivery(Published):
    """An event on its way to an address."""

    id: DeliveryId
    event: str
    subject: str
    state: Literal["waiting", "delivered", "given_up"]
    made_at: At
    due_at: Maybe[At] = None
    tries: tuple[DeliveryTry, ...]


class WebhookDeliveries(Published):
    """What was sent to an address in the last thirty days, the newest first."""

    deliveries: tuple[WebhookDelivery, ...]
    cursor: Maybe[str] = None
