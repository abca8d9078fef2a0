"""What Google's provider takes: names, types, what is needed, what may stand once, words of enumerations.

Taken from the provider's own schema, version 6.50.0, for the families of resources that a fleet may come to
need (decision 0086). A type that is not in it is refused: add it there.
"""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

FILE: Final = Path(__file__).with_name("google-6.50.0.json.gz")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a block: its type, whether it must, may or cannot be given, and what it may say."""

    type: Any
    flags: str
    words: tuple[str, ...] = ()

    @property
    def needed(self) -> bool:
        """Whether it must be given."""
        return "r" in self.flags

    @property
    def given(self) -> bool:
        """Whether it can be given at all; else it is only told."""
        return bool(set(self.flags) & set("ro"))


@dataclass(frozen=True, slots=True)
class Nested:
    """A block inside another: as what it is held, and how many of it there must and may be."""

    held: int
    """1 is one object, 2 a list, 3 a set: the numbers of the plugin protocol."""
    least: int
    most: int
    """No limit where it is 0."""
    form: "Form"


@dataclass(frozen=True, slots=True)
class Form:
    """What may stand in a block."""

    arguments: Mapping[str, Argument]
    blocks: Mapping[str, Nested]


@dataclass(frozen=True, slots=True)
class Schema:
    """Everything the provider knows, by type."""

    version: str
    provider: Form
    resources: Mapping[str, Form]
    data: Mapping[str, Form]


@cache
def google() -> Schema:
    """Return the schema of Google's provider."""
    told = json.loads(gzip.decompress(FILE.read_bytes()))
    return Schema(
        told["version"],
        _form(told["configuration"]),
        {name: _form(each) for name, each in told["resources"].items()},
        {name: _form(each) for name, each in told["data"].items()},
    )


def _form(told: Mapping[str, Any]) -> Form:
    return Form(
        {name: _argument(*each) for name, each in told.get("attributes", {}).items()},
        {name: _nested(*each) for name, each in told.get("blocks", {}).items()},
    )


def _argument(kind: Any, flags: str, words: list[str] | None = None) -> Argument:
    return Argument(kind, flags, tuple(words or ()))


def _nested(held: int, least: int, most: int, form: Mapping[str, Any]) -> Nested:
    return Nested(held, least, most, _form(form))
