"""Messages that were set aside, as an operator looks for them."""

import asyncio
from collections.abc import Collection
from typing import Final

from infra.local.bus.dead_letters import DeadLetters
from shared.domain.errors import InvalidInput
from shared.ports.dead_letters import ParkedMessage
from shared.usecases.operations.letters import reservation_of

PAGE: Final = 200


def check_parked(topic: str | None, aside: Collection[str]) -> str | None:
    """Return the topic, or none, or refuse one on which nothing is ever set aside or kept."""
    if topic is not None and topic not in aside:
        raise InvalidInput("topic", "nothing is ever set aside there", f"name one of {', '.join(aside)}")
    return topic


async def letters(
    kept: DeadLetters, topic: str | None, reservation: str | None, after: str, limit: int
) -> list[ParkedMessage]:
    """Return the first messages beyond the id `after`: of one topic and about one booking, where asked."""
    size = limit if reservation is None else PAGE
    found: list[ParkedMessage] = []
    while len(found) < limit:
        page = kept.page(topic=topic, after=after, limit=size)
        found += [message for message in page if reservation in (None, reservation_of(message))]
        if len(page) < size:
            break
        after = page[-1].id
        await asyncio.sleep(0)  # a booking is looked for in every message, and others must not wait for all
    return found[:limit]
