"""Desktops that listen to one instance, over the wire: when most hear of something, and what each holds.

Each is somebody of their own, signed in at a machine of their own, with a connection that stays open.
"""

import asyncio
import math
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, cast

import uvloop

from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.measures.backoffice import asked, signed_in
from infra.bench.processes import Process, answering
from infra.bench.programs.desktops import PATH, WORD
from infra.local.server import free_port

HEARD, HELD = "desktops.heard_p95_ms", "desktops.held_kb_each"
MANY, QUICKLY, EVENTS = 1000, 20, 20
MOST_MEGABYTES: Final = 150
STREAM: Final = "/backoffice-feed/bff/v1/events"
PATIENCE_SECONDS: Final = 30.0
FIGURES = {
    HEARD: Figure("ms", "lower", floor=200),
    HELD: Figure("kB", "lower", floor=MOST_MEGABYTES * 1000 / MANY),
}
Times = asyncio.Queue[float]


def take(ground: Ground) -> Sample:
    """Let a thousand listen; a quick look takes fewer."""
    many, port, home = QUICKLY if ground.effort.quick else MANY, free_port(), ground.folder / "desktops"
    program: list[str | Path] = ["-m", "infra.bench.programs.desktops", home, str(port)]
    with answering(program, port, ground.folder) as fleet:
        desks = [signed_in(number, home, port) for number in range(many)]
        return uvloop.run(_listened(fleet, desks))


class Desktop(asyncio.Protocol):
    """One desktop at the other end of its stream: it notes when it is there, and when it hears."""

    def __init__(self, request: bytes, there: Times, heard: Times) -> None:
        self._request, self._there, self._heard = request, there, heard

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the stream."""
        cast("asyncio.WriteTransport", transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        """Take in what is told: each event comes whole."""
        now = time.perf_counter()
        if b"retry: " in data:
            self._there.put_nowait(now)
        for _ in range(data.count(WORD.encode())):
            self._heard.put_nowait(now)


async def _listened(fleet: Process, desks: list[Mapping[str, str]]) -> Sample:
    loop, there, heard, before = asyncio.get_running_loop(), Times(), Times(), fleet.memory_megabytes()[0]
    opened = list[asyncio.BaseTransport]()
    try:
        for headers in desks:
            asks = partial(Desktop, _request(fleet.port, headers), there, heard)
            opened.append((await loop.create_connection(asks, "127.0.0.1", fleet.port))[0])
        await _all(there, len(desks))
        held = (fleet.memory_megabytes()[0] - before) / len(desks) * 1e3
        waits = sorted([each for _ in range(EVENTS) for each in await _told(fleet.port, heard, len(desks))])
        if not heard.empty():
            raise BenchError("a desktop heard of something twice: mend that first")
        return {HEARD: waits[math.ceil(0.95 * len(waits)) - 1] * 1e3, HELD: held}
    finally:
        for each in opened:
            each.close()
        await asyncio.sleep(0)


async def _told(port: int, heard: Times, many: int) -> list[float]:
    """Have something told, and return how long each took to hear of it."""
    began = time.perf_counter()
    telling = asyncio.ensure_future(asyncio.to_thread(asked, "POST", PATH, port, {}))
    try:
        return [each - began for each in await _all(heard, many)]
    finally:
        await telling


async def _all(told: Times, count: int) -> list[float]:
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return [await told.get() for _ in range(count)]
    except TimeoutError:
        raise BenchError("some desktops did not hear everything: mend that first") from None


def _request(port: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"GET {STREAM} HTTP/1.1", f"host: 127.0.0.1:{port}", "accept: text/event-stream"]
    return (
        "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items())]).encode() + b"\r\n\r\n"
    )


MEASURE = Measure("desktops", FIGURES, take)
