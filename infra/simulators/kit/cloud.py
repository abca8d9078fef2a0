"""The one state of a simulation: what a vendor's cloud believes is a subclass's, the instruments are here."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from random import Random
from typing import Any

from infra.simulators.kit.callbacks import Notices
from infra.simulators.kit.faults import FaultPlan
from infra.simulators.kit.journal import Journal
from infra.simulators.kit.latency import Latency
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.quota import Meter
from infra.simulators.kit.world import SimWorld

EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
MILLISECOND = timedelta(milliseconds=1)


@dataclass(slots=True, kw_only=True)
class SimulatedCloud(ABC):
    """What is no vendor's own: time, chance, ids, faults, the journal, callbacks on their way."""

    plan: Plan
    clock: Callable[[], datetime]
    chance: Random
    ids: Iterator[int]
    faults: FaultPlan
    latency: Latency
    journal: Journal = field(default_factory=Journal)
    notices: Notices = field(default_factory=Notices)
    hooks: dict[str, str | None] = field(default_factory=dict)
    """Where each client wants its callbacks, if anywhere."""
    meters: dict[str, Meter] = field(default_factory=dict)
    ahead: timedelta = timedelta()

    def now(self) -> datetime:
        """Return the simulated present."""
        return self.clock() + self.ahead

    def now_ms(self) -> int:
        """Return the simulated present in epoch milliseconds."""
        return (self.now() - EPOCH) // MILLISECOND

    def next_id(self) -> int:
        """Return a new id for anything."""
        return next(self.ids)

    def token(self) -> str:
        """Return 32 hexadecimal digits by chance."""
        return self.chance.randbytes(16).hex()

    @abstractmethod
    def door(self, lock_id: str) -> Any:
        """Return the door of a lock, or None."""

    @abstractmethod
    def state(self) -> Mapping[str, Any]:
        """Return every lock as the control plane shows it, and every gateway if there are any."""

    @abstractmethod
    def summary(self) -> Mapping[str, Sequence[Any] | int]:
        """Return what there is, without its state."""


def instruments(world: SimWorld, plan: Plan, seed: int) -> dict[str, Any]:
    """Return what a cloud is begun with; everything that chance decides comes from one seed."""
    chance = seeded(seed)
    return {
        "plan": plan,
        "clock": world.now,
        "chance": chance,
        "ids": count(chance.randrange(1_000_000, 9_000_000)),
        "faults": FaultPlan(world.faults, seeded(chance.getrandbits(64))),
        "latency": Latency(world.sleep, seeded(chance.getrandbits(64))),
    }


def seeded(seed: int) -> Random:
    """Return chance that comes again for the same seed."""
    # A simulation must be repeatable; nothing here protects anybody.
    return Random(seed)  # noqa: S311 - see above
