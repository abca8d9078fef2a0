"""Reading every fleet.yaml, and refusing what cannot be deployed with file, field and remedy."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from infra.manifest.model import Deployable, Family, entry_point
from infra.manifest.topics import topics_of

ROOT = Path(__file__).resolve().parents[2]


class ManifestRefused(Exception):
    """A fleet.yaml that cannot be deployed."""


@dataclass(frozen=True, slots=True)
class Function:
    """A deployable and where its code is."""

    name: str
    family: str
    deployable: Deployable

    @property
    def module(self) -> str:
        """The module its entry point lives in."""
        return f"functions.{self.family}.main"

    @property
    def entry_point(self) -> str:
        """The Python function that is deployed."""
        return entry_point(self.name, self.deployable)


@dataclass(frozen=True, slots=True)
class Manifest:
    """All deployables, by name."""

    functions: Mapping[str, Function]

    def topics(self) -> tuple[str, ...]:
        """Return every topic somebody subscribes to."""
        triggers = (function.deployable.trigger for function in self.functions.values())
        return tuple(sorted({topic for trigger in triggers for topic in topics_of(trigger)}))


def load_manifest(root: Path = ROOT) -> Manifest:
    """Read functions/*/fleet.yaml below a root."""
    functions: dict[str, Function] = {}
    for path in sorted((root / "functions").glob("*/fleet.yaml")):
        for name, deployable in _family(path).functions.items():
            if name in functions:
                raise ManifestRefused(f"{path}: {name} is also in {functions[name].family}: names are unique")
            functions[name] = Function(name, path.parent.name, deployable)
    _check_entry_points(functions)
    return Manifest(functions)


def _family(path: Path) -> Family:
    try:
        return Family.model_validate(_yaml(path))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ManifestRefused(f"{path}: {where}: {first['msg']} (see schemas/fleet.json)") from None


def _yaml(path: Path) -> Any:
    try:
        return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except YAMLError as error:
        raise ManifestRefused(f"{path}: not YAML: {error}") from None


def _check_entry_points(functions: Mapping[str, Function]) -> None:
    # The framework's registry is keyed by the bare Python name, across all modules of a process.
    taken: dict[str, str] = {}
    for function in functions.values():
        other = taken.setdefault(function.entry_point, function.name)
        if other != function.name:
            raise ManifestRefused(
                f"{function.name} and {other} share the entry point {function.entry_point}: rename one"
            )
