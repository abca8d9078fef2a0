"""The event bus on Pub/Sub: one awaited call per publish, and no thread of our own."""

from collections.abc import Sequence
from typing import Any, Final

from shared.gcp.clients import Connect
from shared.ports.bus import Message, MessageRefused, UnknownTopic
from shared.ports.bus_limits import check_publish

TIMEOUT_SECONDS: Final = 60.0


class PubSubBus:
    """Publishes with ordering keys.

    Nothing is batched behind the caller's back: the publisher that does so sends from a thread, and refuses a
    key whose message failed until somebody resumes it. Here the caller waits and sees the failure itself, and
    whoever publishes a key one call after the other has its order.
    """

    def __init__(self, connect: Connect, project: str) -> None:
        self._connect, self._project = connect, project

    async def publish(self, topic: str, messages: Sequence[Message]) -> tuple[str, ...]:
        """Keep all messages durably, in order, and return their ids; or raise and keep none."""
        check_publish(messages)
        if not messages:
            return ()
        from google.api_core import exceptions

        name = f"projects/{self._project}/topics/{topic}"
        try:
            answer = await self._connect().publish(
                {"topic": name, "messages": [_sent(message) for message in messages]}, timeout=TIMEOUT_SECONDS
            )
        except exceptions.NotFound:
            raise UnknownTopic(f"topic {topic!r} is not in the manifest: declare it, and apply") from None
        except exceptions.InvalidArgument as refusal:
            raise MessageRefused(f"Pub/Sub takes no such topic or message: {refusal.message}") from None
        return tuple(answer.message_ids)


def _sent(message: Message) -> dict[str, Any]:
    return {
        "data": message.data,
        "attributes": dict(message.attributes),
        "ordering_key": message.ordering_key,
    }
