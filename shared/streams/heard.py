"""Events of tenants that have them sent somewhere are marked, and handed over for that; no others are.

A subscription by that mark costs a key of another hotel nothing: not a delivery, not a read. What a tenant
said of it is remembered with its admission, for some seconds.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Protocol

from shared.ports.bus import EventBus, Message

MARK: Final = "heard"
TENANT: Final = "tenantId"


class Directory(Protocol):
    """Knows which tenants have events sent somewhere."""

    async def is_heard(self, tenant: str) -> bool:
        """Say whether a tenant has."""


class HeardBus:
    """A bus that marks what somebody outside is to hear; the bytes are those it was given."""

    def __init__(self, bus: EventBus, directory: Directory) -> None:
        self._bus, self._directory = bus, directory

    async def publish(self, topic: str, messages: Sequence[Message]) -> tuple[str, ...]:
        """Keep all messages durably, in order, and return their ids."""
        return await self._bus.publish(topic, [await self._marked(each) for each in messages])

    async def _marked(self, message: Message) -> Message:
        tenant = message.attributes.get(TENANT)
        if tenant is None or not await self._directory.is_heard(tenant):
            return message
        return replace(message, attributes={**message.attributes, MARK: "1"})
