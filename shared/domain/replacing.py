"""Records made of their fields, and with some of them changed, at a fourth of what dataclasses take.

A frozen record writes each field through a call that looks for what is to be kept from writing: sixty times
for each key, some ten fields each. Here they are written to an open twin, which has the same slots and
nothing that keeps anybody from writing; it becomes the frozen record before anybody has it (decision 0240).
`__post_init__` checks as ever, and a name that is no field is refused.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final

__all__ = ["made", "replace"]

CHECK: Final = "__post_init__"
_OPEN: Final = {
    "__slots__": (),
    "__module__": "opened",
    "__setattr__": object.__setattr__,
    "__delattr__": object.__delattr__,
}
_WRITTEN: Final = """
def _of({names}):
    _made = _new(_twin)
    {given}
    {frozen}
    return _made

def _like(_record, _changes):
    _made = _new(_twin)
    {copied}
    for _name, _value in _changes.items():
        setattr(_made, _name, _value)
    {frozen}
    return _made
"""
"""No name in it may be that of a field: no field's begins with an underscore."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a kind of record is made: of all its fields, and like another but for some."""

    names: frozenset[str]
    of: Callable[..., Any]
    like: Callable[[Any, Mapping[str, Any]], Any]


@cache
def _shape(kind: Any) -> _Shape | None:
    """Return a kind's shape; of one that is made otherwise than from its slots alone, None."""
    names = [each.name for each in fields(kind)]
    slots = [getattr(kind, name, None) for name in names]
    whole = all(each.init and each.name[0] != "_" for each in fields(kind)) and len(names) > 0
    if not whole or not all(isinstance(slot, MemberDescriptorType) for slot in slots) or _given(kind):
        return None
    known = {"_new": object.__new__, "_twin": type(kind.__name__, (kind,), dict(_OPEN)), "_kind": kind}
    check = [f"_made.{CHECK}()"] if hasattr(kind, CHECK) else []
    text = _WRITTEN.format(
        names=", ".join(names),
        given="\n    ".join(f"_made.{name} = {name}" for name in names),
        copied="\n    ".join(f"_made.{name} = _record.{name}" for name in names),
        frozen="\n    ".join(["_made.__class__ = _kind", *check]),
    )
    exec(text, known)  # noqa: S102 - of the names of fields alone, as dataclasses write theirs
    return _Shape(frozenset(names), known["_of"], known["_like"])


def _given(kind: Any) -> bool:
    """Say whether `__post_init__` is given what is no field."""
    check = getattr(kind, CHECK, None)
    return check is not None and check.__code__.co_argcount > 1


def made(kind: Any) -> Callable[..., Any]:
    """Return what makes a record of a kind, given each of its fields by name."""
    shape = _shape(kind)
    return kind if shape is None else shape.of


def _replace(record: Any, /, **changes: Any) -> Any:
    """Return a record of the same kind, with these fields as given and all others as they are."""
    kind: Any = type(record)
    shape = _shape(kind)
    if shape is None or not changes.keys() <= shape.names:
        return dataclasses.replace(record, **changes)
    return shape.like(record, changes)


if TYPE_CHECKING:  # by its own name, what is given to it is checked like a field
    from dataclasses import replace
else:
    replace = _replace
