"""How values without parts are written as JSON and read back, and what a codec is."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time
from types import NoneType
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.instants import Moment, instant, instant_from_text, instant_to_text, milliseconds
from shared.domain.stored import Json


def no_strays(_: Json) -> dict[str, Json]:
    """Return nothing: what has no fields has none that nobody knows."""
    return {}


@dataclass(frozen=True, slots=True)
class Codec:
    """How one annotation is written and read; `read` is told the path, for its complaints."""

    write: Callable[[Any], Json]
    read: Callable[[Json, str], Any]
    strays: Callable[[Json], dict[str, Json]] = no_strays
    names: frozenset[str] = frozenset()

    @property
    def plain(self) -> bool:
        """Say whether a value is written as it is."""
        return self.write is _as_it_is


def _plain_codec(kind: type) -> Codec:
    def read(value: Json, path: str) -> Any:
        if type(value) is not kind:
            raise InvalidInput(path, f"not of type {kind.__name__}", "Read a document this code wrote")
        return value

    return Codec(_as_it_is, read)


def _as_it_is(value: Json) -> Json:
    return value


def _read_time(value: Json, path: str) -> time:
    try:
        return time.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidInput(path, "not a time of day", "Write it as 14:30:00") from None


def _read_moment(value: Json, path: str) -> datetime:
    if type(value) is not int:
        raise InvalidInput(path, "not a number of milliseconds", "Read a document this code wrote")
    return instant(value)


PLAIN: Final[dict[Any, Codec]] = {
    int: _plain_codec(int),
    bool: _plain_codec(bool),
    str: _plain_codec(str),
    NoneType: _plain_codec(NoneType),
    datetime: Codec(instant_to_text, instant_from_text),
    Moment: Codec(milliseconds, _read_moment),
    time: Codec(time.isoformat, _read_time),
}
