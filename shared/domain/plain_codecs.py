"""How values without parts are written as JSON and read back, and what a codec is."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time
from enum import Enum
from types import NoneType
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.instants import Moment, instant, instant_from_text, instant_to_text, milliseconds
from shared.domain.stored import Json

OWN: Final = (int, bool, str, NoneType)
"""The types of values that JSON has itself."""


def no_strays(_: Json) -> dict[str, Json]:
    """Return nothing: what has no fields has none that nobody knows."""
    return {}


@dataclass(frozen=True, slots=True)
class Codec:
    """How one annotation is written and read; what it complains of is named from there, itself by no name.

    JSON of the types that are `whole` is the value, and the value its JSON: whoever reads or writes many need
    not ask for those.
    """

    write: Callable[[Any], Json]
    read: Callable[[Json], Any]
    strays: Callable[[Json], dict[str, Json]] = no_strays
    names: frozenset[str] = frozenset()
    whole: tuple[type, ...] = ()


def _plain_codec(kind: type) -> Codec:
    def read(value: Json) -> Any:
        if type(value) is not kind:
            raise InvalidInput("", f"not of type {kind.__name__}", "Read a document this code wrote")
        return value

    return Codec(plainly, read, whole=(kind,))


def text_codec(kind: type[str]) -> Codec:
    """Return how a text of a kind is written and read: an id, or one of some values."""
    make: Callable[[Any], Any] = _choices(kind).__getitem__ if issubclass(kind, Enum) else kind

    def read(value: Json) -> Any:
        try:
            return make(value)
        except InvalidInput as error:
            raise error.at("") from None
        except (ValueError, KeyError, TypeError):
            raise InvalidInput("", f"not a {kind.__name__}", "Give one of its values") from None

    return Codec(str, read)


def _choices(kind: type[Enum]) -> dict[Any, Enum]:
    return {each.value: each for each in kind}


def plainly(value: Any) -> Json:
    """Return JSON of a value that is not of the very type said: an id is a text, a flag may be a number."""
    if type(value) in OWN:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    raise InvalidInput("", f"a {type(value).__name__}", "Write a text, a whole number, a bool or None")


def _read_time(value: Json) -> time:
    try:
        return time.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidInput("", "not a time of day", "Write it as 14:30:00") from None


def _read_instant(value: Json) -> datetime:
    return instant_from_text(value, "")


def _read_moment(value: Json) -> datetime:
    if type(value) is not int:
        raise InvalidInput("", "not a number of milliseconds", "Read a document this code wrote")
    return instant(value)


PLAIN: Final[dict[Any, Codec]] = {
    **{kind: _plain_codec(kind) for kind in OWN},
    datetime: Codec(instant_to_text, _read_instant),
    Moment: Codec(milliseconds, _read_moment),
    time: Codec(time.isoformat, _read_time),
}
