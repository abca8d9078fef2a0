"""What was set aside, on Pub/Sub: pulled to be looked at, and given back at once unless it is done with.

1. Pub/Sub shows nothing: to look is to pull. What was pulled is given back by ending its deadline now.
2. A replay publishes to the topic that the message's subscription reads, in the order of publishing, and
   acknowledges afterwards: a crash between the two replays twice, and every function takes the second for
   a duplicate, as other subscriptions of that topic do.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from shared.gcp.clients import Connect
from shared.gcp.settings import GoogleSettings
from shared.ports.bus import EventBus, Message
from shared.ports.dead_letters import (
    AT_MOST,
    GOOGLE,
    NO_HANDLER,
    PULLED,
    QUARANTINE_NOTES,
    REASON,
    MalformedId,
    ParkedMessage,
    ReplayRefused,
)

LOOK_SECONDS: Final = 3.0
CALL_SECONDS: Final = 20.0
_PREFIXES: Final = ("goog", GOOGLE)


@dataclass(frozen=True, slots=True)
class _Pulled:
    """A message in our hands, and by what it is acknowledged or given back."""

    message: ParkedMessage
    source: str
    ack_id: str


class PubSubDeadLetters:
    """The pull subscriptions of one project."""

    def __init__(self, connect: Connect, bus: EventBus, settings: GoogleSettings) -> None:
        self._connect, self._bus = connect, bus
        self._project = f"projects/{settings.project}"
        self._sources = {**PULLED, **dict(settings.kept)}

    async def waiting(self, *, topic: str | None = None, limit: int = 100) -> Sequence[ParkedMessage]:
        """Return what was set aside, the longest waiting first."""
        pulled = await self._all(topic, limit)
        await self._give_back(pulled)
        return sorted((each.message for each in pulled), key=lambda it: (it.parked_at, it.id))[:limit]

    async def replay(self, ids: Sequence[str] | None = None, *, topic: str | None = None) -> int:
        """Publish again, in the order of publishing, and forget here."""
        _check_ids(ids or ())
        pulled = await self._all(topic, AT_MOST)
        chosen = _chosen(pulled, ids)
        try:
            targets = [(each, await self._target(each.message)) for each in chosen]
            for each, target in targets:
                await self._bus.publish(target, [_as_published(each.message)])
                await self._acknowledge([each])
                pulled.remove(each)
        finally:
            await self._give_back(pulled)
        return len(chosen)

    async def discard(self, ids: Sequence[str]) -> int:
        """Forget for ever."""
        _check_ids(ids)
        pulled = await self._all(None, AT_MOST)
        chosen = _chosen(pulled, ids)
        try:
            await self._acknowledge(chosen)
        finally:
            await self._give_back([each for each in pulled if each not in chosen])
        return len(chosen)

    async def _all(self, topic: str | None, limit: int) -> list[_Pulled]:
        wanted = [name for name, of in self._sources.items() if topic in (None, of)]
        found = await asyncio.gather(*(self._pull(name, limit) for name in wanted))
        return [each for of_source in found for each in of_source]

    async def _pull(self, source: str, limit: int) -> list[_Pulled]:
        """Pull until nothing comes: one answer may hold less than there is."""
        from google.api_core.exceptions import DeadlineExceeded, NotFound

        found: dict[str, _Pulled] = {}
        while len(found) < limit:
            request = {"subscription": self._path(source), "max_messages": limit - len(found)}
            try:
                answer = await self._connect().pull(request, retry=None, timeout=LOOK_SECONDS)
            except (DeadlineExceeded, NotFound):
                break
            fresh = [self._pulled(source, each) for each in answer.received_messages]
            if not fresh:
                break
            found |= {each.message.id: each for each in fresh}
        return list(found.values())

    def _pulled(self, source: str, received: Any) -> _Pulled:
        return _Pulled(
            parked_message(source, self._sources[source], received.message), source, received.ack_id
        )

    async def _target(self, message: ParkedMessage) -> str:
        from google.api_core.exceptions import NotFound

        if message.kept:
            raise ReplayRefused(
                f"{message.id} waits for {message.subscription}: it gets it when it is deployed"
            )
        if message.subscription is None:
            raise ReplayRefused(f"{message.id} names no subscription that it came from: discard it")
        try:
            found = await self._connect().get_subscription(
                {"subscription": self._path(message.subscription)}, timeout=CALL_SECONDS
            )
        except NotFound:
            raise ReplayRefused(
                f"{message.id} came from {message.subscription}, which is gone: bring it back, or discard it"
            ) from None
        return str(found.topic).rpartition("/")[2]

    async def _acknowledge(self, pulled: Sequence[_Pulled]) -> None:
        for source, ack_ids in _by_source(pulled):
            request = {"subscription": self._path(source), "ack_ids": ack_ids}
            await self._connect().acknowledge(request, timeout=CALL_SECONDS)

    async def _give_back(self, pulled: Sequence[_Pulled]) -> None:
        for source, ack_ids in _by_source(pulled):
            request = {"subscription": self._path(source), "ack_ids": ack_ids, "ack_deadline_seconds": 0}
            await self._connect().modify_ack_deadline(request, timeout=CALL_SECONDS)

    def _path(self, subscription: str) -> str:
        return f"{self._project}/subscriptions/{subscription}"


def _chosen(pulled: Sequence[_Pulled], ids: Sequence[str] | None) -> list[_Pulled]:
    """Return what is named, or all but what is kept, in the order of publishing."""
    wanted = None if ids is None else frozenset(ids)
    chosen = [
        each
        for each in pulled
        if (each.message.id in wanted if wanted is not None else not each.message.kept)
    ]
    return sorted(chosen, key=lambda each: (each.message.published_at, each.message.message_id))


def _check_ids(ids: Sequence[str]) -> None:
    for id_ in ids:
        if "/" not in id_:
            raise MalformedId(f"{id_[:60]!r} is not the id of a message: take it from the list")


def _by_source(pulled: Sequence[_Pulled]) -> Iterator[tuple[str, list[str]]]:
    for source in dict.fromkeys(each.source for each in pulled):
        yield source, [each.ack_id for each in pulled if each.source == source]


def parked_message(source: str, topic: str, message: Any) -> ParkedMessage:
    """Return a message as it lies in a pull subscription, its notes apart from what was published."""
    given = dict(message.attributes)
    notes = {name: text for name, text in given.items() if _is_note(source, name)}
    kept = source not in PULLED
    named = source if kept else given.get(f"{GOOGLE}Subscription") or notes.get("subscription", "")
    return ParkedMessage(
        id=f"{source}/{message.message_id}",
        topic=topic,
        subscription=named.rpartition("/")[2] or None,
        reason=NO_HANDLER if kept else notes.get(REASON) or notes.get("reason") or "never taken",
        notes=notes,
        message_id=message.message_id,
        ordering_key=message.ordering_key,
        published_at=_published(given) or message.publish_time,
        parked_at=message.publish_time,
        attributes={name: text for name, text in given.items() if name not in notes},
        data=message.data,
    )


def _is_note(source: str, name: str) -> bool:
    return source in PULLED and (name in QUARANTINE_NOTES or name == REASON or name.startswith(_PREFIXES))


def _published(attributes: Mapping[str, str]) -> datetime | None:
    text = attributes.get(f"{GOOGLE}TopicPublishTime")
    return None if text is None else datetime.fromisoformat(text)


def _as_published(message: ParkedMessage) -> Message:
    return Message(message.data, message.attributes, message.ordering_key)
