"""A small checkout that holds every package of the design, and one deliberate violation at a time."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.architecture.repository import TARGETS
from tests.architecture.tree import PRODUCT, Tree

PACKAGES = (
    *("functions", "functions.adapter_ttlock", "functions.vendor_webhooks", "functions.upkeep"),
    *("shared", "shared.domain", "shared.kernel", "shared.audit", "shared.events", "shared.offline"),
    *("shared.ports", "shared.streams", "shared.vendor_kit", "shared.ledger", "shared.gcp"),
    *("shared.usecases", "shared.queries", "shared.keywork", "shared.runtime"),
    *("shared.vendors", "shared.vendors.ttlock", "shared.vendors.salto"),
    *("infra", "infra.local", "infra.cli", "infra.simulators", "infra.simulators.ttlock"),
    *("edge_agent", "edge_agent.hardware", "edge_agent.ledger", "edge_agent.console", "edge_agent.agent"),
    *("edge_agent.cloud", "edge_agent.issuing", "edge_agent.pairing", "edge_agent.relay", "edge_agent.sync"),
)
MODULES = {
    "shared.domain.ids": "import hashlib",
    "shared.audit.tree": "import shared.domain.ids",
    "shared.kernel.log": "import orjson, shared.domain.ids",
    "shared.events.envelope": "import pydantic, shared.kernel.log",
    "shared.offline.certificate": "import nacl, shared.kernel.log",
    "shared.ports.bus": "import shared.events.envelope, shared.audit.tree, shared.offline.certificate",
    "shared.streams.stream": "import shared.ports.bus",
    "shared.vendor_kit.registry": "import shared.streams.stream",
    "shared.ledger.key_record": "import shared.ports.bus",
    "shared.keywork.step": "import shared.ledger.key_record, shared.vendor_kit.registry",
    "shared.vendors.ttlock.api": "import shared.vendor_kit.registry",
    "shared.vendors.ttlock.webhook": "import shared.vendors.ttlock.api",
    "shared.vendors.ttlock.wire": "import shared.domain.ids",
    "shared.vendors.salto.api": "import shared.vendor_kit.registry",
    "shared.gcp.documents": "def connect():\n    from google.cloud import firestore\n    return firestore",
    "shared.usecases.issue_key": "import shared.vendor_kit.registry, shared.ledger.key_record",
    "shared.queries.keys": "import shared.ledger.key_record",
    "shared.runtime.entry": "import starlette, shared.gcp.documents, shared.usecases.issue_key",
    "functions.adapter_ttlock.main": "import shared.vendors.ttlock.api, shared.runtime.entry",
    "functions.vendor_webhooks.main": "import shared.vendors.ttlock.webhook",
    "functions.upkeep.main": "from shared.runtime.entry import step\n\n@step\nasync def probe_answer(): ...",
    "infra.local.storage": "import sqlite3, functions.upkeep.main",
    "infra.local.ambient": "import time, uuid\n\ndef now():\n    return time.time(), uuid.uuid4()",
    "infra.simulators.ttlock.app": "import starlette",
    "edge_agent.agent.loop": "import shared.usecases.issue_key, edge_agent.hardware.usb",
    "edge_agent.hardware.usb": "import hidraw, serial, bleak, shared.vendors.ttlock.wire",
    "edge_agent.ledger.store": "import sqlite3",
    "edge_agent.console.pages": "import starlette",
}
OUTSIDE = (
    *(
        "bleak",
        "flask",
        "functions-framework",
        "hidraw",
        "nacl",
        "orjson",
        "pydantic",
        "serial",
    ),
    *("sqlcipher3", "starlette"),
)
"""What the skeleton declares: what it imports, and what some plant imports at the wrong place."""
PROJECT = f"""
[project]
dependencies = {[f"{name}>=1" for name in OUTSIDE]}
[project.optional-dependencies]
google = ["google>=1", "grpc>=1"]
[dependency-groups]
dev = ["pytest"]
[tool.importlinter]
root_packages = {list(PRODUCT)}
[tool.mypy]
packages = {list(PRODUCT)}
[tool.hatch.build.targets.wheel]
packages = {list(PRODUCT)}
[tool.coverage.run]
source = {list(PRODUCT)}
[tool.ruff.lint.isort]
known-first-party = {list(PRODUCT)}
"""
FLEET = """
functions:
  probe-answer:
    description: Answers the probe.
    trigger: {http: internal}
    callers: [operator, workflow-probe-platform]
"""
SAGA = """
main:
  steps:
    - ask:
        call: http.post
        args: {url: '${sys.get_env("FLEET_URL") + "/probe-answer"}', timeout: 30}
"""
DECISION = """# 0001. One gate

Date: 2026-11-18. Status: accepted.

## Context

## Decision

## Consequences
"""


def pins(*names: str, version: str = "1.0") -> str:
    """Return a requirements file."""
    return "".join(f"{name}=={version} \\\n    --hash=sha256:{'0' * 64}\n" for name in names)


FILES = {
    **{f"{package.replace('.', '/')}/__init__.py": "" for package in PACKAGES},
    **{f"{module.replace('.', '/')}.py": text for module, text in MODULES.items()},
    **{f"functions/{family}/fleet.yaml": "functions: {}" for family in ("adapter_ttlock", "vendor_webhooks")},
    "functions/upkeep/fleet.yaml": FLEET,
    "workflows/probe_platform.yaml": SAGA,
    "schemas/fleet.json": "{}",
    "tests/unit/shared/domain/test_ids.py": "def test_ids_are_distinct():\n    assert {1} != {2}",
    "pyproject.toml": PROJECT,
    "requirements.txt": pins(*OUTSIDE),
    "requirements-dev.txt": pins(*OUTSIDE, "pytest"),
    "requirements-functions.txt": pins(*OUTSIDE),
    "README.md": "See [the decisions](infra/decisions/) and `infra/local/storage.py`.",
    "infra/decisions/README.md": "[One](0001-one-gate.md)",
    "infra/decisions/0001-one-gate.md": DECISION,
    "Makefile": "".join(f"{target}:\n\ttrue\n" for target in sorted(TARGETS)),
    ".gitignore": "__pycache__/\n",
}


@dataclass(frozen=True)
class Plant:
    """A violation: the one gate that must object, and files to write over the skeleton's."""

    gate: str
    files: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.gate} [{', '.join(self.files)}]"


def plants(violations: Mapping[str, Sequence[Mapping[str, str]]]) -> list[Plant]:
    """Return one plant for each violation of each gate."""
    return [Plant(gate, files) for gate, planted_files in violations.items() for files in planted_files]


def line_in(module: str, line: str) -> Mapping[str, str]:
    """Plant a line on top of a module, which keeps what the skeleton has in it."""
    return {f"{module.replace('.', '/')}.py": f"{line}\n{MODULES.get(module, '')}"}


def raise_skeleton(root: Path) -> Path:
    """Write the skeleton below a folder; it breaks no gate."""
    for path, text in FILES.items():
        _write(root / path, text)
    return root


@contextmanager
def planted(root: Path, plant: Plant) -> Iterator[Tree]:
    """Look at the skeleton with a violation in it, and take it out again."""
    for path, text in plant.files.items():
        _write(root / path, text)
    try:
        yield Tree.at(root)
    finally:
        for path in plant.files:
            _restore(root / path, FILES.get(path))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _restore(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
