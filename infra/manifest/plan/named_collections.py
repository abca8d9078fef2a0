"""Which collections the code names: by `Ref(…)` and `Index(…)`, literally or through a module's constant."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LOOKED_AT: Final = ("shared", "functions")
Words = Mapping[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Named:
    """One place that names a collection."""

    place: str
    collection: str


def named_collections(root: Path) -> tuple[Named, ...]:
    """Return every place below a root that names a collection; what is only handed on names none."""
    modules = {
        ".".join(path.relative_to(root).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for folder in LOOKED_AT
        for path in sorted((root / folder).rglob("*.py"))
    }
    words = {(name, word): text for name, module in modules.items() for word, text in _constants(module)}
    return tuple(found for name, module in modules.items() for found in _named_in(name, module, words))


def _constants(module: ast.Module) -> Iterator[tuple[str, str]]:
    for node in module.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Constant(value=str(text))):
                yield name, text
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                yield name, text
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                yield from _pairs(names, values)


def _pairs(names: list[ast.expr], values: list[ast.expr]) -> Iterator[tuple[str, str]]:
    for name, value in zip(names, values, strict=False):
        if isinstance(name, ast.Name) and isinstance(value, ast.Constant) and isinstance(value.value, str):
            yield name.id, value.value


def _named_in(name: str, module: ast.Module, words: Words) -> Iterator[Named]:
    known = {word: text for (of, word), text in words.items() if of == name} | _imported(module, words)
    for node in ast.walk(module):
        match node:
            case ast.Call(func=ast.Name(id="Ref" | "Index"), args=[first, *_]):
                if (text := _text(first, known)) is not None:
                    yield Named(f"{name}:{node.lineno}", text)


def _imported(module: ast.Module, words: Words) -> dict[str, str]:
    found = {}
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (node.module, alias.name) in words:
                    found[alias.asname or alias.name] = words[node.module, alias.name]
    return found


def _text(node: ast.expr, known: Mapping[str, str]) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            return known.get(name)
        case _:
            return None
