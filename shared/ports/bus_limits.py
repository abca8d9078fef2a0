"""What Pub/Sub refuses to publish, refused on every platform with the field and the remedy."""

from collections.abc import Mapping, Sequence

from shared.ports.bus import Message, MessageRefused

MOST_MESSAGES = 1000
MOST_TOGETHER = 10_000_000
MOST_DATA = 10_000_000
MOST_ATTRIBUTES = 100
LONGEST_NAME = 256
LONGEST_VALUE = 1024
LONGEST_KEY = 1024


def check_publish(messages: Sequence[Message]) -> None:
    """Raise MessageRefused unless production would take the messages in one request."""
    for message in messages:
        check_message(message)
    _at_most("messages", len(messages), MOST_MESSAGES, "of them; publish them in several calls")
    together = sum(map(_size, messages))
    _at_most("messages", together, MOST_TOGETHER, "bytes together; publish them in several calls")


def check_message(message: Message) -> None:
    """Raise MessageRefused unless production would take the message too."""
    if not message.data and not message.attributes:
        raise MessageRefused("data and attributes are both empty: give the message one of them")
    _at_most("data", len(message.data), MOST_DATA, "bytes; store it and publish its id")
    _at_most("ordering_key", len(message.ordering_key.encode()), LONGEST_KEY, "bytes; use an id")
    _check_attributes(message.attributes)


def _size(message: Message) -> int:
    attributes = sum(len(name.encode()) + len(value.encode()) for name, value in message.attributes.items())
    return len(message.data) + attributes + len(message.ordering_key.encode())


def _check_attributes(attributes: Mapping[str, str]) -> None:
    _at_most("attributes", len(attributes), MOST_ATTRIBUTES, "of them; move the rest into the data")
    for name, value in attributes.items():
        _check_name(name)
        if (size := len(value.encode())) > LONGEST_VALUE:  # which is seldom: no words are made for the others
            _at_most(f"attributes[{name!r}]", size, LONGEST_VALUE, "bytes; move it into the data")


def _check_name(name: str) -> None:
    if not name:
        raise MessageRefused("attributes has an empty name: name it")
    _at_most("attributes: a name", len(name.encode()), LONGEST_NAME, "bytes; shorten it")
    if name.startswith("goog"):
        raise MessageRefused(f"attributes[{name!r}] begins with goog, which is reserved: rename it")


def _at_most(field: str, size: int, most: int, remedy: str) -> None:
    if size > most:
        raise MessageRefused(f"{field} has {size}: allowed are {most} {remedy}")
