"""The simulated doors, as the demo tries and troubles them; what opens them stays in here."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from infra.cli.sim.simulator import Simulator
from shared.domain.secret import Secret

FRONT: Final = "Front door"
BOOKED: Final = (FRONT, "Room 101", "Room 102")
"""What a guest of both rooms must be able to open."""
NEIGHBOUR: Final = "Room 203"
ADDING, DELETING, OFFLINE = "adding", "deleting", "offline"
"""What every simulator has a word of its own for: two operations, and the fault that no relay is there."""


@dataclass(frozen=True, slots=True)
class Door:
    """A lock: what is in its memory, and under how many names the vendor's cloud lists that."""

    lock: int
    pins: tuple[Secret[str], ...]
    listed: int


class Doors:
    """All doors of the sample hotel."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator

    def seen(self) -> dict[str, Door]:
        """Return every door as it is now, by its name."""
        return {lock["alias"]: _door(lock) for lock in self._simulator.get("state")["locks"]}

    def holding(self) -> tuple[str, ...]:
        """Return which doors have any PIN."""
        return tuple(sorted(name for name, door in self.seen().items() if door.pins))

    def tried(self, names: tuple[str, ...], pin: Secret[str]) -> dict[str, str]:
        """Enter a PIN at some doors, and return what came of it: open, or why not."""
        locks = {name: door.lock for name, door in self.seen().items()}
        return {name: self._tried(locks[name], pin) for name in names}

    def written(self) -> int:
        """Return how often the vendor wrote a PIN into any lock."""
        counts: Mapping[str, int] = self._simulator.get("counters").get(self._words()[ADDING], {})
        return counts.get("executed", 0)

    def trouble(self, operation: str, fault: str, **rule: Any) -> None:
        """Let something go wrong at the vendor from now on."""
        words = self._words()
        body = {"operation": words[operation], "fault": words[OFFLINE] if fault == OFFLINE else fault}
        self._simulator.post("faults", {**body, **rule})

    def mend(self) -> None:
        """Let everything go right again."""
        self._simulator.delete("faults")

    @contextmanager
    def later(self, ahead: timedelta) -> Iterator[None]:
        """Be at the doors at another time, for a while."""
        self._simulator.post("clock", {"aheadSeconds": ahead.total_seconds()})
        try:
            yield
        finally:
            self._simulator.post("clock", {"aheadSeconds": 0})

    def _words(self) -> Mapping[str, str]:
        found: Mapping[str, str] = self._simulator.get("operations")
        return found

    def _tried(self, lock: int, pin: Secret[str]) -> str:
        return str(self._simulator.post(f"doors/{lock}/try", {"pin": pin.reveal()})["reason"])


def _door(lock: Mapping[str, Any]) -> Door:
    pins = tuple(Secret(str(code["code"])) for code in lock["codes"])
    return Door(lock["lockId"], pins, sum(map(len, lock["listed"].values())))


def another(pin: Secret[str]) -> Secret[str]:
    """Return a PIN that differs in every digit."""
    return Secret("".join(str((int(digit) + 5) % 10) for digit in pin.reveal()))
