"""The event bus on SQLite: publish is one commit; each subscription pushes in its own time."""

import sqlite3
from collections.abc import Mapping, Sequence
from functools import partial

from infra.local.bus.backlog import Delivery
from infra.local.bus.chaos import Calm, Chaos
from infra.local.bus.dead_letters import DeadLetters, dead_letter_notes
from infra.local.bus.dispatcher import Dispatcher
from infra.local.bus.envelope import decode_payload, encode_payload
from infra.local.bus.fresh import Fresh
from infra.local.bus.kept import Kept, kept_notes
from infra.local.bus.routing import RoutedBus, Routing
from infra.local.bus.rows import Route, StoredMessage, insert, settle
from infra.local.bus.specs import SubscriptionSpec, TopicSpec
from infra.local.delivery.dispatching import Dispatched
from infra.local.delivery.instants import micros
from infra.local.delivery.keeping import Keeping
from infra.local.delivery.parts import DeliveryParts
from shared.domain.ids import ulid_number
from shared.domain.replacing import replace
from shared.kernel.log import Log
from shared.ports.bus import Message
from shared.ports.bus_limits import check_publish
from shared.ports.dead_letters import QUARANTINE_NOTES

BACKLOGS = "SELECT subscription, count(*) FROM bus_delivery GROUP BY subscription ORDER BY subscription"
WANTED = "SELECT 1 FROM bus_delivery WHERE message = ? LIMIT 1"
Parcel = tuple[StoredMessage, tuple[Route, ...]]


class Bus(RoutedBus, Dispatched):
    """Implements EventBus, durably, with Pub/Sub's push semantics."""

    def __init__(
        self,
        means: DeliveryParts,
        topics: Sequence[TopicSpec],
        subscriptions: Sequence[SubscriptionSpec],
        chaos: Chaos | None = None,
        log: Log | None = None,
    ) -> None:
        super().__init__(Routing(topics, subscriptions))
        self._means = means
        self._log = log or Log("bus")
        self._fresh = Fresh()
        self._dispatchers: dict[str, Dispatcher] = {
            spec.name: Dispatcher(spec, means, chaos or Calm(), self._set_aside, self._fresh)
            for spec in subscriptions
        }
        self._keeping = Keeping(means.engine)
        self.dead_letters = DeadLetters(means, self._routing, self._look_again)
        self.kept = Kept(means.engine, self._routing)

    async def deliver_kept(self) -> None:
        """Hand over what was kept for subscriptions that have come, before anything newer is published."""
        if handed_over := await self.kept.hand_over():
            self._log.info("events kept for their function are delivered", messages=handed_over)

    async def publish(self, topic: str, messages: Sequence[Message]) -> tuple[str, ...]:
        """Keep all messages that anybody wants, in order, and return their ids; or raise and keep none."""
        self._routing.known(topic)
        check_publish(messages)
        self._means.counters["publishes"] += len(messages)
        wanted = [name for message in messages for name in self.listeners(topic, message)]
        if not wanted and topic not in self._routing.parked and not self._routing.kept_for(topic):
            # Nobody subscribes: there is nothing to keep, as on Pub/Sub, and no commit to wait for.
            return tuple(str(ulid_number(self._means.ids.ulid())) for _ in messages)
        sealed = [await self._means.payloads.seal(message.data) for message in messages]
        parcels = [self._parcel(topic, *each) for each in zip(messages, sealed, strict=True)]
        published = partial(self._published, messages, parcels, wanted)
        ids = await self._keeping.write(partial(_insert_all, parcels), published)
        return tuple(str(identity) for identity in ids)

    def backlog(self) -> Mapping[str, int]:
        """Return how many deliveries wait for each subscription, also for one the manifest dropped."""
        return dict(self._means.engine.read(BACKLOGS))

    def delivers(self, message: str) -> bool:
        """Say whether a message still waits for one of its subscriptions."""
        return bool(self._means.engine.read(WANTED, (int(message),)))

    def _parcel(self, topic: str, message: Message, sealed: bytes) -> Parcel:
        parked, kept_for = topic in self._routing.parked, self._routing.kept_for(topic)
        attributes = dict(message.attributes)
        notes = {name: attributes.pop(name) for name in QUARANTINE_NOTES if parked and name in attributes}
        routes = self._routing.routes(topic, attributes, message.ordering_key)
        notes |= kept_notes(kept_for, routes) if kept_for else {}
        stored = StoredMessage(
            topic,
            micros(self._means.clock.now()),
            message.ordering_key,
            encode_payload(sealed, attributes),
            notes,
            parked,
            kept=bool(kept_for),
            source=notes["subscription"].rpartition("/")[2] if "subscription" in notes else None,
        )
        return stored, routes

    def _published(
        self,
        messages: Sequence[Message],
        parcels: Sequence[Parcel],
        wanted: Sequence[str],
        ids: Sequence[int],
    ) -> None:
        for message, (stored, routes), identity in zip(messages, parcels, ids, strict=True):
            if routes and not stored.notes:
                shown = encode_payload(message.data, message.attributes)
                self._fresh.keep(replace(stored, id=identity, shown=shown), identity, routes)
        self._look_again(wanted)

    def _look_again(self, subscriptions: Sequence[str]) -> None:
        for name in dict.fromkeys(subscriptions):
            self._dispatchers[name].look_again()

    async def _set_aside(self, spec: SubscriptionSpec, delivery: Delivery, message: StoredMessage) -> None:
        topic = spec.dead_letter_topic or ""
        notes = dead_letter_notes(self._means.project, spec.name, message, delivery.attempts, delivery.reason)
        letter = StoredMessage(
            topic,
            micros(self._means.clock.now()),
            message.ordering_key,
            message.payload,
            {**message.notes, **notes},
            topic in self._routing.parked,
            source=spec.name,
            origin=message.id,
            origin_at=message.published_at,
        )
        attributes = {**decode_payload(message.payload)[1], **letter.notes}
        routes = self._routing.routes(topic, attributes, message.ordering_key)
        self._alarm(letter, delivery)
        await self._means.engine.write(partial(_move, letter, routes, delivery))
        self._look_again([route.subscription for route in routes])

    def _alarm(self, letter: StoredMessage, delivery: Delivery) -> None:
        """Say that something was not done, before it is saved, lest a crash keeps it; never what it says."""
        self._log.alert(
            "a message became a dead letter",
            runbook="lock/dead-letters",
            subscription=letter.source,
            messageId=str(letter.origin),
            deliveries=delivery.attempts,
            reason=delivery.reason,
        )


def _insert_all(parcels: Sequence[Parcel], connection: sqlite3.Connection) -> tuple[int, ...]:
    return tuple(insert(connection, message, routes) for message, routes in parcels)


def _move(
    letter: StoredMessage, routes: Sequence[Route], delivery: Delivery, connection: sqlite3.Connection
) -> None:
    insert(connection, letter, routes)
    settle(connection, delivery.seq, delivery.message)
