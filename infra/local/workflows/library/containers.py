"""list.*, map.* and math.*: copies with something added, removed or compared."""

import math
from typing import Any, Final

from infra.local.workflows import limits
from infra.local.workflows.errors import value_error
from infra.local.workflows.library.function import function, need
from infra.local.workflows.values import checked_integer


def concat(objs: Any, val: Any) -> list[Any]:
    """A copy of the list with an element at its end."""
    return [*need(objs, "objs", list), val]


def prepend(objs: Any, val: Any) -> list[Any]:
    """A copy of the list with an element at its front."""
    return [val, *need(objs, "objs", list)]


def get(source: Any, path: Any) -> Any:
    """The value under a key or a list of nested keys; null when anything is missing."""
    keys = need(path, "keys", str, list)
    for key in [keys] if type(keys) is str else keys:
        need(key, "a key", str)
        source = source.get(key) if type(source) is dict else None
    return source


def delete(source: Any, key: Any) -> dict[str, Any]:
    """A copy of the map without a key."""
    need(key, "key", str)
    return {each: value for each, value in need(source, "map", dict).items() if each != key}


def merge(first: Any, second: Any) -> dict[str, Any]:
    """A copy of the first map with the second's entries put over it."""
    return {**need(first, "first", dict), **need(second, "second", dict)}


def merge_nested(first: Any, second: Any) -> dict[str, Any]:
    """Like merge, but maps under the same key are merged in turn."""
    merged = merge(first, second)
    for key in first.keys() & second.keys():
        if type(first[key]) is dict and type(second[key]) is dict:
            merged[key] = merge_nested(first[key], second[key])
    return merged


def _number(value: Any, what: str) -> float:
    number: float = need(value, what, int, float)
    return number


def absolute(x: Any) -> float:
    """The absolute value."""
    if _number(x, "x") == limits.SMALLEST_INTEGER and type(x) is int:
        raise value_error("the absolute value does not fit 64 bits")
    return abs(_number(x, "x"))


def floor(x: Any) -> int:
    """The largest integer not above the number."""
    return checked_integer(math.floor(_number(x, "x")))


def larger(x: Any, y: Any) -> float:
    """The larger of two numbers."""
    return max(_number(x, "x"), _number(y, "y"))


def smaller(x: Any, y: Any) -> float:
    """The smaller of two numbers."""
    return min(_number(x, "x"), _number(y, "y"))


FUNCTIONS: Final = (
    function("list.concat", concat, "objs", "val"),
    function("list.prepend", prepend, "objs", "val"),
    function("map.delete", delete, "map", "key"),
    function("map.get", get, "map", "keys"),
    function("map.merge", merge, "first", "second"),
    function("map.merge_nested", merge_nested, "first", "second"),
    function("math.abs", absolute, "x"),
    function("math.floor", floor, "x"),
    function("math.max", larger, "x", "y"),
    function("math.min", smaller, "x", "y"),
)
