"""The far side of the mock: the keys its locks hold, which outlive the adapter."""

import hashlib
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from shared.domain.ids import LockDeviceId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret


@dataclass(frozen=True, slots=True)
class MockKey:
    """A key at a mock lock."""

    ref: Secret[str]
    kind: KeyCredentialKind
    secret: Secret[str] | None
    start: datetime
    end: datetime
    resting: bool = False
    mark: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "mark", _mark(self.secret))


def _mark(secret: Secret[str] | None) -> str:
    """Return what tells secrets apart quickly: a bench fills the locks with thousands of keys."""
    return "" if secret is None else hashlib.sha256(secret.reveal().encode()).hexdigest()


@dataclass(slots=True)
class MockCloud:
    """All keys, by lock and name."""

    keys: dict[tuple[LockDeviceId, str], MockKey] = field(default_factory=dict)
    _numbers: "count[int]" = field(default_factory=lambda: count(1), repr=False)

    def new_ref(self) -> Secret[str]:
        """Return the next key's number."""
        return Secret(f"mock-{next(self._numbers)}")

    def taken(self, device: LockDeviceId, name: str, secret: Secret[str] | None) -> bool:
        """Say whether a key of another name at the lock has this secret."""
        mark = _mark(secret)
        holders = (place for place, key in self.keys.items() if key.mark == mark)
        return secret is not None and any(at == device and other != name for at, other in holders)

    def opens(self, device: LockDeviceId, secret: Secret[str], at: datetime) -> bool:
        """Say whether a lock opens to a secret."""
        here = (key for (lock, _), key in self.keys.items() if lock == device and key.secret == secret)
        return any(not key.resting and key.start <= at < key.end for key in here)
