"""What providers take: names, types, what is needed, what may stand once, words of enumerations.

Taken from the providers' own schemas: Google's, for the families of resources that a fleet may need, and of
Amazon's the few that a witness off the cloud takes (decision 0086). What is in none is refused: add it.
"""

import gzip
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

FILES: Final = {
    name: Path(__file__).with_name(f"{name}-{version}.json.gz")
    for name, version in (("google", "6.50.0"), ("aws", "6.25.0"))
}


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
    """Everything a provider knows, by type."""

    version: str
    provider: Form
    resources: Mapping[str, Form]
    data: Mapping[str, Form]


@cache
def schema_of(provider: str) -> Schema:
    """Return the schema of a provider."""
    told = json.loads(gzip.decompress(FILES[provider].read_bytes()))
    return Schema(
        told["version"],
        _form(told["configuration"]),
        {name: _form(each) for name, each in told["resources"].items()},
        {name: _form(each) for name, each in told["data"].items()},
    )


@cache
def known() -> Schema:
    """Return what all providers know together: the name of a type says whose it is."""
    schemas = [schema_of(name) for name in FILES]
    arguments = {name: each for one in reversed(schemas) for name, each in one.provider.arguments.items()}
    blocks = {name: each for one in reversed(schemas) for name, each in one.provider.blocks.items()}
    return Schema(
        ", ".join(f"{name} {each.version}" for name, each in zip(FILES, schemas, strict=True)),
        Form(arguments, blocks),
        {name: form for one in schemas for name, form in one.resources.items()},
        {name: form for one in schemas for name, form in one.data.items()},
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
