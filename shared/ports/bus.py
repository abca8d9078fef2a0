"""The event bus: durable topics, at-least-once push, order per key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from shared.domain.replacing import born_open

QUARANTINE_TOPIC: Final = "melmastoon.lock.quarantine.v1"
"""Where a push goes that can never succeed: parked with its reason until somebody looks."""


@born_open
@dataclass(frozen=True, slots=True)
class Message:
    """Bytes to publish; messages that share an ordering key arrive in the order they were published."""

    data: bytes = field(repr=False)
    attributes: Mapping[str, str] = field(default_factory=dict, repr=False)
    ordering_key: str = ""


class BusError(Exception):
    """A publish the bus refused; nothing was published."""


class UnknownTopic(BusError):
    """The topic is not in the manifest."""


class MessageRefused(BusError):
    """A message broke a limit of the bus (size, attributes, key length)."""


class EventBus(Protocol):
    """Publish, and know that it is kept."""

    async def publish(self, topic: str, messages: Sequence[Message]) -> tuple[str, ...]:
        """Keep all messages durably, in order, and return their ids; or raise and keep none.

        Ids are unique within a topic. What nobody subscribes to need not be kept.
        """
