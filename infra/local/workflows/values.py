"""The values of the language, which are never changed in place: their kinds, equality, text form and size."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType, NoneType
from typing import Any, Final

from infra.local.workflows import limits
from infra.local.workflows.errors import limit_error, type_error, value_error


class _Unset:
    __slots__ = ()

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function named without being called, as retry predicates are."""

    name: str


KINDS: Final[Mapping[type, str]] = MappingProxyType(
    {
        bool: "boolean",
        bytes: "bytes",
        dict: "map",
        float: "double",
        FunctionValue: "function",
        int: "integer",
        list: "list",
        NoneType: "null",
        str: "string",
    }
)
NUMBERS: Final = frozenset({int, float})
SCALARS: Final = frozenset({int, float, bool, NoneType})
_CONTAINERS: Final = frozenset({dict, list})
_LEAVES: Final = SCALARS | {str}
_WORD: Final = 8


def kind_of(value: Any) -> str:
    """The name `get_type` gives a value."""
    return KINDS[type(value)]


def same(left: Any, right: Any) -> bool:
    """Equality: numbers compare across kinds, everything else only within its kind."""
    kind = type(left)
    if kind is not type(right):
        return kind in NUMBERS and type(right) in NUMBERS and bool(left == right)
    if kind is list:
        return len(left) == len(right) and all(map(same, left, right))
    if kind is dict:
        return left.keys() == right.keys() and all(same(value, right[key]) for key, value in left.items())
    return bool(left == right)


def number_text(number: float) -> str:
    """A number in its shortest exact form."""
    return repr(number)


def text_of(value: Any) -> str:
    """The text of a scalar, as `string()` and concatenation give it."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind in NUMBERS:
        return number_text(value)
    raise type_error(f"cannot convert {kind_of(value)} to string")


def checked_integer(number: int) -> int:
    """The number, if it fits 64 bits."""
    if limits.SMALLEST_INTEGER <= number <= limits.LARGEST_INTEGER:
        return number
    raise value_error("integer overflow: the result does not fit 64 bits")


def checked_double(number: float) -> float:
    """The number, if it is finite."""
    if math.isfinite(number):
        return number
    raise value_error("double overflow: the result is not a finite number")


def checked_text(text: str) -> str:
    """The text, if it is within the limit for one string."""
    if len(text) * 4 > limits.STRING_BYTES:
        check_text_bytes(text_bytes(text))
    return text


def check_text_bytes(size: int) -> None:
    """Refuse a string of this many bytes, before or after it is made."""
    if size > limits.STRING_BYTES:
        raise limit_error(f"string exceeds {limits.STRING_BYTES} bytes")


def text_bytes(text: str) -> int:
    """The length of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def size_of(value: Any) -> int:
    """The memory a value counts for: 8 bytes a scalar, 8 plus content for everything else."""
    total = 0
    for depth, level in enumerate(_levels(value)):
        if depth >= limits.VALUE_DEPTH:
            raise limit_error(f"value nested deeper than {limits.VALUE_DEPTH} levels")
        larger = [each for each in level if type(each) not in SCALARS]
        total += _WORD * (len(level) - len(larger)) + sum(map(_own_size, larger))
    return total


def is_deep(value: Any) -> bool:
    """Whether a value is nested deeper than any may be."""
    return any(depth >= limits.VALUE_DEPTH for depth, _ in enumerate(_levels(value)))


def _levels(value: Any) -> Iterator[list[Any]]:
    level = [value]
    while level:
        yield level
        level = [child for each in level if type(each) in _CONTAINERS for child in _children(each)]


def _own_size(value: Any) -> int:
    kind = type(value)
    if kind is str:
        return _WORD + text_bytes(checked_text(value))
    if kind is bytes:
        return _WORD + len(value)
    if kind is dict:
        return _WORD + sum(_WORD + text_bytes(key) for key in value)
    return _WORD


def _children(value: Any) -> Iterator[Any]:
    return iter(value) if type(value) is list else iter(value.values())


def is_json(value: Any) -> bool:
    """Whether a value can leave the workflow as JSON."""
    if type(value) not in _CONTAINERS:
        return type(value) in _LEAVES
    inner = list(_children(value))
    return _LEAVES.issuperset(map(type, inner)) or all(map(is_json, inner))
