"""Reading every fleet.yaml, and refusing what cannot be deployed with file, field and remedy."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from infra.manifest.adapters import next_name
from infra.manifest.model import ADAPTERS, Deployable, Family, Workflow, entry_point, workflow_identity
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
    sagas: frozenset[str] = frozenset()
    """The identities of the workflows that call it."""
    next_of: str | None = None
    """The adapter whose next build this is."""

    @property
    def module(self) -> str:
        """The module its entry point lives in."""
        return f"functions.{self.family}.main"

    @property
    def entry_point(self) -> str:
        """The Python function that is deployed."""
        return entry_point(self.next_of or self.name, self.deployable)

    @property
    def account(self) -> str:
        """The service account that it runs as."""
        return self.deployable.account or self.next_of or self.name

    def allowed(self) -> frozenset[str]:
        """Return every identity that may call: named, its trigger's own, and workflows."""
        return self.deployable.allowed() | self.sagas


@dataclass(frozen=True, slots=True)
class Manifest:
    """All deployables and all workflows, by name; `next_builds` are adapters of the next archive."""

    functions: Mapping[str, Function]
    workflows: Mapping[str, Workflow] = field(default_factory=dict)
    next_builds: Mapping[str, Function] = field(default_factory=dict)

    def topics(self) -> tuple[str, ...]:
        """Return every topic somebody subscribes to."""
        triggers = (function.deployable.trigger for function in self.functions.values())
        return tuple(sorted({topic for trigger in triggers for topic in topics_of(trigger)}))


def load_manifest(root: Path = ROOT) -> Manifest:
    """Read functions/*/fleet.yaml below a root."""
    families = {path: _family(path) for path in sorted((root / "functions").glob("*/fleet.yaml"))}
    workflows = _all_workflows(families)
    functions: dict[str, Function] = {}
    for path, family in families.items():
        for name, deployable in family.functions.items():
            if name in functions:
                raise ManifestRefused(f"{path}: {name} is also in {functions[name].family}: names are unique")
            functions[name] = Function(
                name, path.parent.name, deployable, _sagas(name, deployable, workflows)
            )
    _check_entry_points(functions)
    _check_callers(functions)
    _check_callees(functions, workflows)
    return Manifest(functions, workflows, _next_builds(functions))


def _next_builds(functions: Mapping[str, Function]) -> dict[str, Function]:
    adapters = [each for each in functions.values() if each.deployable.adapter]
    twins = (replace(each, name=next_name(each.name), next_of=each.name) for each in adapters)
    return {each.name: each for each in twins}


def _all_workflows(families: Mapping[Path, Family]) -> dict[str, Workflow]:
    found: dict[str, Workflow] = {}
    for path, family in families.items():
        for name, workflow in family.workflows.items():
            if name in found:
                raise ManifestRefused(f"{path}: workflow {name} is described twice: names are unique")
            found[name] = workflow
    return found


def _sagas(name: str, deployable: Deployable, workflows: Mapping[str, Workflow]) -> frozenset[str]:
    known_as = {name, ADAPTERS} if deployable.adapter else {name}
    return frozenset(workflow_identity(each) for each, it in workflows.items() if known_as & {*it.calls})


def _family(path: Path) -> Family:
    try:
        return _described(path.read_text(encoding="utf-8"))
    except YAMLError as error:
        raise ManifestRefused(f"{path}: not YAML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ManifestRefused(f"{path}: {where}: {first['msg']} (see schemas/fleet.json)") from None


@lru_cache(maxsize=128)
def _described(text: str) -> Family:
    """The family that a file describes: frozen, so each text is read once by a process."""
    return Family.model_validate(YAML(typ="safe", pure=True).load(text))


def _check_entry_points(functions: Mapping[str, Function]) -> None:
    # The framework's registry is keyed by the bare Python name, across all modules of a process.
    taken: dict[str, str] = {}
    for function in functions.values():
        other = taken.setdefault(function.entry_point, function.name)
        if other != function.name:
            raise ManifestRefused(
                f"{function.name} and {other} share the entry point {function.entry_point}: rename one"
            )


def _check_callers(functions: Mapping[str, Function]) -> None:
    for function in functions.values():
        if function.deployable.exposure == "internal" and not function.allowed():
            raise ManifestRefused(
                f"{function.name}: an internal function needs callers: "
                "name the identities that may call it, or a workflow that calls it"
            )


def _check_callees(functions: Mapping[str, Function], workflows: Mapping[str, Workflow]) -> None:
    for name, workflow in workflows.items():
        for callee in workflow.calls:
            if callee != ADAPTERS and callee not in functions:
                raise ManifestRefused(
                    f"workflow {name} calls {callee}, which no fleet.yaml describes: correct the name"
                )
