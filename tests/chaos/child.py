"""A fleet in a process of its own, told where to die and how far ahead its clock is."""

import json
import os
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from infra.cli.cloud import Cloud, opener_of
from infra.local.ambient import SystemClock
from infra.local.faults import Census, crash_from_text
from infra.local.server import serve
from infra.local.world import FleetConfig, World
from tests.chaos.boundaries import FromTheFirst, WatchedWay


@dataclass(frozen=True)
class Life:
    """One life of a fleet: where, with what, and until when.

    Of `stays`, boundaries are counted from the first booking on, and calls to vendors have boundaries too.
    """

    home: Path
    port: int
    workflows: Path
    crash_at: str | None = None
    ahead: timedelta = timedelta(0)
    stays: bool = False
    simulator_port: int | None = None
    platform: Cloud = Cloud.EMBEDDED


class ClockAhead:
    """The machine's clock, put forward: what would be due by then is due now."""

    def __init__(self, ahead):
        self._clock, self._ahead = SystemClock(), ahead

    def now(self):
        return self._clock.now() + self._ahead


def live(life: Life, log: Path) -> None:
    """Serve until told to stop, or until the boundary at which to die."""
    _write_to(log)
    faults = crash_from_text(life.crash_at) if life.crash_at else Census()
    world = World(clock=ClockAhead(life.ahead), faults=faults)
    if life.stays:
        world = _watched(world)
    serve(_config(life), world, opened=opener_of(life.platform))
    if isinstance(faults, Census):
        (life.home / "census.json").write_text(json.dumps(faults.seen))


def _watched(world):
    faults = FromTheFirst("before-push", world.faults)
    return replace(world, faults=faults, outside=WatchedWay(world.outside, faults))


def _config(life):
    return FleetConfig(
        life.home, life.port, sample=True, workflows=life.workflows, simulator_port=life.simulator_port
    )


def _write_to(log: Path) -> None:
    descriptor = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    os.close(descriptor)
