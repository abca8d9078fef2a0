"""Keys, the whole way: booking published, saga run, vendor posted, key active, `issued` published.

The fleet, the vendor and the driver are three processes. The driver sends one request a key, on which the
fleet's process publishes the booking and which it answers when `issued` is published: nobody polls.
"""

import asyncio
import http.client
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import uvloop

from infra.bench import hotel
from infra.bench.certificates import AUTHORITY, CERTIFICATE, KEY, certify
from infra.bench.client import Caller, request
from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.hand_written import SCHEMA, HandWritten, inline, together
from infra.bench.plain_sqlite import plain_sqlite
from infra.bench.processes import Process, answering
from infra.bench.programs.key_fleet import ALONE, PATH
from infra.local.counters import BY
from infra.local.sample.load import sample_vendor
from infra.local.server import free_port

MANY, PATIENCE_SECONDS = 32, 30.0
LATER = 20_000
"""The first stay of those that are booked all at once: more than a fleet makes one after the other before."""
CONTROL = "bench"
RAW, OWN, SIMULATED = "raw.hand_written_keys", "keys.mock", "keys.simulated"
OVER_TLS = "keys.mock_over_tls"
"""The same vendor as real ones are: by TLS, through the client that speaks to them."""
UNHEARD = "keys.mock_unheard"
"""A key at a fleet in which nobody hears of it beside those who make it: what it costs by itself."""
RATE, P50, P95 = "{}_per_s_at_{}", "{}_p50_ms_at_{}", "{}_p95_ms_at_{}"
CPU, MEMORY, POSTS = "{}_cpu_ms_each_at_{}", "{}_pss_mb_at_{}", "{}_vendor_calls_each_at_{}"
COUNTED = {
    "fsyncs": "fsyncs",
    "document_writes": "writes",
    "document_reads": "reads",
    "function_calls": "calls",
    "billable_steps": "steps",
    "publishes": "messages",
}
"""What the fleet counts of itself, and in which unit."""
EACH, BESIDE = "{}_{}_each_at_{}", "{}_{}_beside_each_at_{}"
APART = ("document_writes", "document_reads", "function_calls")
"""What is counted of the key's own path, and apart from it of whoever else hears of a booking."""
FLOORS: Mapping[str, tuple[float, float | None]] = {
    RATE.format(OWN, 1): (157, 314),
    RATE.format(OWN, MANY): (229, 458),
    P50.format(OWN, 1): (7, 3.5),
    CPU.format(OWN, 1): (5, 2.5),
    CPU.format(OWN, MANY): (5, 2.5),
    EACH.format(OWN, "fsyncs", 1): (12, None),
    EACH.format(OWN, "fsyncs", MANY): (1.5, None),
    **{
        EACH.format(OWN, name, many): (most, None)
        for name, most in {"document_writes": 14, "document_reads": 6, "function_calls": 2}.items()
        for many in (1, MANY)
    },
    **{EACH.format(OWN, "billable_steps", many): (4, None) for many in (1, MANY)},
}


def _figures(name: str, many: int) -> Iterator[tuple[str, str, bool]]:
    yield RATE.format(name, many), "1/s", True
    yield P50.format(name, many), "ms", True
    yield P95.format(name, many), "ms", True
    if name == RAW:
        return
    yield CPU.format(name, many), "ms", False
    yield MEMORY.format(name, many), "MB", False
    yield POSTS.format(name, many), "calls", False
    for counter, unit in COUNTED.items():
        yield EACH.format(name, counter, many), unit, False
    for counter in APART if name != UNHEARD else ():
        yield BESIDE.format(name, counter, many), COUNTED[counter], False


def _figure(name: str, unit: str, beside: str | None) -> Figure:
    floor, aim = FLOORS.get(name, (None, None))
    return Figure(unit, "higher" if unit == "1/s" else "lower", floor, aim, beside)


