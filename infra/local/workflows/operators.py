"""The operators of expressions, each strict about the kinds it takes."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from infra.local.workflows.errors import RaisedError, index_error, key_error, raised, type_error
from infra.local.workflows.limits import LARGEST_INTEGER, SMALLEST_INTEGER
from infra.local.workflows.values import (
    NUMBERS,
    checked_double,
    checked_integer,
    checked_text,
    kind_of,
    same,
    text_of,
)

BinaryOperator = Callable[[Any, Any], Any]


def _mismatch(symbol: str, left: Any, right: Any) -> RaisedError:
    return type_error(f"unsupported operand types for {symbol}: {kind_of(left)} and {kind_of(right)}")


def _number(number: float) -> float:
    return checked_integer(number) if type(number) is int else checked_double(number)


def _arithmetic(symbol: str, compute: BinaryOperator) -> BinaryOperator:
    def apply(left: Any, right: Any) -> Any:
        if type(left) not in NUMBERS or type(right) not in NUMBERS:
            raise _mismatch(symbol, left, right)
        try:
            return _number(compute(left, right))
        except ZeroDivisionError:
            raise raised("ZeroDivisionError", "division by zero") from None

    return apply


_add_numbers = _arithmetic("+", lambda left, right: left + right)


def add(left: Any, right: Any) -> Any:
    """Sum of numbers, or concatenation as soon as one side is a string."""
    if type(left) is int and type(right) is int:
        total = left + right
        if SMALLEST_INTEGER <= total <= LARGEST_INTEGER:
            return total
    if type(left) is str or type(right) is str:
        return _join(left, right)
    return _add_numbers(left, right)


def _join(left: Any, right: Any) -> str:
    try:
        return checked_text(text_of(left) + text_of(right))
    except RaisedError as error:
        if error.fatal:
            raise
        raise _mismatch("+", left, right) from None


def _comparison(symbol: str, compare: BinaryOperator) -> BinaryOperator:
    def apply(left: Any, right: Any) -> bool:
        kind, other = type(left), type(right)
        if (kind in NUMBERS and other in NUMBERS) or (kind is str and other is str):
            return bool(compare(left, right))
        raise _mismatch(symbol, left, right)

    return apply


def contains(item: Any, container: Any) -> bool:
    """Membership: an element of a list or a key of a map."""
    if type(container) is list:
        return any(same(item, each) for each in container)
    if type(container) is dict:
        return type(item) is str and item in container
    raise _mismatch("in", item, container)


def negate(value: Any) -> Any:
    """The number with its sign turned."""
    if type(value) not in NUMBERS:
        raise type_error(f"unsupported operand type for unary -: {kind_of(value)}")
    return _number(-value)


def invert(value: Any) -> bool:
    """Boolean NOT."""
    return not truth(value, "not")


def truth(value: Any, operator: str) -> bool:
    """The value, which must be a boolean."""
    if value is True or value is False:
        return bool(value)
    raise type_error(f"operand of {operator} must be boolean, not {kind_of(value)}")


BINARY: Final[Mapping[str, BinaryOperator]] = MappingProxyType(
    {
        "+": add,
        "-": _arithmetic("-", lambda left, right: left - right),
        "*": _arithmetic("*", lambda left, right: left * right),
        "/": _arithmetic("/", lambda left, right: left / right),
        "//": _arithmetic("//", lambda left, right: left // right),
        "%": _arithmetic("%", lambda left, right: left % right),
        "<": _comparison("<", lambda left, right: left < right),
        "<=": _comparison("<=", lambda left, right: left <= right),
        ">": _comparison(">", lambda left, right: left > right),
        ">=": _comparison(">=", lambda left, right: left >= right),
        "==": same,
        "!=": lambda left, right: not same(left, right),
        "in": contains,
    }
)


def member(container: Any, key: str) -> Any:
    """The value under a key, as `container.key` reads it."""
    return item(container, key)


def item(container: Any, key: Any) -> Any:
    """The value under a map's key or at a list's position."""
    if type(container) is dict:
        return _entry(container, key)
    if type(container) is list:
        return container[position(container, key)]
    raise type_error(f"cannot look up {_shown(key)} in a value of type {kind_of(container)}")


def _entry(container: dict[str, Any], key: Any) -> Any:
    check_key(key)
    try:
        return container[key]
    except KeyError:
        raise key_error(key) from None


def check_key(key: Any) -> None:
    """Refuse a map key that is not a string."""
    if type(key) is not str:
        raise type_error(f"map key must be a string, not {kind_of(key)}")


def position(container: list[Any], index: Any) -> int:
    """The index, if it lies within the list."""
    if type(index) is not int:
        raise type_error(f"list index must be an integer, not {kind_of(index)}")
    if not 0 <= index < len(container):
        raise index_error(f"list index {index} out of range: the list has {len(container)} elements")
    return int(index)


def _shown(key: Any) -> str:
    return f'key "{key}"' if type(key) is str else f"a {kind_of(key)}"
