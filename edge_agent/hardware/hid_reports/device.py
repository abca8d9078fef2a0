"""What a HID encoder is to us, and the real one behind it: hidapi, blocking, on a thread of its own."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol, TypeVar

from edge_agent.hardware.errors import LinkLost

_T = TypeVar("_T")


class HidDevice(Protocol):
    """Reports to and from one device. Every method raises LinkLost when it is gone."""

    async def write(self, report: bytes) -> None:
        """Send an output report; its first byte is the report's number."""

    async def read(self, size: int, seconds: float) -> bytes:
        """Return the next input report, or nothing in time."""

    async def send_feature(self, report: bytes) -> None:
        """Send a feature report; its first byte is the report's number."""

    async def get_feature(self, number: int, size: int) -> bytes:
        """Return a feature report."""

    async def close(self) -> None:
        """Let go of the device."""


def _library() -> Any:
    """Return hidapi: by the kernel's own driver where there is one, by libusb elsewhere."""
    try:
        import hidraw
    except ImportError:
        import hid as hidraw  # noqa: TID251 - hidapi's name where it has one backend only
    return hidraw


def enumerated() -> list[dict[str, Any]]:
    """Return what hidapi sees plugged in, as it says it."""
    return list(_library().enumerate())


class HidapiDevice:
    """A device that hidapi opened by its path."""

    def __init__(self, path: bytes, opened: Any = None) -> None:
        self._device = opened if opened is not None else _opened(path)
        # Reading waits for long, so it has a thread of its own; everything else takes turns on another.
        self._reading = ThreadPoolExecutor(1, thread_name_prefix="hid-read")
        self._asking = ThreadPoolExecutor(1, thread_name_prefix="hid")

    async def write(self, report: bytes) -> None:
        """Send an output report."""
        # After unplugging, hidapi's write returns -1 and raises nothing.
        if await self._call(self._device.write, report) < 0:
            raise LinkLost("the encoder is unplugged")

    async def read(self, size: int, seconds: float) -> bytes:
        """Return the next input report, or nothing in time."""
        read = partial(self._device.read, size, int(seconds * 1000))
        return bytes(await _on(self._reading, read))

    async def send_feature(self, report: bytes) -> None:
        """Send a feature report."""
        if await self._call(self._device.send_feature_report, report) < 0:
            raise LinkLost("the encoder is unplugged")

    async def get_feature(self, number: int, size: int) -> bytes:
        """Return a feature report."""
        return bytes(await self._call(self._device.get_feature_report, number, size))

    async def close(self) -> None:
        """Let go of the device."""
        await self._call(self._device.close)
        self._asking.shutdown(wait=False)
        self._reading.shutdown(wait=False)

    async def _call(self, work: Callable[..., _T], *arguments: object) -> _T:
        return await _on(self._asking, partial(work, *arguments))


async def _on(thread: ThreadPoolExecutor, work: Callable[[], _T]) -> _T:
    try:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
    except (OSError, ValueError) as error:
        # hidapi says ValueError of a handle that is closed.
        raise LinkLost("the encoder is unplugged") from error


def _opened(path: bytes) -> Any:
    device = _library().device()
    try:
        device.open_path(path)
    except OSError as error:
        raise LinkLost("the encoder cannot be opened: is it plugged in, and may this user use it?") from error
    return device
