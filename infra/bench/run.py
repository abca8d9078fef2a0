"""The run of the bench that is kept, and what the page of figures is written from."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from infra.manifest.load import ROOT

RUN: Final = Path(__file__).with_name("last_run.json")
NOT_KEPT: Final = frozenset({"folder"})
"""Of the machine's facts, what is nobody else's business."""


def keep(report: Mapping[str, Any], path: Path = RUN) -> None:
    """Keep a report, but for where on this machine it was made."""
    machine = {name: fact for name, fact in report["machine"].items() if name not in NOT_KEPT}
    told = json.dumps({**report, "machine": machine}, indent=1, sort_keys=True)
    # What could not be taken is told in its error's words, which may name where the code lies here.
    path.write_text(told.replace(f"{ROOT}/", "") + "\n", encoding="utf-8")


def kept(path: Path = RUN) -> dict[str, Any] | None:
    """Return the report that is kept, or None."""
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
