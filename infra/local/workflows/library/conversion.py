"""The expression helpers: conversion, inspection and choice."""

import re
from typing import Any, Final

from infra.local.workflows.errors import type_error, value_error
from infra.local.workflows.library.function import function, need
from infra.local.workflows.values import checked_double, checked_integer, kind_of, text_of

_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,40}\Z")
_DOUBLE: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")


def to_integer(value: Any) -> int:
    """Text read as an integer, or a double cut towards zero."""
    need(value, "the value of int()", int, float, str)
    if type(value) is not str:
        return checked_integer(int(value))
    if not _INTEGER.match(value):
        raise value_error(f'cannot convert "{value[:100]}" to integer')
    return checked_integer(int(value))


def to_double(value: Any) -> float:
    """Text or an integer as a double."""
    need(value, "the value of double()", int, float, str)
    if type(value) is str and not _DOUBLE.match(value):
        raise value_error(f'cannot convert "{value[:100]}" to double')
    return checked_double(float(value))


def length(value: Any) -> int:
    """Elements of a list, entries of a map, characters of a string."""
    return len(need(value, "the value of len()", list, dict, str))


def keys(value: Any) -> list[str]:
    """The keys of a map, in its order."""
    return list(need(value, "the value of keys()", dict))


def default(value: Any, fallback: Any) -> Any:
    """The value, or the fallback when it is null."""
    return fallback if value is None else value


def choose(condition: Any, if_true: Any, if_false: Any) -> Any:
    """One of two values, both already evaluated; null counts as false."""
    if condition is None:
        return if_false
    if type(condition) is not bool:
        raise type_error(f"the condition of if() must be boolean, not {kind_of(condition)}")
    return if_true if condition else if_false


FUNCTIONS: Final = (
    function("int", to_integer, "value"),
    function("double", to_double, "value"),
    function("string", text_of, "value"),
    function("len", length, "value"),
    function("keys", keys, "map"),
    function("get_type", kind_of, "value"),
    function("default", default, "val", "defaultVal"),
    function("if", choose, "condition", "ifTrue", "ifFalse"),
)
