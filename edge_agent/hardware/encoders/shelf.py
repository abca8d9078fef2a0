"""A desk's encoders by name, and the watch that notices a plug being pulled or put in (A §14)."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Final

from edge_agent.hardware.encoders.encoder import DeskOfEncoders, Encoder
from edge_agent.hardware.encoders.models import EncoderSetup
from edge_agent.hardware.encoders.usb import Look, Sighting, hid_devices, serial_ports
from edge_agent.hardware.errors import NotSupported

LOOK_EVERY: Final = 1.0
"""Seconds. Listing what is plugged in takes a few milliseconds."""


@dataclass(frozen=True, slots=True)
class PlugNews:
    """An encoder came or went."""

    name: str
    plugged: bool


def everything_plugged_in() -> list[Sighting]:
    """Return every device an encoder could be."""
    return [*serial_ports(), *hid_devices()]


class EncoderShelf:
    """The encoders that a desk knows."""

    def __init__(
        self, setups: Iterable[EncoderSetup], desk: DeskOfEncoders, look: Look = everything_plugged_in
    ) -> None:
        self._encoders = {setup.name: Encoder(setup, desk, look) for setup in setups}
        self._plugged: dict[str, bool] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The encoders' names, in the order they were set up."""
        return tuple(self._encoders)

    def encoder(self, name: str) -> Encoder:
        """Return an encoder by its name."""
        if name not in self._encoders:
            raise NotSupported(f"no such encoder: name one of {', '.join(self._encoders) or 'none yet'}")
        return self._encoders[name]

    async def look(self) -> list[PlugNews]:
        """Look once, and return who came or went since the last look."""
        news = []
        for name, encoder in self._encoders.items():
            plugged = await encoder.tend()
            if self._plugged.get(name) is not plugged:
                news.append(PlugNews(name, plugged))
            self._plugged[name] = plugged
        return news

    async def watch(
        self, tell: Callable[[PlugNews], None], sleep: Callable[[float], Awaitable[None]]
    ) -> None:
        """Look again and again, and tell of what changes, until cancelled."""
        while True:
            for news in await self.look():
                tell(news)
            await sleep(LOOK_EVERY)

    async def close(self) -> None:
        """Let go of every encoder once its job is done."""
        for encoder in self._encoders.values():
            await encoder.close()
