"""Hotels whose doors have a name each and no way to them but the vendor's cloud, and answers repeated."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

from pydantic import model_validator

from infra.simulators.kit.cloud import SimulatedCloud
from infra.simulators.kit.door import Door
from infra.simulators.kit.errors import Refused
from infra.simulators.kit.plan import DoorPlan, Plan, refuse_twins
from infra.simulators.kit.windows import DAY_MS

SAMPLE_LOCKS = (1_000_001, 1_000_101, 1_000_102, 1_000_203, 1_000_204)
D = TypeVar("D", bound=Door)


class NamedDoorPlan(DoorPlan):
    """One lock as it hangs on its door."""

    lock_id: str
    name: str


class NamedDoorsPlan(Plan):
    """Everything that is there before the first call; vendors add their own."""

    locks: tuple[Any, ...] = ()

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        refuse_twins("lockId", [lock.lock_id for lock in self.locks])
        return self

    @classmethod
    def of(cls, locks: Sequence[int]) -> Self:
        """Return a hotel of these locks."""
        return cls.model_validate(
            {"locks": [{"lockId": str(lock), "name": f"Room {lock}"} for lock in locks]}
        )

    @classmethod
    def sample(cls) -> Self:
        """Return the guesthouse of the embedded cloud's sample data."""
        return cls.of(SAMPLE_LOCKS)


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was answered to an idempotency key, and to which body; it is repeated for a day."""

    body: str = field(repr=False)
    answer: Any
    until_ms: int


@dataclass(slots=True, kw_only=True)
class NamedDoorsCloud(SimulatedCloud, Generic[D]):
    """Doors by their locks' ids."""

    names: dict[str, str] = field(default_factory=dict)
    doors: dict[str, D] = field(default_factory=dict)
    remembered: dict[str, Remembered] = field(default_factory=dict, repr=False)

    def hang(self, plan: NamedDoorPlan, door: D) -> None:
        """Hang a lock on its door."""
        self.names[plan.lock_id], self.doors[plan.lock_id] = plan.name, door

    def door(self, lock_id: str) -> D | None:
        """Return the door of a lock, or None."""
        return self.doors.get(lock_id)

    def recalled(self, key: str, body: str) -> Any:
        """Return what was answered to an idempotency key, or None; with another body it is refused."""
        known = self.remembered.get(key)
        if known is None or known.until_ms <= self.now_ms():
            return None
        if known.body != body:
            raise Refused("idempotency_key_reused")
        return known.answer

    def remember(self, key: str, body: str, answer: Any) -> None:
        """Keep what was answered to an idempotency key."""
        self.remembered[key] = Remembered(body, answer, self.now_ms() + DAY_MS)

    def state(self) -> Mapping[str, Any]:
        """Return all that is at each lock, beside what is listed of it."""
        return {"locks": [self.shown(door) for door in self.doors.values()], "gateways": []}

    def summary(self) -> Mapping[str, Sequence[Any] | int]:
        """Return what there is, without its state."""
        return {"locks": [*self.doors]}

    @abstractmethod
    def shown(self, door: D) -> dict[str, Any]:
        """Return a door, and what the vendor lists of it, as the control plane shows them."""