FIGURES = {
    figure: _figure(figure, unit, figure.replace(name, RAW) if compared and name != RAW else None)
    for many in (1, MANY)
    for name in (RAW, OWN, UNHEARD, OVER_TLS, SIMULATED)
    for figure, unit, compared in _figures(name, many)
}
Make = Callable[[int, Caller], Awaitable[None]]
Wanted = Callable[[int], bool]
"""Whether the key of this number is still to be made."""


@dataclass(frozen=True, slots=True)
class Vendor:
    """Whoever makes the keys real: where it listens, and how often it was called."""

    name: str
    figure: str
    port: int
    called: Callable[[], int]
    how: tuple[str, ...] = ()
    """What a fleet of its keys is told besides."""
    trusting: Mapping[str, str] = field(default_factory=dict)
    """What a fleet's environment must say for it to trust this one."""


def take(ground: Ground) -> Sample:
    """Make keys by hand, with the mock on a stub, and with the sample vendor's adapter on its simulator."""
    sample: dict[str, float] = {}
    with stub_vendor(ground.folder) as stub:
        sample |= uvloop.run(_by_hand(stub, ground))
        sample |= _by_fleet(stub, ground)
        sample |= _by_fleet(replace(stub, figure=UNHEARD, how=(ALONE,)), ground)
    with _stub_over_tls(ground.folder) as stub:
        sample |= _by_fleet(stub, ground)
    with _simulator(ground.folder) as simulator:
        sample |= _by_fleet(simulator, ground)
    return sample


@contextmanager
def stub_vendor(folder: Path) -> Iterator[Vendor]:
    """Run a vendor that only answers, for the mock."""
    port = free_port()
    with answering(["-m", "infra.bench.programs.vendor_stub", str(port)], port, folder):
        yield Vendor(hotel.MOCK, OWN, port, lambda: int(_asked(port, "/")["posted"]))


@contextmanager
def _stub_over_tls(folder: Path) -> Iterator[Vendor]:
    certify(folder)
    port, tls_port = free_port(), free_port()
    over_tls: list[str | Path] = [str(tls_port), folder / CERTIFICATE, folder / KEY]
    with answering(["-m", "infra.bench.programs.vendor_stub", str(port), *over_tls], port, folder):
        trusting = {"SSL_CERT_FILE": str(folder / AUTHORITY)}
        called = lambda: int(_asked(port, "/")["posted"])  # noqa: E731 - one line, as for the plain one
        yield Vendor(hotel.MOCK, OVER_TLS, tls_port, called, ("https",), trusting)


@contextmanager
def _simulator(folder: Path) -> Iterator[Vendor]:
    port, plan, vendor = free_port(), folder / "hotel.json", sample_vendor()
    plan.write_text(hotel.simulated().model_dump_json(by_alias=True), encoding="utf-8")
    arguments: list[str | Path] = ["-m", "infra.simulators", vendor, "--port", str(port)]
    with answering([*arguments, "--hotel", plan, "--control-token", CONTROL], port, folder):
        yield Vendor(vendor, SIMULATED, port, lambda: _calls(_asked(port, "/_sim/counters")))


def _calls(counters: Mapping[str, Mapping[str, int]]) -> int:
    return sum(counter["calls"] for counter in counters.values())


async def _by_hand(vendor: Vendor, ground: Ground) -> Sample:
    sample: dict[str, float] = {}
    for many in (1, MANY):
        with plain_sqlite(ground.folder / f"by-hand-{many}.db") as database:
            for statement in SCHEMA:
                database.execute(statement)
            with together(database, asyncio.get_running_loop()) as shared:
                keep = inline(database) if many == 1 else shared
                by_hand = await made(HandWritten(keep, vendor.port).key, vendor.port, many, _while(ground))
        sample |= _speed(RAW, many, *by_hand)
    return sample


