"""Which topics there are, which of them a trigger means, and what the subscription to each is called."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from infra.manifest.triggers import TopicSet, TopicsTrigger, TopicTrigger
from shared.events.backoffice.catalogue import Group
from shared.events.backoffice.heard_subjects import ALSO_CALLED, HEARD
from shared.events.catalogue import CATALOGUE, spellings, subjects, topics
from shared.events.subject import Direction, Retention, Subject
from shared.ports.dead_letters import DEAD_LETTER_TOPIC, PULLED

PARKED: Final = tuple(PULLED.values())
"""Topics whose messages wait for a person."""

TELEMETRY: Final = "telemetry"
NEIGHBOURS: Final = "neighbours"
_DEAD_LETTERS: Final = {group.topic: group.dead_letters for group in Group}
_WANTED: Final[Mapping[TopicSet, Callable[[Subject], bool]]] = {
    "ours": lambda row: row.direction is Direction.PRODUCED,
    "ours:operational": lambda row: row.retention is Retention.OPERATIONAL,
    "ours:regulated": lambda row: row.retention is Retention.REGULATED,
    "theirs": lambda row: row.direction is Direction.CONSUMED,
}


@dataclass(frozen=True, slots=True)
class Awaited:
    """A topic that we consume and nothing handles yet: what comes on it is kept for the function to come."""

    topic: str
    function: str

    @property
    def subscription(self) -> str:
        """The subscription that keeps it, and that becomes the function's own."""
        subject = next(row.name for row in subjects(Direction.CONSUMED) if self.topic in topics(row))
        return subscription_name(self.function, TopicTrigger(topic=subject), self.topic)


def heard_alone() -> tuple[str, ...]:
    """Return the topics that the backoffice alone hears of, in no catalogue but document C's."""
    known = {topic for topic, _ in travelling()}
    return tuple(topic for topic in HEARD if topic not in known)


def travelling() -> Iterator[tuple[str, Subject]]:
    """Yield each topic with the subject that travels on it."""
    for row in CATALOGUE.values():
        for topic in topics(row):
            yield topic, row


def awaited(functions: Collection[str]) -> tuple[Awaited, ...]:
    """Return the topics we consume whose function is not among these, whoever else listens to them."""
    return tuple(
        Awaited(topic, row.handler)
        for topic, row in travelling()
        if row.direction is Direction.CONSUMED and row.handler not in functions
    )


def topics_of(trigger: object) -> tuple[str, ...]:
    """Return the topics a trigger means, each with its neighbours' spellings; none for no topic trigger."""
    match trigger:
        case TopicTrigger(topic=topic):
            return _with_spellings(topic)
        case TopicsTrigger(topics=tuple(named)):
            return tuple(each for topic in named for each in _with_spellings(topic))
        case TopicsTrigger(topics=str(wanted)):
            return topics_in(wanted)
        case _:
            return ()


def topics_in(wanted: TopicSet) -> tuple[str, ...]:
    """Return the topics of a set."""
    if wanted == TELEMETRY:
        return tuple(group.topic for group in Group)
    if wanted == NEIGHBOURS:
        return (*HEARD, *ALSO_CALLED)
    return tuple(topic for topic, row in travelling() if _WANTED[wanted](row))


def dead_letters_of(topic: str) -> str:
    """Return where a message of a topic goes that is given up: of telemetry, its group's place (C §18)."""
    return _DEAD_LETTERS.get(topic, DEAD_LETTER_TOPIC)


def subscription_name(function: str, trigger: object, topic: str) -> str:
    """Return what a function's subscription to a topic is called: to its one topic, as the function is."""
    whole = isinstance(trigger, TopicTrigger) and trigger.topic == topic
    return function if whole else f"{function}.{topic}"


def _with_spellings(topic: str) -> tuple[str, ...]:
    return (topic, *spellings(topic)) if topic in CATALOGUE else (topic,)
