"""Documents: what the ledger keeps, as plain JSON, read back only if it says exactly what we understand.

The codec follows the annotations of the dataclasses, so that a field cannot be forgotten in one direction.
Any change of a stored field's name, type or meaning needs a new `schema_version`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime, time
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Final, Protocol, TypeVar, get_args, get_origin

from shared.domain.errors import InvalidInput, UnknownSchemaVersion
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.lifecycle import name_of

Json = Any
"""None, bool, int, str, list or dict of those."""


class Documented(Protocol):
    """A dataclass that is stored whole, under a version of its own."""

    schema_version: ClassVar[int]


_D = TypeVar("_D", bound=Documented)


def to_document(value: Documented) -> dict[str, Json]:
    """Write a value as plain JSON with its schema version."""
    return {"schema_version": value.schema_version, **_codec(type(value)).write(value)}


def from_document(kind: type[_D], document: Mapping[str, Json]) -> _D:
    """Read a value; keys that begin with an underscore belong to the store and are passed over."""
    version = document.get("schema_version")
    if type(version) is not int or version != kind.schema_version:
        remedy = (
            f"This code reads version {kind.schema_version} of {kind.__name__}: deploy newer or older code"
        )
        raise UnknownSchemaVersion("schema_version", "unknown or missing", remedy)
    own = {
        key: value for key, value in document.items() if key != "schema_version" and not key.startswith("_")
    }
    read: _D = _codec(kind).read(own, "")
    return read


@dataclass(frozen=True, slots=True)
class _Codec:
    """How one annotation is written and read; `read` is told the path, for its complaints."""

    write: Callable[[Any], Json]
    read: Callable[[Json, str], Any]


def _codec_for(annotation: Any) -> _Codec:
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    if get_origin(annotation) is tuple:
        return _list_codec(_codec(get_args(annotation)[0]))
    if isinstance(annotation, UnionType):
        return _union_codec(get_args(annotation))
    if _is_record(annotation):
        return _record_codec(annotation)
    if isinstance(annotation, type) and issubclass(annotation, str):
        return _text_codec(annotation)
    raise TypeError(
        f"{annotation} cannot be kept in a document: seal a Secret first, give other types a codec"
    )


_codec: Callable[[Any], _Codec] = cache(_codec_for)


def _plain_codec(kind: type) -> _Codec:
    def read(value: Json, path: str) -> Any:
        if type(value) is not kind:
            raise InvalidInput(path, f"not of type {kind.__name__}", "Read a document this code wrote")
        return value

    return _Codec(_as_it_is, read)


def _as_it_is(value: Json) -> Json:
    return value


def _read_time(value: Json, path: str) -> time:
    try:
        return time.fromisoformat(value)
    except (TypeError, ValueError):
        raise InvalidInput(path, "not a time of day", "Write it as 14:30:00") from None


_PLAIN: Final[dict[Any, _Codec]] = {
    int: _plain_codec(int),
    bool: _plain_codec(bool),
    str: _plain_codec(str),
    NoneType: _plain_codec(NoneType),
    datetime: _Codec(instant_to_text, instant_from_text),
    time: _Codec(time.isoformat, _read_time),
}


def _is_record(annotation: Any) -> bool:
    return is_dataclass(annotation)


def _text_codec(kind: type[str]) -> _Codec:
    def read(value: Json, path: str) -> Any:
        try:
            return kind(value)
        except InvalidInput as error:
            raise error.at(path) from None
        except ValueError:
            raise InvalidInput(path, f"not a {kind.__name__}", "Give one of its values") from None

    return _Codec(_enum_value if issubclass(kind, StrEnum) else str, read)


def _enum_value(value: StrEnum) -> str:
    return value.value


def _list_codec(item: _Codec) -> _Codec:
    def read(value: Json, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise InvalidInput(path, "not a list", "Read a document this code wrote")
        return tuple(item.read(each, f"{path}[{index}]") for index, each in enumerate(value))

    return _Codec(lambda values: [item.write(value) for value in values], read)


def _union_codec(members: tuple[Any, ...]) -> _Codec:
    """Records are told apart by a `type` tag, everything else by what reads."""
    if all(_is_record(member) for member in members):
        return _tagged({name_of(member): member for member in members})
    return _first_that_reads(members)


def _first_that_reads(members: tuple[Any, ...]) -> _Codec:
    def write(value: Any) -> Json:
        return _codec(type(value)).write(value)

    def read(value: Json, path: str) -> Any:
        if value is None and NoneType in members:
            return None
        refusals = []
        for member in members:
            try:
                return _codec(member).read(value, path)
            except InvalidInput as refusal:
                refusals.append(refusal)
        raise refusals[0]

    return _Codec(write, read)


def _tagged(records: Mapping[str, Any]) -> _Codec:
    def write(value: Any) -> Json:
        return {"type": name_of(type(value)), **_codec(type(value)).write(value)}

    def read(value: Json, path: str) -> Any:
        tag = value.get("type", "") if isinstance(value, Mapping) else ""
        if not isinstance(tag, str) or tag not in records:
            raise InvalidInput(f"{path}.type", "not a known type", f"Give one of {', '.join(records)}")
        return _codec(records[tag]).read({key: value[key] for key in value if key != "type"}, path)

    return _Codec(write, read)


def _record_codec(kind: Any) -> _Codec:
    parts = {field.name: _codec(field.type) for field in fields(kind)}

    writers = [(name, None if codec.write is _as_it_is else codec.write) for name, codec in parts.items()]

    def write(value: Any) -> Json:
        return {name: put(getattr(value, name)) if put else getattr(value, name) for name, put in writers}

    def read(value: Json, path: str) -> Any:
        if not isinstance(value, Mapping) or value.keys() != parts.keys():
            _complain(path, value, parts.keys())
        values = {name: codec.read(value[name], _join(path, name)) for name, codec in parts.items()}
        return _build(kind, values, path)

    return _Codec(write, read)


def _complain(path: str, value: Json, known: Any) -> None:
    if not isinstance(value, Mapping):
        raise InvalidInput(path, "not an object", "Read a document this code wrote")
    field = min(known ^ value.keys())
    problem = "missing" if field in known else "unknown"
    raise InvalidInput(_join(path, field), problem, "A change of fields needs a new schema_version")


def _build(kind: Any, values: dict[str, Any], path: str) -> Any:
    try:
        return kind(**values)
    except InvalidInput as error:
        raise error.within(path) from None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
