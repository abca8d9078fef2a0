"""A serial port as a link, by pyserial: the loop hears it where it can, and never waits for a wire."""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final, Protocol

import serial

from edge_agent.hardware.errors import LinkLost

BAUD = 115_200
LOOK_SECONDS = 0.2
"""How long one read waits: the longest that closing takes where a read cannot be called off."""
WRITE_SECONDS = 2.0
AT_ONCE = 1024
"""Bytes that an empty queue of the system holds for certain; a page is usual."""
MOST = 4096
"""Bytes that are taken from the system at once."""
Heard = Callable[[bytes | None], None]
GONE = "the port is gone: the encoder was unplugged"


class Ears(Protocol):
    """What hears a port, and hands each piece to the link; None says that the port is gone."""

    def __init__(self, port: Any, loop: asyncio.AbstractEventLoop, heard: Heard) -> None:
        """Begin to listen."""

    def close(self) -> None:
        """Listen no more; called away from the loop."""


class LoopEars:
    """The loop itself hears the port: no thread is woken between the wire and whoever waits."""

    def __init__(self, port: Any, loop: asyncio.AbstractEventLoop, heard: Heard) -> None:
        self._port, self._loop, self._heard = port, loop, heard
        self._descriptor = port.fileno()
        loop.add_reader(self._descriptor, self._read)

    def close(self) -> None:
        """Listen no more."""
        done = threading.Event()
        self._loop.call_soon_threadsafe(self._deaf)
        self._loop.call_soon_threadsafe(done.set)
        done.wait()

    def _deaf(self) -> None:
        self._loop.remove_reader(self._descriptor)

    def _read(self) -> None:
        try:
            data = os.read(self._descriptor, MOST)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._deaf()
        self._heard(data or None)


class ThreadEars:
    """A thread hears the port, where the loop cannot: on Windows."""

    def __init__(self, port: Any, loop: asyncio.AbstractEventLoop, heard: Heard) -> None:
        self._port, self._loop, self._heard = port, loop, heard
        self._closing = False
        self._thread = threading.Thread(target=self._read, name="serial-read", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Listen no more."""
        self._closing = True
        self._port.cancel_read()
        self._thread.join()

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
            self._loop.call_soon_threadsafe(self._heard, data)


class SerialLink:
    """One open port, heard by the loop or by a thread; long writes have a thread of their own."""

    def __init__(self, port: Any, loop: asyncio.AbstractEventLoop, ears: type[Ears]) -> None:
        self._port, self._loop = port, loop
        self._came = bytearray()
        self._news = asyncio.Event()
        self._lost = self._closing = False
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="serial-write")
        self._ears = ears(port, loop, self._arrived)

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
        self._ears.close()
        self._writer.shutdown()
        self._port.close()

    def _arrived(self, data: bytes | None) -> None:
        self._lost = self._lost or data is None
        self._came += data or b""
        self._news.set()


EARS: Final[type[Ears]] = LoopEars if os.name == "posix" else ThreadEars


async def open_serial(path: str, baud: int = BAUD, ears: type[Ears] = EARS) -> SerialLink:
    """Open a port for ourselves alone, or raise LinkLost."""
    try:
        port = await asyncio.to_thread(_opened, path, baud)
    except (OSError, ValueError) as error:
        raise LinkLost("the port cannot be opened: is it plugged in, free, and ours to use?") from error
    return SerialLink(port, asyncio.get_running_loop(), ears)


def _opened(path: str, baud: int) -> Any:
    port = serial.Serial(path, baud, timeout=LOOK_SECONDS, write_timeout=WRITE_SECONDS, exclusive=True)
    # An FTDI adapter holds short answers back for 16 ms, which makes a card of many sectors take seconds.
    with suppress(AttributeError, OSError, ValueError):
        port.set_low_latency_mode(True)
    return port
