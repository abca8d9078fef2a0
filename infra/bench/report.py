"""The one JSON document: every figure with its rounds, its floor and the raw limit beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from infra.bench.figures import Effort, Figure, Measure
from infra.bench.rounds import Taken

SIGNIFICANT_DIGITS = 4


def report(
    measures: Sequence[Measure], taken: Taken, machine: Mapping[str, Any], effort: Effort
) -> dict[str, Any]:
    """Return everything that was found out, and what was not."""
    declared = {name: figure for measure in measures for name, figure in measure.figures.items()}
    figures = {
        name: _figure(name, figure, taken.samples)
        for name, figure in declared.items()
        if name in taken.samples
    }
    return {
        "machine": dict(machine),
        "effort": asdict(effort),
        "figures": figures,
        "missed_floors": [name for name, figure in figures.items() if figure["ok"] is False],
        "absent": [name for name in declared if name not in figures],
        "untaken": dict(taken.untaken),
    }


def _figure(name: str, figure: Figure, samples: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    value = median(samples[name])
    said: dict[str, Any] = {
        "value": _rounded(value),
        "unit": figure.unit,
        "better": figure.better,
        "floor": figure.floor,
        "ok": figure.keeps(figure.floor, value),
        "rounds": [_rounded(each) for each in samples[name]],
    }
    if figure.aim is not None:
        said["aim"], said["aim_reached"] = figure.aim, figure.keeps(figure.aim, value)
    if figure.beside is not None and figure.beside in samples:
        said["raw"] = _beside(figure.beside, samples[name], samples[figure.beside])
    return said


def _beside(raw: str, own: Sequence[float], limit: Sequence[float]) -> dict[str, Any]:
    # The ratio is taken inside each round: two rounds may have met two different machines.
    ratio = median(mine / theirs for mine, theirs in zip(own, limit, strict=True))
    return {"figure": raw, "value": _rounded(median(limit)), "ratio": _rounded(ratio)}


def _rounded(value: float) -> float:
    return float(f"{value:.{SIGNIFICANT_DIGITS}g}")
