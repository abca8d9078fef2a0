"""Documents: what the ledger keeps, as plain JSON, by one codec that follows the dataclasses' annotations.

How a stored document evolves, so that two releases run side by side and an old document is always read:

| change | what to do | what an older release does |
|---|---|---|
| one field more | give it a default, which is read where it is missing | passes it over, and keeps it |
| another name, type or meaning | raise `schema_version`, add the step to `upcasts` | refuses it, and waits |

What another release wrote beside our fields are strays: those of a document, and of records that stand in it
by name, are written back as they were. Of records in lists and unions they are not, for those come and go.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final, TypeVar

from shared.domain.codecs import codec_of
from shared.domain.errors import InvalidInput
from shared.domain.stored import Documented, Json, Plain, upcast

STRAYS: Final = "strays"
"""The field, not stored itself, in which a dataclass keeps what another release wrote beside its own."""

_D = TypeVar("_D", bound=Documented)


def to_document(value: Documented) -> Mapping[str, Json]:
    """Write a value as plain JSON with its schema version, and with what another release wrote beside it."""
    document: dict[str, Json] = codec_of(type(value)).write(value)
    strays = getattr(value, STRAYS, None)
    return _merged(document, strays) if strays else Plain(document)


def from_document(kind: type[_D], document: Mapping[str, Json], *, strict: bool = False) -> _D:
    """Read a value; keys that begin with an underscore belong to the store and are passed over.

    What people write is read `strict`: a field they gave that nobody knows is a slip, and refused.
    """
    codec = codec_of(kind)
    own = upcast(kind, {key: value for key, value in document.items() if not key.startswith("_")})
    read: _D = codec.read(own)
    strays = codec.strays(own)
    if strict and strays:
        raise InvalidInput(min(strays), "unknown", "Correct its name, or leave it out")
    return replace(read, **{STRAYS: strays}) if strays and hasattr(read, STRAYS) else read  # type: ignore[type-var]


def strays_of(found: Mapping[str, Json], ours: Collection[str]) -> dict[str, Json]:
    """Return what another release wrote beside ours, for a kind that is written field by field."""
    return {name: found[name] for name in found.keys() - set(ours)}


def _merged(document: Mapping[str, Json], strays: Mapping[str, Json]) -> dict[str, Json]:
    """Return a document with what another release wrote into it; what we know ourselves we say ourselves."""
    merged = {**strays, **document}
    for name in strays.keys() & document.keys():
        if isinstance(strays[name], Mapping) and isinstance(document[name], Mapping):
            merged[name] = _merged(document[name], strays[name])
    return merged
