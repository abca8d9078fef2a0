"""A device behind a pseudo-terminal: a serial port as the host sees it, at the pace of its baud rate.

Every byte takes ten bits, in both directions, one after the other; a device's radio comes on top, and an
adapter's latency timer may hold answers back. `busy` adds all of it up: no host can be faster than that.
"""

import heapq
import os
import select
import threading
import tty
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import Self

from infra.simulators.wires.device import Answer, Device

BITS_A_BYTE = 10
IDLE_SECONDS = 0.5


class PtyPort:
    """A port with a device on it, from entering to leaving, or to its unplugging."""

    def __init__(self, device: Device, baud: int = 0, latency: float = 0.0, piece: int = 0) -> None:
        self.device, self.baud, self.latency, self.piece = device, baud, latency, piece
        self.busy = 0.0
        self.path = ""
        self._due: list[tuple[float, int, Callable[[float], None]]] = []
        self._order = 0
        self._host_free = self._device_free = 0.0

    def __enter__(self) -> Self:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        self.path = os.ttyname(self._slave)
        self._stop_read, self._stop_write = os.pipe()
        self._thread = threading.Thread(target=self._serve, name="pty", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.unplug()

    def unplug(self) -> None:
        """Pull the plug: the host's next read or write fails."""
        if self._thread.is_alive():
            os.write(self._stop_write, b".")
            self._thread.join()
            for descriptor in (self._master, self._slave, self._stop_read, self._stop_write):
                os.close(descriptor)

    def _serve(self) -> None:
        while True:
            wait = max(self._due[0][0] - perf_counter(), 0.0) if self._due else IDLE_SECONDS
            ready, _, _ = select.select([self._master, self._stop_read], [], [], wait)
            if self._stop_read in ready:
                return
            if self._master in ready:
                self._hear(os.read(self._master, 4096))
            while self._due and self._due[0][0] <= perf_counter():
                when, _, act = heapq.heappop(self._due)
                act(when)

    def _hear(self, data: bytes) -> None:
        start = max(perf_counter(), self._host_free)
        self._host_free = start + self._wire(data)
        self._at(self._host_free, lambda when: self._answer(data, when))

    def _answer(self, data: bytes, when: float) -> None:
        for answer in self.device.receive(data):
            when = self._send(answer, max(when, self._device_free))

    def _send(self, answer: Answer, when: float) -> float:
        self.busy += answer.after
        when += answer.after
        size = self.piece or len(answer.data) or 1
        for at in range(0, len(answer.data), size):
            part = answer.data[at : at + size]
            when += self._wire(part)
            self._at(self._held(when), partial(self._write, part))
        self._device_free = when
        return when

    def _held(self, when: float) -> float:
        """Return when an adapter hands bytes on: at once, or when its timer next fires."""
        return when if not self.latency else -(-when // self.latency) * self.latency

    def _wire(self, data: bytes) -> float:
        seconds = len(data) * BITS_A_BYTE / self.baud if self.baud else 0.0
        self.busy += seconds
        return seconds

    def _write(self, data: bytes, _: float) -> None:
        with suppress(OSError):
            os.write(self._master, data)

    def _at(self, when: float, act: Callable[[float], None]) -> None:
        self._order += 1
        heapq.heappush(self._due, (when, self._order, act))
