"""How an annotation is written as JSON and read back: by it, so that no field can be forgotten on one way."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Any, Final, Union, get_args, get_origin

from shared.domain.errors import InvalidInput
from shared.domain.lifecycle import name_of
from shared.domain.plain_codecs import OWN, PLAIN, Codec, no_strays, plainly, text_codec
from shared.domain.replacing import made
from shared.domain.stored import UNSTORED, VERSION, Json, Stored, how_stored, upcast


def _codec_for(annotation: Any) -> Codec:
    if annotation in PLAIN:
        return PLAIN[annotation]
    origin = get_origin(annotation)
    if origin in _CONTAINERS:
        return _CONTAINERS[origin](get_args(annotation))
    if is_dataclass(annotation):
        return _documented(annotation) if hasattr(annotation, VERSION) else _record_codec(annotation)
    if isinstance(annotation, type) and issubclass(annotation, str):
        return text_codec(annotation)
    raise TypeError(
        f"{annotation} cannot be kept in a document: seal a Secret first, give other types a codec"
    )


codec_of: Callable[[Any], Codec] = cache(_codec_for)


def _list_codec(arguments: tuple[Any, ...]) -> Codec:
    item = codec_of(arguments[0])

    def read(value: Json) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise InvalidInput("", "not a list", "Read a document this code wrote")
        values: list[Any] = []
        try:
            for each in value:
                values.append(each if type(each) in item.whole else item.read(each))  # noqa: PERF401 - counted
        except InvalidInput as error:
            raise error.within(f"[{len(values)}]") from None
        return tuple(values)

    def write(values: Any) -> Json:
        return [each if type(each) in item.whole else item.write(each) for each in values]

    return Codec(write, read)


def _set_codec(arguments: tuple[Any, ...]) -> Codec:
    """A set is kept as a list in order, so that the same set is the same bytes."""
    listed = _list_codec(arguments)
    return Codec(lambda values: sorted(listed.write(values)), lambda value: frozenset(listed.read(value)))


def _union_codec(members: tuple[Any, ...]) -> Codec:
    """Records are told apart by a `type` tag, everything else by what reads."""
    others = [member for member in members if member is not NoneType]
    if len(others) < len(members):
        inner = _union_codec(tuple(others)) if len(others) > 1 else codec_of(others[0])
        return _optional(inner)
    if all(is_dataclass(member) for member in members):
        return _tagged({name_of(member): member for member in members})
    return _first_that_reads(members)


def _optional(inner: Codec) -> Codec:
    return Codec(
        lambda value: None if value is None else inner.write(value),
        lambda value: None if value is None else inner.read(value),
        no_strays if inner.strays is no_strays else lambda value: inner.strays(value) if value else {},
        whole=(*inner.whole, NoneType),
    )


def _first_that_reads(members: tuple[Any, ...]) -> Codec:
    def write(value: Any) -> Json:
        return codec_of(type(value)).write(value)

    def read(value: Json) -> Any:
        refusals = []
        for member in members:
            try:
                return codec_of(member).read(value)
            except InvalidInput as refusal:
                refusals.append(refusal)
        raise refusals[0]

    return Codec(write, read)


def _tagged(records: Mapping[str, Any]) -> Codec:
    tags = {record: tag for tag, record in records.items()}

    def write(value: Any) -> Json:
        kind = type(value)
        return {"type": tags[kind], **codec_of(kind).write(value)}

    def read(value: Json) -> Any:
        tag = value.get("type", "") if isinstance(value, dict) else ""
        if not isinstance(tag, str) or tag not in records:
            raise InvalidInput("type", "not a known type", f"Give one of {', '.join(records)}")
        return codec_of(records[tag]).read({key: value[key] for key in value if key != "type"})

    return Codec(write, read)


_CONTAINERS: Final[Mapping[Any, Callable[[tuple[Any, ...]], Codec]]] = {
    tuple: _list_codec,
    frozenset: _set_codec,
    UnionType: _union_codec,
    Union: _union_codec,
}


def _documented(kind: Any) -> Codec:
    """A kind with a version of its own, at the root of a document or within another."""
    record, indexed = _record_codec(kind), frozenset(getattr(kind, "INDEXED", ()))

    def write(value: Any) -> Json:
        document: dict[str, Json] = record.write(value)
        document[VERSION] = kind.schema_version
        if indexed:
            for name, each in value.indexed().items():
                document[name] = each if type(each) in OWN else plainly(each)
        return document

    def read(value: Json) -> Any:
        if not isinstance(value, dict):
            raise InvalidInput("", "not an object", "Read a document this code wrote")
        return record.read(upcast(kind, value))

    def strays(value: Json) -> dict[str, Json]:
        beside = (VERSION, *indexed)
        return {name: stray for name, stray in record.strays(value).items() if name not in beside}

    return Codec(write, read, strays, record.names)


@dataclass(frozen=True, slots=True)
class _Part:
    """One field of a record: its name there and in documents, and how it is written and read."""

    attribute: str
    name: str
    codec: Codec
    how: Stored
    default: Any

    @classmethod
    def of(cls, declared: "Field[Any]") -> "_Part":
        held, how = how_stored(declared.type)
        make = _rows_codec if how.rows else codec_of
        return cls(declared.name, how.name or declared.name, make(held), how, _default(declared, how))

    @property
    def always(self) -> bool:
        """Say whether the field is one value of a document, and in every one."""
        return not (self.how.flat or self.how.omitted)

    @property
    def names(self) -> frozenset[str]:
        return self.codec.names if self.how.flat else frozenset((self.name,))

    def read_flat(self, document: Mapping[str, Json]) -> Any:
        """Return a record whose fields stand among those of what holds it."""
        own = {name: document[name] for name in self.names if name in document}
        try:
            return self.codec.read(own)
        except InvalidInput as error:
            raise error.within(self.name) from None

    def missing(self) -> Any:
        """Return what a document says without the field, or refuse it."""
        if self.default is MISSING:
            raise InvalidInput("", "missing", "A field without a default needs a new schema_version")
        return self.default


def _rows_codec(annotation: Any) -> Codec:
    (record, *_) = get_args(annotation)
    kept = (each for each in fields(record) if how_stored(each.type)[1].kept)
    columns = [(each.name, codec_of(each.type)) for each in kept]

    def write(values: Any) -> Json:
        return [[codec.write(getattr(value, name)) for name, codec in columns] for value in values]

    def read(value: Json) -> Any:
        if not all(isinstance(row, list) and len(row) == len(columns) for row in value):
            raise InvalidInput("", "not rows of as many values", "Read a document this code wrote")
        return tuple(
            record(*(codec.read(each) for each, (_, codec) in zip(row, columns, strict=True)))
            for row in value
        )

    return Codec(write, read)


def _default(declared: "Field[Any]", how: Stored) -> Any:
    if how.missing is not ...:
        return how.missing
    factory: Any = declared.default_factory
    return declared.default if factory is MISSING else factory()  # of frozen values: one serves all


def _record_codec(kind: Any) -> Codec:
    kept = (each for each in fields(kind) if each.init and how_stored(each.type)[1].kept)
    parts = [_Part.of(each) for each in kept]
    names = frozenset[str]().union(*(part.names for part in parts))
    return Codec(_writer(parts), _reader(kind, parts), _finder(parts, names), names)


def _writer(parts: Sequence[_Part]) -> Callable[[Any], dict[str, Json]]:
    # Documents are written more often than anything else is done: all that is always there is taken at once.
    always, others = [each for each in parts if each.always], [each for each in parts if not each.always]
    values = _values_of(always)
    ways = [(each.name, each.codec.whole, each.codec.write) for each in always]
    flat = [(each.attribute, each.codec.write) for each in others if each.how.flat]
    omitted = [
        (each.attribute, each.default, each.name, each.codec.write) for each in others if not each.how.flat
    ]

    def write(value: Any) -> dict[str, Json]:
        document: dict[str, Json] = {}
        name = ""
        try:
            for (name, whole, inwards), each in zip(ways, values(value)):  # noqa: B905 - counted
                document[name] = each if type(each) in whole else inwards(each)
        except InvalidInput as error:
            raise error.within(name) from None
        for attribute, default, name, inwards in omitted:
            each = getattr(value, attribute)
            if each is not default and each != default:
                document[name] = inwards(each)
        for attribute, inwards in flat:
            document.update(inwards(getattr(value, attribute)))
        return document

    return write


def _values_of(parts: Sequence[_Part]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads these fields of a record at once."""
    attributes = [each.attribute for each in parts]
    if len(attributes) > 1:
        return attrgetter(*attributes)
    return lambda value: tuple([getattr(value, attribute) for attribute in attributes])


