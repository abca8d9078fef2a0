"""A serial port as a link: pyserial, blocking, on threads; asyncio sees bytes and never waits for a wire."""

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import serial

from edge_agent.hardware.errors import LinkLost

BAUD = 115_200
LOOK_SECONDS = 0.2
"""How long one read waits: the longest that closing takes where a read cannot be called off."""
WRITE_SECONDS = 2.0
AT_ONCE = 1024
"""Bytes that an empty queue of the system holds for certain; a page is usual."""
GONE = "the port is gone: the encoder was unplugged"


class SerialLink:
    """One open port: a thread reads, another writes."""

    def __init__(self, port: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._port, self._loop = port, loop
        self._came = bytearray()
        self._news = asyncio.Event()
        self._lost = self._closing = False
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="serial-write")
        self._reader = threading.Thread(target=self._read, name="serial-read", daemon=True)
        self._reader.start()

    async def send(self, data: bytes) -> None:
        """Hand bytes to the port."""
        if self._lost or self._closing:
            raise LinkLost(GONE)
        try:
            if self._fits(data):
                self._port.write(data)
            else:
                await self._loop.run_in_executor(self._writer, self._port.write, data)
        except OSError as error:
            raise LinkLost(GONE) from error

    def _fits(self, data: bytes) -> bool:
        """Say whether the system takes the bytes at once, so that no thread need be asked."""
        return os.name == "posix" and len(data) <= AT_ONCE and self._port.out_waiting == 0

    async def receive(self) -> bytes:
        """Wait for at least one byte."""
        while not self._came:
            if self._lost or self._closing:
                raise LinkLost(GONE)
            self._news.clear()
            await self._news.wait()
        data = bytes(self._came)
        self._came.clear()
        return data

    def discard(self) -> None:
        """Drop the bytes that came and were not received."""
        self._came.clear()

    async def close(self) -> None:
        """Let go of the port."""
        self._closing = True
        self._news.set()
        await asyncio.to_thread(self._shut)

    def _shut(self) -> None:
        self._port.cancel_read()
        self._reader.join()
        self._writer.shutdown()
        self._port.close()

    def _read(self) -> None:
        while not self._closing:
            try:
                # Whatever waits, or the next byte: never a wait for more than one.
                data = self._port.read(self._port.in_waiting or 1)
            except OSError:
                self._tell(None)
                return
            if data:
                self._tell(data)

    def _tell(self, data: bytes | None) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._arrived, data)

    def _arrived(self, data: bytes | None) -> None:
        self._lost = self._lost or data is None
        self._came += data or b""
        self._news.set()


async def open_serial(path: str, baud: int = BAUD) -> SerialLink:
    """Open a port for ourselves alone, or raise LinkLost."""
    try:
        port = await asyncio.to_thread(_opened, path, baud)
    except (OSError, ValueError) as error:
        raise LinkLost("the port cannot be opened: is it plugged in, free, and ours to use?") from error
    return SerialLink(port, asyncio.get_running_loop())


def _opened(path: str, baud: int) -> Any:
    port = serial.Serial(path, baud, timeout=LOOK_SECONDS, write_timeout=WRITE_SECONDS, exclusive=True)
    # An FTDI adapter holds short answers back for 16 ms, which makes a card of many sectors take seconds.
    with suppress(AttributeError, OSError, ValueError):
        port.set_low_latency_mode(True)
    return port
