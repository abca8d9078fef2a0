"""Time and chance as a workflow sees them, and how a journal freezes both."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from infra.local.workflows.errors import MachineMisusedError
from shared.ports.ambient import Clock, Entropy


class Draws(Protocol):
    """Everything a workflow takes from the world without asking for an operation."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""

    def uuid(self) -> str:
        """A random UUID."""

    def callback_id(self) -> str:
        """An unguessable name for a callback endpoint."""


class AmbientDraws:
    """Draws from a clock and a source of chance."""

    def __init__(self, clock: Clock, entropy: Entropy) -> None:
        self._clock, self._entropy = clock, entropy

    def now(self) -> datetime:
        """The clock's instant."""
        return self._clock.now()

    def uuid(self) -> str:
        """A version 4 UUID."""
        return str(UUID(bytes=self._entropy.token(16), version=4))

    def callback_id(self) -> str:
        """128 bits of chance in hexadecimal."""
        return self._entropy.token(16).hex()


class RecordedDraws:
    """Gives back what was recorded, in order, then draws anew and keeps the new draws for the journal."""

    def __init__(self, recorded: Sequence[Any], source: Draws) -> None:
        self._recorded, self._source = list(recorded), source
        self._at = 0
        self.fresh: list[Any] = []

    def now(self) -> datetime:
        """The recorded or the present instant."""
        return datetime.fromisoformat(self._draw("now", lambda: self._source.now().isoformat()))

    def uuid(self) -> str:
        """The recorded or a new UUID."""
        return self._draw("uuid", self._source.uuid)

    def callback_id(self) -> str:
        """The recorded or a new callback id."""
        return self._draw("callback", self._source.callback_id)

    def take_fresh(self) -> list[Any]:
        """What was drawn since the last call, for the journal's next row."""
        fresh, self.fresh = self.fresh, []
        return fresh

    def _draw(self, kind: str, draw: Callable[[], str]) -> str:
        if self._recorded and self._at == len(self._recorded):
            self._recorded, self._at = [], 0  # used up: let it go
        if self._at < len(self._recorded):
            recorded_kind, value = self._recorded[self._at]
            self._at += 1
            if recorded_kind != kind:
                raise MachineMisusedError(
                    f"the journal recorded a draw of {recorded_kind}, the workflow asks for {kind}"
                )
            return str(value)
        value = draw()
        self.fresh.append([kind, value])
        return value
