"""How long a saga waits for an adapter: longer than that may run, or it asks again while the first acts.

| who | gives up after |
|---|---|
| the handler | its own time, which `fleet.yaml` says |
| the function | ten seconds more, so that it can answer |
| the saga's call | ten more again |
| the ledger | ten more again: by then no call can still land |
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from shared.ledger.grant_record import CALLS_LAST

HTTP: Final = "http."
OF_ADAPTERS: Final = ".adapter}"
"""How the address of a call ends whose adapter the ledger names."""


def faults(plan: dict[str, Any], root: Path) -> Iterator[str]:
    """Yield each call of an adapter that is given up too early, or believed in for too long."""
    longest = max(
        (each["timeout_seconds"] for each in plan["functions"].values() if each["adapter"]), default=0
    )
    most = CALLS_LAST.total_seconds()
    for name in plan["workflows"]:
        file = root / "workflows" / f"{name}.yaml"
        for waits in _waits(YAML(typ="safe", pure=True).load(file.read_text()) if file.exists() else None):
            if not longest < waits < most:
                said = f"more than the {longest} s it may run, less than the {most:g} s that the ledger waits"
                yield f"workflows/{name}.yaml: waits {waits:g} s for an adapter: say {said}"


def _waits(node: Any) -> Iterator[float]:
    """Yield how long each call of an adapter waits, wherever it stands."""
    if isinstance(node, list):
        for each in node:
            yield from _waits(each)
    elif isinstance(node, dict):
        args = node.get("args")
        if str(node.get("call", "")).startswith(HTTP) and isinstance(args, dict) and _of_adapter(args):
            yield float(args.get("timeout", 300))
        for each in node.values():
            yield from _waits(each)


def _of_adapter(args: dict[str, Any]) -> bool:
    return str(args.get("url", "")).endswith(OF_ADAPTERS)
