"""Whether blocks are as the provider takes them: names, types, what is missing, what stands too often."""

from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Final

from infra.terraform.hcl import Attribute, Block
from infra.terraform.modules import Module
from infra.terraform.schema import Argument, Form, Schema
from infra.terraform.tokens import MARK

META: Final = frozenset({"count", "depends_on", "for_each", "provider"})
META_BLOCKS: Final = frozenset({"connection", "lifecycle", "provisioner"})
_BRACKETS: Final = frozenset({("[", "]"), ("{", "}")})
_SCALARS: Final = {"string": str, "number": float, "bool": bool}


def misshapen(module: Module, schema: Schema) -> Iterator[str]:
    """Yield what the provider would refuse of a module's resources, lookups and own settings."""
    for kind, known in (("resource", schema.resources), ("data", schema.data)):
        for place, block in module.placed(kind):
            type_ = block.labels[0]
            if type_ not in known:
                yield f"{place}: {type_} is no {kind} that the schema has{_like(type_, known)}"
            else:
                yield from (f"{place}: {type_}: {said}" for said in faults(block, known[type_], META))
    for place, block in module.placed("provider"):
        yield from (f"{place}: provider: {said}" for said in faults(block, schema.provider, {"alias"}))


def faults(block: Block, form: Form, extra: frozenset[str] | set[str] = frozenset()) -> Iterator[str]:
    """Yield what is wrong in one block, and in those inside it."""
    for attribute in block.attributes:
        if attribute.name not in extra:
            yield from _of_attribute(attribute, form)
    for name, argument in form.arguments.items():
        if argument.needed and block.attribute(name) is None:
            yield f"{name} is missing"
    yield from _of_blocks(block, form)


def _of_attribute(attribute: Attribute, form: Form) -> Iterator[str]:
    name, argument = attribute.name, form.arguments.get(attribute.name)
    if argument is None:
        near = _like(name, {**form.arguments, **form.blocks})
        yield f"{name} (line {attribute.line}) is no argument{near}"
    elif not argument.given:
        yield f"{name} (line {attribute.line}) is told by Google and cannot be set"
    else:
        yield from (f"{name} (line {attribute.line}) {said}" for said in _of_value(attribute, argument))


def _of_value(attribute: Attribute, argument: Argument) -> Iterator[str]:
    value = attribute.literal()
    kind = argument.type if isinstance(argument.type, str) else str(argument.type[0])
    if value is None:
        if kind in _SCALARS and _is_collection(attribute):
            yield f"must be a {kind}"
    elif kind not in _SCALARS or not (isinstance(value, _SCALARS[kind]) or _reads_as(value, kind)):
        yield f"must be a {kind}"
    elif argument.words and value not in argument.words:
        yield f"must be one of {', '.join(argument.words)}"


def _is_collection(attribute: Attribute) -> bool:
    words = attribute.words
    return bool(words) and words[0].kind == MARK and (words[0].text, words[-1].text) in _BRACKETS


def _reads_as(value: str | float | bool, kind: str) -> bool:
    """Whether Terraform turns the value into that type by itself."""
    if kind == "string":
        return True
    if kind == "number":
        return isinstance(value, str) and value.replace(".", "", 1).isdigit()
    return value in ("true", "false")


def _of_blocks(block: Block, form: Form) -> Iterator[str]:
    there = Counter(_name(each) for each in block.blocks)
    varying = {_name(each) for each in block.of("dynamic")}
    for name, nested in form.blocks.items():
        if there[name] < nested.least:
            yield f"block {name} is missing"
        if nested.most and there[name] > nested.most and name not in varying:
            yield f"block {name} may stand {nested.most} times"
    for each in block.blocks:
        name, inner = _name(each), form.blocks.get(_name(each))
        if inner is not None:
            yield from (f"{name}: {said}" for said in faults(_body(each), inner.form))
        elif name not in META_BLOCKS:
            near = _like(name, {**form.arguments, **form.blocks})
            yield f"block {name} (line {each.line}) is not known{near}"


def _name(block: Block) -> str:
    return block.labels[0] if block.kind == "dynamic" else block.kind


def _body(block: Block) -> Block:
    if block.kind != "dynamic":
        return block
    return next(block.of("content"), Block("content", (), (), (), block.line))


def _like(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f": did you mean {near[0]}?" if near else ""
