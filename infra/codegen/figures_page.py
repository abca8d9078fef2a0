"""The page of figures, written from the run of the bench that is kept: nobody copies a number by hand."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from infra.bench.run import RUN, kept

PAGE: Final = Path("infra/docs/figures.md")
OWNED: Final = (str(PAGE),)
BUSY: Final = 0.5
"""Of a core, on average, that others may use before seconds and rates say little."""
_ABOUT: Final = """# Figures

Written by `python -m infra.codegen` from `{run}`, which `python -m infra.bench --keep` writes: {effort}
on {cores} cores ({system}, Python {python}, SQLite {sqlite}, {filesystem}, fsync {fsync_p50_ms} ms), {at}.
{load}

A floor is what a figure has to keep; {missed}. Ratios are to the raw limit beside a figure, taken in the same
round. Ratios and counts travel to other machines, rates and seconds do not. Figures of a quiet machine, and
beside other durable engines, are among [the earlier ones](earlier-figures.md).

| figure | value | floor | beside it |
|---|---|---|---|
"""


def generate() -> dict[Path, str]:
    """Return the page, if a run is kept."""
    run = kept()
    if run is None:
        return {}
    return {PAGE: _head(run) + "".join(_row(name, each) for name, each in run["figures"].items())}


def _head(run: Mapping[str, Any]) -> str:
    machine = run["machine"]
    others = machine["load_average"][0]
    busy = (
        f"The machine was busy with other work then (a load of {others}): its seconds and rates say little."
    )
    said = {
        "run": f"{RUN.parent.parent.name}/{RUN.parent.name}/{RUN.name}",
        "effort": "a quick run" if run["effort"]["quick"] else f"{run['effort']['rounds']} rounds",
        "load": busy if others > BUSY * machine["cores"] else "Little else was at work then.",
        "missed": _missed(run["missed_floors"]),
    }
    return _ABOUT.format(**machine, **said)


def _missed(floors: Iterable[str]) -> str:
    named = ", ".join(f"`{name}`" for name in floors)
    return f"missed in this run: {named}" if named else "none is missed in this run"


def _row(name: str, figure: Mapping[str, Any]) -> str:
    sign = {"higher": "≥", "lower": "≤"}[figure["better"]]
    floor = "" if figure["floor"] is None else f"{sign} {figure['floor']:g}"
    raw = figure.get("raw")
    beside = "" if raw is None else f"{raw['ratio']:g} × `{raw['figure']}`"
    missed = "" if figure["ok"] is not False else " (missed)"
    return f"| `{name}` | {figure['value']:g} {figure['unit']} | {floor}{missed} | {beside} |\n"
