"""The README of every folder of Terraform, written from its files; and the gate that reads those files."""

from collections.abc import Iterable, Iterator
from os.path import relpath
from pathlib import Path
from typing import Final

from infra.manifest.load import ROOT
from infra.terraform import forms, layout, names
from infra.terraform.hcl import Block
from infra.terraform.modules import FOLDER, Module, Unreadable, modules
from infra.terraform.schema import known as known_schema
from infra.terraform.tokens import TEXT, Token

OWNED: Final = tuple(f"{FOLDER}/{each}/*/README.md" for each in ("modules", "environments", "examples"))
_TOLD: Final = frozenset({"var", "local"})
_MADE: Final = "Written by `python -m infra.codegen` from the folder's files."


def generate() -> dict[Path, str]:
    """Return every README, by repository path."""
    return {module.path / "README.md": _page(module, ROOT) for module in modules(ROOT).values()}


def problems(root: Path) -> list[str]:
    """Return what Terraform, or Google's provider, would refuse of the files below a root."""
    try:
        return list(_problems(root))
    except Unreadable as fault:
        return [str(fault)]


def _problems(root: Path) -> Iterator[str]:
    known, schema = modules(root), known_schema()
    for module in known.values():
        yield from forms.misshapen(module, schema)
        yield from names.lost(module, known, schema)
        yield from names.unused(module)
        yield from names.miscalled(module, known)
        yield from names.untold(module)
        yield from names.stray(module)
        for name in module.files:
            yield from layout.askew(module.path / name, (root / module.path / name).read_text())


def _page(module: Module, root: Path) -> str:
    parts = [
        f"# {module.path.name}",
        _about(root / module.path / "main.tf"),
        _MADE,
        _table("Calls", ("module", "source"), _calls(module)),
        _table("Makes", ("resource", "times"), _resources(module)),
        _table("Takes", ("variable", "what it is", "unless said"), _variables(module)),
        _table("Gives", ("output", "what it is"), _outputs(module)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(file: Path) -> str:
    lines = file.read_text(encoding="utf-8").splitlines()
    head = [line.removeprefix("#").strip() for line in lines[: next(_ends(lines))]]
    return "\n".join(head)


def _ends(lines: list[str]) -> Iterator[int]:
    yield from (number for number, line in enumerate(lines) if not line.startswith("#"))
    yield len(lines)


def _calls(module: Module) -> Iterator[tuple[str, ...]]:
    for name, call in module.calls.items():
        source = names.source_of(module, call)
        yield f"`{name}`", f"[{source.name}]({relpath(source, module.path)})"


def _resources(module: Module) -> Iterator[tuple[str, ...]]:
    for (type_, name), block in sorted(module.resources.items()):
        yield f"`{type_}.{name}`", _times(block)


def _times(block: Block) -> str:
    if each := block.attribute("for_each"):
        named = sorted({".".join(found.path) for found in each.references() if found.path[0] in _TOLD})
        return f"one each of {', '.join(f'`{name}`' for name in named)}" if named else "one each"
    return "none or some" if block.attribute("count") else "one"


def _variables(module: Module) -> Iterator[tuple[str, ...]]:
    for name, block in sorted(module.variables.items()):
        default = block.attribute("default")
        said = "must be said" if default is None else f"`{''.join(_spelt(default.words))}`"
        yield f"`{name}`", _described(block), said


def _spelt(words: Iterable[Token]) -> Iterator[str]:
    return (f'"{word.text}"' if word.kind == TEXT else word.text for word in words)


def _outputs(module: Module) -> Iterator[tuple[str, ...]]:
    return ((f"`{name}`", _described(block)) for name, block in sorted(module.outputs.items()))


def _described(block: Block) -> str:
    said = block.attribute("description")
    return str(said.words[0].text).replace('\\"', '"') if said else ""


def _table(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    if not lines:
        return ""
    head = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    return "\n".join([f"## {title}", "", *head, *lines])