def _by_fleet(vendor: Vendor, ground: Ground) -> Sample:
    port, home = free_port(), ground.folder / f"home-{vendor.figure}"
    program: list[str | Path] = ["-m", "infra.bench.programs.key_fleet", home, str(port)]
    sample: dict[str, float] = {}
    program += [vendor.name, str(vendor.port), *vendor.how]
    with answering(program, port, ground.folder, **vendor.trusting) as fleet:
        # What is looked up once for each lock is no part of a key.
        uvloop.run(made(partial(make_key, port, 0), port, MANY, lambda number: number < hotel.ROOMS))
        for many, first in ((1, hotel.ROOMS), (MANY, LATER)):
            make = partial(make_key, port, first)
            sample |= _loaded(vendor, fleet, make, many, ground)
    return sample


def _loaded(vendor: Vendor, fleet: Process, make: Make, many: int, ground: Ground) -> Sample:
    called, before, cpu = vendor.called(), counted_by(fleet), fleet.cpu_seconds()
    delays, took = uvloop.run(made(make, fleet.port, many, _while(ground)))
    # What a key leaves to be done after it is told belongs to its cost.
    after, keys = counted_by(fleet), len(delays)
    spent = {name: (after[name] - before.get(name, 0)) / keys for name in after}
    own = {name: _own(spent, name, vendor.name) for name in APART}
    name = vendor.figure
    beside = {BESIDE.format(name, counter, many): spent[counter] - own[counter] for counter in APART}
    return {
        **_speed(name, many, delays, took),
        CPU.format(name, many): (fleet.cpu_seconds() - cpu) / keys * 1e3,
        MEMORY.format(name, many): fleet.memory_megabytes()[1],
        POSTS.format(name, many): (vendor.called() - called) / keys,
        **{EACH.format(name, counter, many): {**spent, **own}[counter] for counter in COUNTED},
        **(beside if name != UNHEARD else {}),
    }


def _own(spent: Mapping[str, float], name: str, vendor: str) -> float:
    """Return what the functions spent that a key waits for."""
    return sum(spent.get(BY.format(name, each), 0) for each in ("on-booking-confirmed", f"adapter-{vendor}"))


def counted_by(fleet: Process) -> Mapping[str, int]:
    """Return what a fleet has counted, once nothing is under way."""
    return _asked(fleet.port, PATH)


def _while(ground: Ground) -> Wanted:
    until = time.perf_counter() + ground.effort.seconds
    return lambda number: number == 0 or time.perf_counter() < until


async def made(make: Make, port: int, many: int, wanted: Wanted) -> tuple[list[float], float]:
    """Make keys in a closed loop; return how long each took, and all together."""
    numbers, began = itertools.count(), time.perf_counter()
    each = await asyncio.gather(*(_in_a_row(make, port, numbers, wanted) for _ in range(many)))
    return [delay for delays in each for delay in delays], time.perf_counter() - began


async def _in_a_row(make: Make, port: int, numbers: Iterator[int], wanted: Wanted) -> list[float]:
    caller, delays = await Caller().open(port), list[float]()
    while wanted(number := next(numbers)):
        began = time.perf_counter()
        async with asyncio.timeout(PATIENCE_SECONDS):
            await make(number, caller)
        delays.append(time.perf_counter() - began)
    caller.close()
    return delays


async def make_key(port: int, first: int, number: int, caller: Caller) -> None:
    """Have a key made of a stay's number, counted from the first."""
    status = await caller.call(request(port, PATH, body=b"%d" % (first + number)))
    if status != 200:
        raise BenchError(f"a key was not issued: {status}")


def _speed(name: str, many: int, delays: list[float], took: float) -> Sample:
    return {
        RATE.format(name, many): len(delays) / took,
        P50.format(name, many): median(delays) * 1e3,
        P95.format(name, many): quantiles([*delays, delays[-1]], n=20)[-1] * 1e3,
    }


def _asked(port: int, path: str) -> Mapping[str, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_SECONDS)
    connection.request("GET", path, headers={"authorization": f"Bearer {CONTROL}"})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    if answer.status != 200:
        raise BenchError(f"{path} answered {answer.status}")
    counted: Mapping[str, Any] = json.loads(body)
    return counted


MEASURE = Measure("keys", FIGURES, take)
