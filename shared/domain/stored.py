"""How a dataclass is stored: its fields under which names, and documents of older versions step by step."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Protocol, get_args, get_origin

from shared.domain.errors import UnknownSchemaVersion
from shared.domain.upcasts import UPCASTS

Json = Any
"""None, bool, int, str, list or dict of those."""
VERSION: Final = "schema_version"


class Plain(dict[str, Json]):
    """A document as a codec wrote it, which looked at each value: there is nothing else in it than JSON.

    Nobody changes it. What is made of it is a dict like others.
    """

    __slots__ = ()


class Documented(Protocol):
    """A dataclass that is stored whole, under a version of its own.

    One may have `INDEXED`, the names under which `indexed()` writes what only indexes read.
    """

    schema_version: ClassVar[int]


@dataclass(frozen=True, slots=True)
class Stored:
    """How a field is stored, where not as itself under its own name: part of its annotation."""

    name: str | None = None
    missing: Any = ...
    """What a document says that was written before the field was."""
    omitted: bool = False
    """Whether the field is left out where it has its default."""
    flat: bool = False
    """Whether a record's fields stand among those of whatever holds it."""
    rows: bool = False
    """Whether each record of a list is kept as the bare list of its values."""
    kept: bool = True


UNSTORED: Final = Stored(kept=False)
"""Annotates a field that only this process knows."""
_PLAINLY: Final = Stored()


def how_stored(annotation: Any) -> tuple[Any, Stored]:
    """Return what a field holds, and how that is stored, by its annotation."""
    if get_origin(annotation) is not Annotated:
        return annotation, _PLAINLY
    held, *said = get_args(annotation)
    others = tuple(each for each in said if not isinstance(each, Stored))
    how = next((each for each in said if isinstance(each, Stored)), _PLAINLY)
    return (Annotated[(held, *others)] if others else held), how


def upcast(kind: type[Documented], document: dict[str, Json]) -> dict[str, Json]:
    """Return a document in its kind's present version, step by step from the one in which it was written."""
    version = document.get(VERSION)
    if type(version) is not int:
        raise _unknown(kind)
    for older in range(version, kind.schema_version):
        step = UPCASTS.get((kind.__name__, older))
        if step is None:
            raise _unknown(kind)
        document = {**step(document), VERSION: older + 1}
    if document[VERSION] != kind.schema_version:
        raise _unknown(kind)
    return document


def _unknown(kind: type[Documented]) -> UnknownSchemaVersion:
    remedy = f"This code reads version {kind.schema_version} of {kind.__name__}: deploy newer or older code"
    return UnknownSchemaVersion(VERSION, "unknown or missing", remedy)
