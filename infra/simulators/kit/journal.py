"""The requests that came in, with their secrets masked, and how often each operation was called."""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from infra.simulators.kit.errors import Code

KEPT = 5000
MASK = "***"


@dataclass(frozen=True, slots=True)
class Entry:
    """One request and what became of it; an answer of none means that the connection was cut."""

    at: datetime
    method: str
    path: str
    operation: str
    fields: Mapping[str, Any]
    status: int | None
    errcode: Code
    fault: str | None
    executed: bool


class Journal:
    """The last requests, and counts since the beginning."""

    def __init__(self) -> None:
        self.entries: deque[Entry] = deque(maxlen=KEPT)
        self.calls: Counter[str] = Counter()
        self.executed: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.faulted: Counter[str] = Counter()

    def write(self, entry: Entry) -> None:
        """Keep one request."""
        self.entries.append(entry)
        self.calls[entry.operation] += 1
        self.executed[entry.operation] += entry.executed
        self.refused[entry.operation] += bool(entry.errcode)
        self.faulted[entry.operation] += entry.fault is not None

    def counts(self) -> dict[str, dict[str, int]]:
        """Return the counts per operation: executed ones did what they were asked."""
        counters = {name: getattr(self, name) for name in ("calls", "executed", "refused", "faulted")}
        return {
            operation: {name: counter[operation] for name, counter in counters.items()}
            for operation in sorted(self.calls)
        }


def masked(fields: Mapping[str, Any], secrets: frozenset[str]) -> dict[str, Any]:
    """Return fields, those inside of others too, with whatever opens a door or an account masked."""
    return {name: MASK if name in secrets else _inside(value, secrets) for name, value in fields.items()}


def _inside(value: Any, secrets: frozenset[str]) -> Any:
    if isinstance(value, Mapping):
        return masked(value, secrets)
    return [_inside(each, secrets) for each in value] if isinstance(value, list) else value
