"""What a day did to the stores, the functions and the engine, noted as it happens in virtual time."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from infra.local.documents.keys import keys_of
from shared.ports.documents import Delete, Index, Write
from shared.runtime.indexes import INDEXES
from shared.streams.telling import DUE_AT

DAY: Final = 86_400
MINUTE: Final = 60
_OF: Final[Mapping[str, tuple[Index, ...]]] = {
    name: tuple(index for index in INDEXES if index.collection == name)
    for name in sorted({index.collection for index in INDEXES})
}
SWEPT: Final = frozenset(index.collection for index in INDEXES if index.swept and index.order_by == DUE_AT)
Place = tuple[str, str, str]
"""Tenant, collection, id."""


@dataclass(frozen=True, slots=True)
class Late:
    """Something that was due, and was tended after that: when, and how much later, in seconds."""

    collection: str
    at: float
    seconds: float


@dataclass(slots=True)
class Tally:
    """Everything that is counted of a run, day by day; times are seconds since its first midnight."""

    counts: Counter[tuple[int, str]] = field(default_factory=Counter)
    per_second: Counter[tuple[Place, int]] = field(default_factory=Counter)
    calls: dict[str, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    vendor: list[tuple[int, float]] = field(default_factory=list)
    late: list[Late] = field(default_factory=list)
    waiting: int = 0
    """The most tasks and deliveries that waited at the end of a minute."""
    _due: dict[Place, float] = field(default_factory=dict)

    def count(self, what: str, at: float, many: int = 1) -> None:
        """Count something under the day on which it was; what was before the first is nobody's."""
        if at >= 0:
            self.counts[int(at // DAY), what] += many

    def called(self, name: str, began: float, ended: float) -> None:
        """Note a call of a function."""
        if began >= 0:
            self.count(f"calls of {name}", began)
            self.calls[name].append((began, ended))

    def written(self, tenant: str, writes: Sequence[Write], at: float) -> None:
        """Note a commit."""
        for write in writes:
            place = (tenant, write.ref.collection, write.ref.id)
            self.count(f"writes to {write.ref.collection}", at)
            self.per_second[place, int(at)] += at >= 0
            data = {} if isinstance(write, Delete) else write.data
            self._index(write.ref.collection, data, at)
            if write.ref.collection in SWEPT:
                self._put_off(place, data.get(DUE_AT), at)

    def _index(self, collection: str, data: Mapping[str, Any], at: float) -> None:
        for index in _OF.get(collection, ()):
            if None not in keys_of(data, (*index.equals, index.order_by)):
                self.count(f"entries of {index.name}", at)

    def _put_off(self, place: Place, due: Any, at: float) -> None:
        before = self._due.pop(place, None)
        if before is not None and before < at:
            self.late.append(Late(place[1], at, at - before))
        if due is not None:
            self._due[place] = due / 1000 - self.midnight

    midnight: float = 0.0
    """The first midnight, as the documents know it."""

    def hottest(self) -> dict[str, tuple[int, int]]:
        """Return of each collection how often one document was written within a second, and a minute."""
        seconds, minutes = Counter[str](), Counter[tuple[Place, int]]()
        for (place, second), count in self.per_second.items():
            seconds[place[1]] = max(seconds[place[1]], count)
            minutes[place, second // MINUTE] += count
        most = Counter[str]()
        for (place, _), count in minutes.items():
            most[place[1]] = max(most[place[1]], count)
        return {name: (seconds[name], most[name]) for name in sorted(seconds)}

    def most_calls_a_minute(self) -> int:
        """Return the most calls that one application made within a minute by the clock."""
        return max(Counter((house, at // MINUTE) for house, at in self.vendor).values(), default=0)
