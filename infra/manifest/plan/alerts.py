"""What wakes somebody: read from the code that raises it, with the page that says what to do."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

RAISING: Final = ("shared", "functions", "infra/local")
RUNBOOKS: Final = "infra/runbooks"
CODE: Final = "    code = "


@dataclass(frozen=True, slots=True)
class Raised:
    """One place that raises an alert; a word that cannot be read there is None."""

    place: str
    message: str | None
    runbook: str | None


def raised(root: Path) -> tuple[Raised, ...]:
    """Return every place below a root that raises an alert."""
    texts = {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for folder in RAISING
        for path in sorted((root / folder).rglob("*.py"))
    }
    modules = {place: ast.parse(text) for place, text in texts.items() if ".alert(" in text or CODE in text}
    codes = {name: code for module in modules.values() for name, code in _codes(module)}
    return tuple(found for place, module in modules.items() for found in _raised_in(place, module, codes))


def alerts(found: tuple[Raised, ...]) -> dict[str, dict[str, Any]]:
    """Return the alerts by what they say; several places may raise one."""
    named = {each.message: each for each in found if each.message and each.runbook}
    return {
        str(message): {"severity": "ALERT", "runbook": f"{RUNBOOKS}/{each.runbook}.md"}
        for message, each in sorted(named.items())
    }


def faults(found: tuple[Raised, ...], root: Path) -> Iterator[str]:
    """Yield what keeps an alert from waking somebody who then knows what to do."""
    for each in found:
        if each.message is None:
            yield f"{each.place}: an alert that cannot be read here: write what it says as a literal"
        if each.runbook is None:
            yield f"{each.place}: an alert without a page: name its runbook as a literal"
        elif not (root / RUNBOOKS / f"{each.runbook}.md").exists():
            yield f"{each.place}: no such page: write {RUNBOOKS}/{each.runbook}.md"


def _codes(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each error's name with its code: what some alerts say."""
    for node in (each for each in module.body if isinstance(each, ast.ClassDef)):
        for line in node.body:
            match line:
                case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))):
                    yield node.name, code


def _raised_in(place: str, module: ast.Module, codes: Mapping[str, str]) -> Iterator[Raised]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "alert":
            page = next((each.value for each in node.keywords if each.arg == "runbook"), None)
            said = node.args[0] if node.args else None
            yield Raised(f"{place}:{node.lineno}", _text(said, codes), _text(page, {}))


def _text(node: ast.expr | None, codes: Mapping[str, str]) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Attribute(value=ast.Name(id=error), attr="code"):
            return codes.get(error)
        case _:
            return None
