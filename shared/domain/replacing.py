"""Records made of their fields, and with some of them changed, at half of what dataclasses take.

A frozen record writes each field through a call that looks for what is to be kept from writing: sixty times
for each key, some ten fields each. Here they are written to an open twin, which has the same slots and
nothing that keeps anybody from writing; it becomes the frozen record before anybody has it (decision 0240).
`__post_init__` checks as ever, and a name that is no field is refused. Kinds of which each key makes some are
`born_open`: they are made so wherever they are made (decision 0316).
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, fields, make_dataclass
from functools import partial, wraps
from inspect import signature
from operator import attrgetter
from threading import RLock
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, Final, TypeVar

__all__ = ["born_open", "made", "replace"]

K = TypeVar("K", bound=type)
CHECK: Final = "__post_init__"
HOW: Final = ("default", "default_factory", "kw_only")
"""What of a field says how it is given."""
OPENED: Final = "opened"
_TWIN: Final = {"__slots__": (), "__module__": OPENED}
_OPEN: Final = {
    **_TWIN,
    "__new__": object.__new__,
    "__setattr__": object.__setattr__,
    "__delattr__": object.__delattr__,
}


class _Shape:
    """How a kind of record is made: of all its fields, or like another but for some."""

    def __init__(self, kind: Any, names: list[str]) -> None:
        init = {"__init__": _unguarded(kind, names)}  # for a twin that nothing guards either
        self.open: Any = type(kind.__name__, (kind,), _OPEN | init)
        self._kind, self.check = kind, getattr(kind, CHECK, None)
        self._values = attrgetter(*names)
        self.names = frozenset(names)

    def maker(self, names: Sequence[str]) -> Callable[..., Any]:
        """Return what makes a record of all its fields, given in the order of these names."""
        init = {"__init__": _unguarded(self._kind, names)}
        opened = type(self._kind.__name__, (self.open,), _TWIN | init)
        kind, check = self._kind, self.check

        def make(*values: Any) -> Any:
            record = opened(*values)
            record.__class__ = kind
            if check is not None:
                check(record)
            return record

        return make

    def like(self, record: Any, changes: Mapping[str, Any]) -> Any:
        """Return a record like another, but for some fields."""
        opened = self.open(*self._values(record))
        for name, value in changes.items():
            setattr(opened, name, value)
        return self._frozen(opened)

    def _frozen(self, opened: Any) -> Any:
        opened.__class__ = self._kind
        if self.check is not None:
            self.check(opened)
        return opened


_SHAPES: Final[dict[Any, _Shape | None]] = {}
_SHAPING: Final = RLock()
"""A twin is derived from its kind before that is made by it: of two threads, one does both."""


def _shape(kind: Any) -> _Shape | None:
    with _SHAPING:
        if kind not in _SHAPES:
            _SHAPES[kind] = _shaped(kind)
        return _SHAPES[kind]


def _shaped(kind: Any) -> _Shape | None:
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


def born_open(kind: K) -> K:
    """Have each record of a kind made on an open twin, by place or by name, from the second one on.

    Who makes one alone, or none, does not wait for the twin. Nothing can be derived from such a kind: it
    would be made as what it is derived from.
    """
    own: Any = kind
    guarded = own.__init__

    @wraps(guarded)
    def first(record: Any, *values: Any, **named: Any) -> None:
        guarded(record, *values, **named)
        with _SHAPING:
            if own.__init__ is first:
                own.__init__, twin = guarded, _twin_of(kind)
                own.__signature__, own.__new__ = signature(kind), staticmethod(partial(object.__new__, twin))

    own.__init__, own.__reduce__ = first, _taken_apart
    own.__init_subclass__ = classmethod(_only_twins)
    return kind


def _twin_of(kind: Any) -> Any:
    """Return a twin that is given what its kind is given, and becomes it once it is made."""
    shape = _shape(kind)
    assert shape is not None, f"{kind.__name__} is made of more than its slots"  # noqa: S101 - said of code
    check = shape.check

    def freeze(record: Any) -> None:
        record.__class__ = kind
        if check is not None:
            check(record)

    given = [(each.name, Any, field(**{how: getattr(each, how) for how in HOW})) for each in fields(kind)]
    made_by = {"__init__": _unguarded(kind, given, {CHECK: freeze}), CHECK: freeze}
    return type(kind.__name__, (shape.open,), _TWIN | made_by)


def _unguarded(kind: Any, given: Iterable[Any], more: dict[str, Any] | None = None) -> Any:
    """Return the `__init__` that dataclasses write for a record that nothing guards."""
    record: Any = make_dataclass(kind.__name__, given, namespace=more, repr=False, eq=False, match_args=False)
    return record.__init__


def _only_twins(kind: type) -> None:
    if kind.__module__ != OPENED:
        raise TypeError(f"{kind.__name__} would be made as what it is derived from, which is born open")


def _taken_apart(record: Any) -> tuple[Any, ...]:
    """Return what makes a copy: one that is not given its fields would stay open."""
    names = [each.name for each in fields(record)]
    return _put_together, (type(record), names, [getattr(record, name) for name in names])


def _put_together(kind: Any, names: Sequence[str], values: Sequence[Any]) -> Any:
    return made(kind, names)(*values)


def _replace(record: Any, /, **changes: Any) -> Any:
    """Return a record of the same kind, with these fields as given and all others as they are."""
    kind: Any = type(record)
    shape = _SHAPES.get(kind) or _shape(kind)
    if shape is None or not changes.keys() <= shape.names:
        return dataclasses.replace(record, **changes)
    return shape.like(record, changes)


if TYPE_CHECKING:  # by its own name, what is given to it is checked like a field
    from dataclasses import replace
else:
    replace = _replace
