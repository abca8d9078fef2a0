"""The requests that came in, with their secrets masked, and how often each operation was called."""

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

KEPT = 5000
MASK = "***"
SECRETS = frozenset(
    {
        "accessToken", "cardNumber", "clientSecret", "client_secret", "keyboardPwd", "newKeyboardPwd",
        "password", "qrCodeNumber", "refresh_token", "searchStr",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One request and what became of it; an answer of none means that the connection was cut."""

    at: datetime
    method: str
    path: str
    operation: str
    fields: Mapping[str, str]
    status: int | None
    errcode: int
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


def masked(fields: Mapping[str, str]) -> dict[str, str]:
    """Return fields with whatever opens a door or an account masked."""
    return {name: MASK if name in SECRETS else value for name, value in fields.items()}
