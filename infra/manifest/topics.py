"""Which topics a trigger means, by the catalogue, and what the subscription to each is called."""

from collections.abc import Callable, Mapping
from typing import Final

from infra.manifest.triggers import TopicSet, TopicsTrigger, TopicTrigger
from shared.events.catalogue import CATALOGUE
from shared.events.subject import Direction, Retention, Subject

_WANTED: Final[Mapping[TopicSet, Callable[[Subject], bool]]] = {
    "ours": lambda row: row.direction is Direction.PRODUCED,
    "ours:operational": lambda row: row.retention is Retention.OPERATIONAL,
    "ours:regulated": lambda row: row.retention is Retention.REGULATED,
    "theirs": lambda row: row.direction is Direction.CONSUMED,
}


def topics_of(trigger: object) -> tuple[str, ...]:
    """Return the topics a trigger means, in the catalogue's order; none for what is no topic trigger."""
    match trigger:
        case TopicTrigger(topic=topic):
            return (topic,)
        case TopicsTrigger(topics=named):
            return named if isinstance(named, tuple) else topics_in(named)
        case _:
            return ()


def topics_in(wanted: TopicSet) -> tuple[str, ...]:
    """Return the topics of a set."""
    return tuple(row.topic for row in CATALOGUE.values() if row.topic is not None and _WANTED[wanted](row))


def subscription_name(function: str, trigger: object, topic: str) -> str:
    """Return what a function's subscription to a topic is called: with one topic, as the function is."""
    return f"{function}.{topic}" if isinstance(trigger, TopicsTrigger) else function
