"""Who wants a message: the manifest's topics and subscriptions, checked against each other at load."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from infra.local.bus.filters import Predicate, compile_filter
from infra.local.bus.rows import Route
from infra.local.bus.specs import SubscriptionSpec, TopicSpec
from infra.local.delivery.refusal import Check
from shared.ports.bus import Message, UnknownTopic


@dataclass(frozen=True, slots=True)
class _Reader:
    spec: SubscriptionSpec
    wants: Predicate


class Routing:
    """The map from topics to subscriptions."""

    def __init__(self, topics: Sequence[TopicSpec], subscriptions: Sequence[SubscriptionSpec]) -> None:
        _check(topics, subscriptions)
        self._readers: dict[str, list[_Reader]] = {topic.name: [] for topic in topics}
        self.subscriptions = {spec.name: spec for spec in subscriptions}
        for spec in subscriptions:
            self._readers[spec.topic].append(_Reader(spec, compile_filter(spec.filter)))
        given_up = {spec.dead_letter_topic for spec in subscriptions}
        self.parked = tuple(
            topic.name
            for topic in topics
            if topic.parked or (topic.name in given_up and not self._readers[topic.name])
        )
        self._kept_for = {topic.name: topic.kept_for for topic in topics if topic.kept_for}

    def known(self, topic: str) -> None:
        """Raise UnknownTopic unless the manifest names it."""
        if topic not in self._readers:
            raise UnknownTopic(
                f"topic {topic!r} is not in the manifest: declare it there, or correct the name"
            )

    def routes(self, topic: str, attributes: Mapping[str, str], ordering_key: str) -> tuple[Route, ...]:
        """Return the subscriptions whose filter lets the message through."""
        return tuple(
            Route(reader.spec.name, ordering_key if reader.spec.ordered else "")
            for reader in self._readers[topic]
            if reader.wants(attributes)
        )

    def kept_for(self, topic: str) -> str:
        """Return the subscription to come that a topic is kept for; nothing where one is there."""
        return self._kept_for.get(topic, "")

    @property
    def kept(self) -> tuple[str, ...]:
        """The topics that are kept for a subscription to come."""
        return tuple(self._kept_for)

    @property
    def read(self) -> tuple[str, ...]:
        """The topics that have a subscription."""
        return tuple(topic for topic, readers in self._readers.items() if readers)


class RoutedBus:
    """What any bus says by its map, whoever keeps its messages."""

    def __init__(self, routing: Routing) -> None:
        self._routing = routing

    def listeners(self, topic: str, message: Message) -> tuple[str, ...]:
        """Return the names of the subscriptions that a message goes to."""
        routes = self._routing.routes(topic, message.attributes, message.ordering_key)
        return tuple(route.subscription for route in routes)

    @property
    def aside(self) -> tuple[str, ...]:
        """The topics of which messages are set aside for a person, or kept for a function to come."""
        return (*self._routing.parked, *self._routing.kept)

    def kept_for(self, topic: str) -> str:
        """Return the subscription to come that a topic's messages are kept for, or nothing."""
        return self._routing.kept_for(topic)


def _check(topics: Sequence[TopicSpec], subscriptions: Sequence[SubscriptionSpec]) -> None:
    _unique("topic", (topic.name for topic in topics))
    _unique("subscription", (spec.name for spec in subscriptions))
    parked = {topic.name: topic.parked for topic in topics}
    for spec in subscriptions:
        _check_topics(spec, parked)


def _unique(kind: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            Check(f"{kind} {name!r}").refuse("name", "is taken", "rename one of the two")
        seen.add(name)


def _check_topics(spec: SubscriptionSpec, parked: Mapping[str, bool]) -> None:
    check = Check(f"subscription {spec.name!r}")
    for field, topic in (("topic", spec.topic), ("dead_letter_topic", spec.dead_letter_topic)):
        if topic is not None and topic not in parked:
            check.refuse(field, f"{topic!r} is not in the manifest", "declare it, or correct the name")
    if parked[spec.topic]:
        check.refuse("topic", f"{spec.topic!r} is parked", "subscribe to another, or unpark it")
