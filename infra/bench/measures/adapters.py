"""Adapters over TLS, 32 keys in flight: what they take beyond their vendor's own time, and A §5's budgets.

The simulator says how long each request took it (`Server-Timing`), a tenth of a second and its own work; the
rest of a key's time is the adapter's, TLS, the client and the store among it. So is a wait for other keys'
work: 32 that are asked for in one instant are a figure of their own (decision 0257).
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import quantiles
from typing import Any

import orjson

from infra.bench.certificates import AUTHORITY, CERTIFICATE, KEY, certify
from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.processes import answering
from infra.bench.programs.adapter_calls import MANY
from infra.local.server import free_port
from infra.manifest.load import ROOT
from infra.simulators.kit.vendor import Dialect
from infra.simulators.registry import simulated_vendor, simulated_vendors

OVERHEAD_MS = 25
OVERHEAD, AT_ONCE, ISSUE, CPU = (
    f"adapter.{{}}_{{}}_{part}_at_{MANY}"
    for part in ("overhead_p95_ms", "at_once_p95_ms", "issue_p95_ms", "cpu_ms_each")
)


def spoken() -> Iterator[tuple[str, Dialect]]:
    """Yield every dialect that is spoken over the wire, with its vendor's code."""
    for code in simulated_vendors():
        for dialect in simulated_vendor(code).dialects:
            yield code, dialect


def take(ground: Ground) -> Sample:
    """Ask each adapter, one after the other."""
    certify(ground.folder)
    sample: dict[str, float] = {}
    for code, dialect in spoken():
        sample |= _asked(code, dialect.name, ground)
    return sample


def _asked(code: str, dialect: str, ground: Ground) -> Sample:
    port, tls_port, folder = free_port(), free_port(), ground.folder
    simulator: list[str | Path] = ["-m", "infra.bench.programs.vendor_over_tls", code, dialect, str(port)]
    simulator += [str(tls_port), folder / CERTIFICATE, folder / KEY]
    asking = ["-m", "infra.bench.programs.adapter_calls", str(folder / f"home-{code}-{dialect}")]
    asking += [str(free_port()), code, dialect, str(tls_port), str(ground.effort.seconds)]
    trusting = {"SSL_CERT_FILE": str(folder / AUTHORITY), "PYTHONPATH": str(ROOT)}
    with answering(simulator, port, folder):
        done = subprocess.run(
            [sys.executable, *asking], env={**os.environ, **trusting}, capture_output=True, check=False
        )
    if done.returncode:
        raise BenchError(f"{code} {dialect} made no keys: {done.stderr.decode()[-2000:]}")
    return figured(code, dialect, orjson.loads(done.stdout))


def figured(code: str, dialect: str, told: Mapping[str, Any]) -> Sample:
    """Return the figures of what an adapter's keys took."""
    return {
        OVERHEAD.format(code, dialect): _p95(_beyond(told["took"])),
        AT_ONCE.format(code, dialect): _p95(_beyond(told["at_once"])),
        ISSUE.format(code, dialect): _p95([took for took, _ in told["took"]]),
        CPU.format(code, dialect): told["cpu_ms_each"],
    }


def _beyond(keys: list[tuple[float, float]]) -> list[float]:
    return [took - spent for took, spent in keys]


def _p95(values: list[float]) -> float:
    return quantiles([*values, values[-1]], n=20)[-1]


def _figures() -> Iterator[tuple[str, Figure]]:
    for code, dialect in spoken():
        yield OVERHEAD.format(code, dialect.name), Figure("ms", "lower", OVERHEAD_MS)
        yield AT_ONCE.format(code, dialect.name), Figure("ms", "lower")
        yield ISSUE.format(code, dialect.name), Figure("ms", "lower", dialect.budget_ms)
        yield CPU.format(code, dialect.name), Figure("ms", "lower")


FIGURES = dict(_figures())
MEASURE = Measure("adapters", FIGURES, take)
