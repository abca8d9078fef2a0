"""What growing costs: keys after many keys, the disk they take, and the first key after a kill -9 among them.

One fleet makes keys by tens of thousands, all of stays to come, so that none of them is over. It is killed
without warning, started again on what it left, and asked for one key more.
"""

import time
from functools import partial
from pathlib import Path

import uvloop

from infra.bench import hotel
from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.measures.keys import MANY, Vendor, counted_by, made, make_key, stub_vendor
from infra.bench.processes import Process, answering, spawned
from infra.local.server import free_port

FIRST, LAST = "growth.first_keys_cpu_ms_each", "growth.last_keys_cpu_ms_each"
RATIO, DISK = "growth.last_over_first", "growth.disk_kb_a_key"
MEMORY, RESTART = "growth.pss_mb", "growth.first_key_after_kill_s"
KILOBYTE = 1000.0
FIGURES = {
    FIRST: Figure("ms", "lower"),
    LAST: Figure("ms", "lower"),
    RATIO: Figure("ratio", "lower", floor=1.1),
    DISK: Figure("kB", "lower", floor=6.0),
    MEMORY: Figure("MB", "lower"),
    RESTART: Figure("s", "lower", floor=1.0),
}


def take(ground: Ground) -> Sample:
    """Grow a fleet once, in the first round: it takes minutes."""
    if ground.round > 0:
        return {}
    home, keys, compared = ground.folder / "home", ground.effort.keys_kept, ground.effort.keys_compared
    with stub_vendor(ground.folder) as vendor:
        grown = _grown(home, vendor, ground.folder, keys, compared)
        return {**grown, RESTART: _first_key(home, vendor, ground.folder, keys)}


def _grown(home: Path, vendor: Vendor, folder: Path, keys: int, compared: int) -> Sample:
    port = free_port()
    with answering(_program(home, port, vendor), port, folder) as fleet:
        # What is looked up once for each lock is no part of a key.
        _keys(fleet, range(hotel.ROOMS))
        first = _cpu_each(fleet, range(hotel.ROOMS, compared))
        _keys(fleet, range(compared, keys - compared))
        last = _cpu_each(fleet, range(keys - compared, keys))
        memory = fleet.memory_megabytes()[1]
        disk = sum(file.stat().st_size for file in home.iterdir() if file.is_file())
    return {FIRST: first, LAST: last, RATIO: last / first, DISK: disk / keys / KILOBYTE, MEMORY: memory}


def _first_key(home: Path, vendor: Vendor, folder: Path, number: int) -> float:
    """Start again on what was killed; return the seconds from the spawn until one more key is issued."""
    port = free_port()
    with spawned(_program(home, port, vendor), port, folder) as fleet:
        fleet.first_answer()
        _keys(fleet, range(number, number + 1))
        return time.perf_counter() - fleet.spawned


def _program(home: Path, port: int, vendor: Vendor) -> list[str | Path]:
    return ["-m", "infra.bench.programs.key_fleet", home, str(port), vendor.name, str(vendor.port)]


def _cpu_each(fleet: Process, numbers: range) -> float:
    before = fleet.cpu_seconds()
    _keys(fleet, numbers)
    counted_by(fleet)  # what a key leaves to be done after it is told belongs to its cost
    return (fleet.cpu_seconds() - before) / len(numbers) * 1e3


def _keys(fleet: Process, numbers: range) -> None:
    make = partial(make_key, fleet.port, numbers.start)
    many = min(MANY, len(numbers))
    uvloop.run(made(make, fleet.port, many, lambda number: number < len(numbers)))


MEASURE = Measure("growth", FIGURES, take)
