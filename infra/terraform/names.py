"""Whether what modules refer to is there, what they take is used, and calls give what is asked for."""

from collections.abc import Iterator, Mapping
from os.path import normpath
from pathlib import Path
from typing import Final

from infra.terraform.hcl import Block, Reference
from infra.terraform.modules import Module
from infra.terraform.schema import Form, Schema

Modules = Mapping[Path, Module]

_CALLED_WITH: Final = frozenset({"count", "depends_on", "for_each", "providers", "source", "version"})
UNTYPED: Final = "any"
OF_PROVIDERS: Final = ("google_", "aws_")
"""How the names of resources begin."""


def lost(module: Module, known: Modules, schema: Schema) -> Iterator[str]:
    """Yield what a module refers to that is nowhere."""
    for place, found in module.references():
        match found.path:
            case ("var", name, *_) if name not in module.variables:
                yield f"{place}: var.{name} is not declared"
            case ("local", name, *_) if name not in module.locals:
                yield f"{place}: local.{name} is not declared"
            case ("module", name, *rest):
                yield from _of_module(place, module, name, rest, known)
            case (type_, *_) if type_.startswith(OF_PROVIDERS):
                yield from _of_thing(place, module.resources, found, schema.resources)
            case ("data", *path):
                yield from _of_thing(place, module.data, Reference(tuple(path), found.line), schema.data)


def _of_module(place: str, module: Module, name: str, rest: list[str], known: Modules) -> Iterator[str]:
    called = module.calls.get(name)
    if called is None:
        yield f"{place}: module.{name} is not called"
        return
    other = known.get(source_of(module, called))
    if other is not None and rest and rest[0] not in other.outputs:
        yield f"{place}: module.{name} gives no {rest[0]}"


def _of_thing(
    place: str, things: Mapping[tuple[str, str], Block], found: Reference, forms: Mapping[str, Form]
) -> Iterator[str]:
    if len(found.path) < 2:
        return
    type_, name, *rest = found.path
    if (type_, name) not in things:
        yield f"{place}: {type_}.{name} is not declared"
    elif rest and type_ in forms:
        form = forms[type_]
        if rest[0] not in form.arguments and rest[0] not in form.blocks:
            yield f"{place}: {type_} has no {rest[0]}"


def unused(module: Module) -> Iterator[str]:
    """Yield what a module declares and nothing in it needs."""
    used = {found.path[:2] for _, found in module.references()}
    for name in module.variables:
        if ("var", name) not in used:
            yield f"{module.path}: var.{name} is used by nothing: delete it"
    for name in module.locals:
        if ("local", name) not in used:
            yield f"{module.path}: local.{name} is used by nothing: delete it"


def miscalled(module: Module, known: Modules) -> Iterator[str]:
    """Yield what a call of another module gives too much or too little."""
    for place, call in module.placed("module"):
        other = known.get(source_of(module, call))
        if other is None:
            yield f"{place}: module {call.labels[0]}: no such folder as its source"
            continue
        given = {each.name for each in call.attributes} - _CALLED_WITH
        for name in sorted(given - other.variables.keys()):
            yield f"{place}: {other.path} takes no {name}"
        for name, variable in other.variables.items():
            if name not in given and variable.attribute("default") is None:
                yield f"{place}: {other.path} needs {name}"


def untold(module: Module) -> Iterator[str]:
    """Yield what a module takes or gives without saying what it is."""
    for kind in ("variable", "output"):
        for place, block in module.placed(kind):
            if not (said := block.attribute("description")) or not said.literal():
                yield f"{place}: {kind} {block.labels[0]} has no description"
    for place, block in module.placed("variable"):
        type_ = block.attribute("type")
        if type_ is None or [word.text for word in type_.words] == [UNTYPED]:
            yield f"{place}: variable {block.labels[0]} has no type"


def stray(module: Module) -> Iterator[str]:
    """Yield where each.… or count.… stands in a block that is made only once."""
    for place, block in module.placed("resource", "data", "module"):
        for name, by in (("each", "for_each"), ("count", "count")):
            if block.attribute(by) is None and any(
                found.path[0] == name and len(found.path) > 1 for found in block.references()
            ):
                yield f"{place}: {name} means nothing without {by}"


def source_of(module: Module, call: Block) -> Path:
    """Return the folder that a call's source names, below the repository."""
    source = call.attribute("source")
    return Path(normpath(module.path / str(source.literal() if source else "")))
