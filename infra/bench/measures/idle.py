"""What an idle fleet costs: the memory it holds and the CPU time it uses while nothing happens."""

import time
from pathlib import Path

from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.processes import answering
from infra.local.server import free_port

RAW, OWN = "raw.idle_asgi", "idle.fleet"
RSS, PSS, CPU = "{}_rss_mb", "{}_pss_mb", "{}_cpu_ms_per_s"
FIGURES = {
    RSS.format(RAW): Figure("MB", "lower"),
    PSS.format(RAW): Figure("MB", "lower"),
    CPU.format(RAW): Figure("ms/s", "lower"),
    RSS.format(OWN): Figure("MB", "lower", floor=80, beside=RSS.format(RAW)),
    PSS.format(OWN): Figure("MB", "lower", beside=PSS.format(RAW)),
    CPU.format(OWN): Figure("ms/s", "lower"),
}

# Who sleeps through a short look uses no CPU time at all.
MAY_BE_NOTHING = {CPU.format(RAW), CPU.format(OWN)}


def take(ground: Ground) -> Sample:
    """Leave a fleet, and a server that does nothing, alone for a while."""
    raw, own = free_port(), free_port()
    fleet: list[str | Path] = ["-m", "infra.cli", "up", "--home", ground.folder / "home", "--port", str(own)]
    server: list[str | Path] = ["-m", "infra.bench.programs.raw_asgi", str(raw)]
    return {
        **_idle(RAW, server, raw, ground),
        **_idle(OWN, fleet, own, ground),
    }


def _idle(name: str, arguments: list[str | Path], port: int, ground: Ground) -> Sample:
    seconds = ground.effort.idle_seconds
    with answering(arguments, port, ground.folder) as process:
        time.sleep(seconds)
        before = process.cpu_seconds()
        time.sleep(seconds)
        used = (process.cpu_seconds() - before) * 1e3 / seconds
        rss, pss = process.memory_megabytes()
    return {RSS.format(name): rss, PSS.format(name): pss, CPU.format(name): used}


MEASURE = Measure("idle", FIGURES, take)
