"""The far side of the mock: the keys its locks hold, which outlive the adapter."""

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
        others = (key for (at, other), key in self.keys.items() if at == device and other != name)
        return secret is not None and any(key.secret == secret for key in others)

    def opens(self, device: LockDeviceId, secret: Secret[str], at: datetime) -> bool:
        """Say whether a lock opens to a secret."""
        here = (key for (lock, _), key in self.keys.items() if lock == device and key.secret == secret)
        return any(not key.resting and key.start <= at < key.end for key in here)
