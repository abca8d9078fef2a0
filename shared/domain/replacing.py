"""Records made of their fields, and with some of them changed, at half of what dataclasses take.

A frozen record writes each field through a call that looks for what is to be kept from writing: sixty times
for each key, some ten fields each. Here they are written to an open twin, which has the same slots and
nothing that keeps anybody from writing; it becomes the frozen record before anybody has it (decision 0240).
`__post_init__` checks as ever, and a name that is no field is refused.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, make_dataclass
from functools import cache
from operator import attrgetter
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


class _Shape:
    """How a kind of record is made: of all its fields, or like another but for some."""

    def __init__(self, kind: Any, names: list[str]) -> None:
        # What dataclasses write for a record that nothing guards, for a twin that nothing guards either.
        unguarded: Any = make_dataclass(kind.__name__, names)
        init = {"__init__": unguarded.__init__}
        self._open: Any = type(kind.__name__, (kind,), _OPEN | init)
        self._kind, self._check = kind, getattr(kind, CHECK, None)
        self._values = attrgetter(*names)
        self.names = frozenset(names)

    def maker(self, names: Sequence[str]) -> Callable[..., Any]:
        """Return what makes a record of all its fields, given in the order of these names."""
        unguarded: Any = make_dataclass(self._kind.__name__, names)
        opened = type(self._kind.__name__, (self._open,), {"__slots__": (), "__init__": unguarded.__init__})
        kind, check = self._kind, self._check

        def make(*values: Any) -> Any:
            record = opened(*values)
            record.__class__ = kind
            if check is not None:
                check(record)
            return record

        return make

    def like(self, record: Any, changes: Mapping[str, Any]) -> Any:
        """Return a record like another, but for some fields."""
        opened = self._open(*self._values(record))
        for name, value in changes.items():
            setattr(opened, name, value)
        return self._frozen(opened)

    def _frozen(self, opened: Any) -> Any:
        opened.__class__ = self._kind
        if self._check is not None:
            self._check(opened)
        return opened


@cache
def _shape(kind: Any) -> _Shape | None:
    """Return a kind's shape; of one that is made otherwise than from its slots alone, None."""
    names = [each.name for each in fields(kind)]
    slots = [getattr(kind, name, None) for name in names]
    whole = all(each.init for each in fields(kind)) and len(names) > 1
    if not whole or not all(isinstance(slot, MemberDescriptorType) for slot in slots) or _given(kind):
        return None
    return _Shape(kind, names)


def _given(kind: Any) -> bool:
    """Say whether `__post_init__` is given what is no field."""
    check = getattr(kind, CHECK, None)
    return check is not None and check.__code__.co_argcount > 1


def made(kind: Any, names: Sequence[str]) -> Callable[..., Any]:
    """Return what makes a record of a kind, given its fields in the order of these names."""
    shape = _shape(kind)
    if shape is None:
        return lambda *values: kind(**dict(zip(names, values, strict=True)))
    return shape.maker(names)


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