def _reader(kind: Any, parts: Sequence[_Part]) -> Callable[[Json], Any]:
    single = [(each.name, each.codec.whole, each.codec.read, each) for each in parts if not each.how.flat]
    flat, unkept = [each for each in parts if each.how.flat], _unkept(kind)
    in_order = [each.attribute for each in parts if not each.how.flat]
    make = made(kind, [*in_order, *(each.attribute for each in flat), *unkept])
    never_kept = unkept.values()

    def read(value: Json) -> Any:
        if not isinstance(value, dict):
            raise InvalidInput("", "not an object", "Read a document this code wrote")
        values: list[Any] = []
        name = ""
        try:
            for name, whole, inwards, part in single:
                each = value.get(name, MISSING)
                if type(each) in whole:
                    values.append(each)
                else:
                    values.append(part.missing() if each is MISSING else inwards(each))
        except InvalidInput as error:
            raise error.within(name) from None
        for part in flat:
            values.append(part.read_flat(value))  # noqa: PERF401 - nearly none has any
        return make(*values, *never_kept)

    return read


def _finder(parts: Sequence[_Part], names: frozenset[str]) -> Callable[[Json], dict[str, Json]]:
    """Return what finds the fields of a document that nobody knows, and looks only where there may be any."""
    deep = [(each.name, each.codec.strays) for each in parts if each.codec.strays is not no_strays]

    def strays(value: Json) -> dict[str, Json]:
        found = {} if value.keys() <= names else {name: value[name] for name in value.keys() - names}
        for name, inner in deep:
            if name in value and (beside := inner(value[name])):
                found[name] = beside
        return found

    return strays


def _unkept(kind: Any) -> dict[str, Any]:
    """Return the fields that no document has, as they are of what was just read."""
    declared = (each for each in fields(kind) if each.init and not how_stored(each.type)[1].kept)
    return {each.name: _default(each, UNSTORED) for each in declared}
