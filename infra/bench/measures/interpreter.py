"""The workflow interpreter without I/O: steps a second, and how long a file takes to load."""

import json
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from ruamel.yaml import YAML

from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.rounds import each_second
from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.sagas.run import STEPS_A_TURN
from infra.local.workflows.draws import AmbientDraws
from infra.local.workflows.machine import Machine
from infra.local.workflows.program import Program, load
from infra.manifest.load import ROOT

STEPS, ITERATIONS, LOADS = 200, 2000, 5
FILE = ROOT / "workflows" / "probe_platform.yaml"
PLAIN_STEPS, PARSE = "raw.python_steps_per_s", "raw.yaml_parse_ms"
KINDS: Mapping[str, list[dict[str, Any]]] = {
    "interpreter.assign_steps_per_s": [{f"s{n}": {"assign": [{"a": f"${{x + {n}}}"}]}} for n in range(STEPS)],
    "interpreter.switch_steps_per_s": [
        {f"s{n}": {"switch": [{"condition": "${x > 1000}", "return": n}]}} for n in range(STEPS)
    ],
    "interpreter.for_steps_per_s": [
        {"zero": {"assign": [{"t": 0}]}},
        {
            "each": {
                "for": {
                    "value": "v",
                    "range": [1, ITERATIONS],
                    "steps": [{"add": {"assign": [{"t": "${t + v}"}]}}],
                }
            }
        },
    ],
}
LOAD = "interpreter.load_probe_platform_ms"
FIGURES = {
    PLAIN_STEPS: Figure("1/s"),
    PARSE: Figure("ms", "lower"),
    **{kind: Figure("1/s", floor=100_000, beside=PLAIN_STEPS) for kind in KINDS},
    LOAD: Figure("ms", "lower", beside=PARSE),
}


def take(ground: Ground) -> Sample:
    """Run each kind of step for a while, then load a file some times."""
    seconds = ground.effort.seconds / 2
    sample = {kind: _steps_a_second(_program(steps), seconds) for kind, steps in KINDS.items()}
    sample[PLAIN_STEPS] = STEPS * each_second(_plain_steps, seconds)
    text = FILE.read_text(encoding="utf-8")
    sample[LOAD] = _milliseconds(lambda: load(text, FILE.name))
    sample[PARSE] = _milliseconds(lambda: YAML(typ="safe", pure=True).load(text))
    return sample


def _program(steps: list[dict[str, Any]]) -> Program:
    return load(json.dumps({"main": {"params": ["x"], "steps": steps}}), "bench.json")


def _steps_a_second(program: Program, seconds: float) -> float:
    draws, steps = AmbientDraws(SystemClock(), SystemEntropy()), 0

    def execute() -> None:
        nonlocal steps
        machine = Machine(program, 1, {}, draws)
        machine.start(STEPS_A_TURN)
        while machine.runnable:
            machine.proceed(STEPS_A_TURN)
        steps = machine.usage.steps

    return each_second(execute, seconds) * steps


def _plain_steps() -> None:
    """Do in Python what the assign steps do: a look-up, an addition, an assignment."""
    variables = {"x": 1, "a": 0}
    for number in range(STEPS):
        variables["a"] = variables["x"] + number


def _milliseconds(work: Callable[[], object]) -> float:
    return median(_timed(work) for _ in range(LOADS)) * 1e3


def _timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


MEASURE = Measure("interpreter", FIGURES, take)
