"""The page of vendors, written from what their adapters offer and from their papers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML

from shared.domain.capabilities import ABILITIES, LockCapabilities
from shared.domain.kinds import VendorCode
from shared.vendor_kit.registry import dialects_of, installed_vendors

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = Path("infra/docs/vendors.md")
OWNED: Final = (str(PAGE),)
STATUSES: Final = ("done", "todo", "exempt")
_HEAD: Final = """# Vendors

Written by `python -m infra.codegen` from each vendor's `capabilities.py` and `quality.yaml`. A new one: see
[CONTRIBUTING](../../CONTRIBUTING.md), under "Add a vendor".

## What each can do

An ability counts where the adapter, the lock and the tenant's policy all have it. This is what the adapter
offers at most.

"""


def generate() -> dict[Path, str]:
    """Return the page."""
    return {PAGE: f"{_HEAD}{_table(_abilities())}\n{_checklist()}\n{_todo()}"}


def _vendors() -> list[VendorCode]:
    """Return the vendors that hotels have: those whose adapters say what they can do."""
    return [vendor for vendor in installed_vendors() if dialects_of(vendor)]


def _abilities() -> Iterator[tuple[str, ...]]:
    yield ("vendor", "dialect", *(ability.replace("_", " ") for ability in ABILITIES))
    for vendor in _vendors():
        for dialect, able in dialects_of(vendor).items():
            yield (f"`{vendor}`", dialect, *_marks(able))


def _marks(able: LockCapabilities) -> Iterator[str]:
    return ("yes" if name in able.names else "-" for name in ABILITIES)


def _checklist() -> str:
    """Return how far each vendor has come on the fourteen points of A §16.1."""
    rows = [("vendor", *STATUSES, "runbook", "simulator"), *map(_progress, _vendors())]
    return f"## How far each has come\n\nThe fourteen points of A §16.1.\n\n{_table(rows)}"


def _progress(vendor: VendorCode) -> tuple[str, ...]:
    counted = Counter(point["status"] for point in _points(vendor).values())
    folder = vendor.replace("-", "_")
    pages = (f"shared/vendors/{folder}/RUNBOOK.md", f"infra/simulators/{folder}/README.md")
    links = [f"[{Path(page).stem.lower()}](../../{page})" for page in pages if (ROOT / page).exists()]
    return (f"`{vendor}`", *(str(counted[status]) for status in STATUSES), *links)


def _todo() -> str:
    rows = [
        (f"`{vendor}`", name.replace("_", " "), point["why"])
        for vendor in _vendors()
        for name, point in _points(vendor).items()
        if point["status"] == "todo"
    ]
    return f"## What is still to do\n\n{_table([('vendor', 'point', 'why'), *rows])}"


def _points(vendor: VendorCode) -> Mapping[str, Mapping[str, Any]]:
    points: Mapping[str, Mapping[str, Any]] = _paper(vendor.replace("-", "_"))["points"]
    return points


@lru_cache
def _paper(folder: str) -> Mapping[str, Any]:
    text = (ROOT / "shared/vendors" / folder / "quality.yaml").read_text(encoding="utf-8")
    paper: Mapping[str, Any] = YAML(typ="safe", pure=True).load(text)
    return paper


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    head, *others = rows
    lines = [head, tuple("---" for _ in head), *others]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
