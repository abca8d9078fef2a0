"""The far side of the mock: the keys its locks hold, which outlive the adapter."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from shared.domain.grant_lifecycle import Placement
from shared.domain.ids import LockDeviceId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.ports.lock import KeyAtLock


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


def at_lock(kept: MockKey) -> KeyAtLock:
    """Return a key as it stands at its lock."""
    return KeyAtLock(
        vendor_ref=kept.ref,
        valid_from=kept.start,
        valid_until=kept.end,
        exposure_until=kept.end,
        placement=Placement.ON_LOCK,
        secret=kept.secret,
    )


def _mark(secret: Secret[str] | None) -> str:
    """Return what tells secrets apart quickly: a bench fills the locks with thousands of keys."""
    return "" if secret is None else hashlib.sha256(secret.reveal().encode()).hexdigest()


@dataclass(slots=True)
class MockCloud:
    """All keys, by lock and by name there."""

    locks: defaultdict[LockDeviceId, dict[str, MockKey]] = field(default_factory=lambda: defaultdict(dict))
    _numbers: "count[int]" = field(default_factory=lambda: count(1), repr=False)

    def new_ref(self) -> Secret[str]:
        """Return the next key's number."""
        return Secret(f"mock-{next(self._numbers)}")

    def taken(self, device: LockDeviceId, name: str, secret: Secret[str] | None) -> bool:
        """Say whether a key of another name at the lock has this secret."""
        mark, here = _mark(secret), self.locks[device]
        return secret is not None and any(key.mark == mark and held != name for held, key in here.items())

    def opens(self, device: LockDeviceId, secret: Secret[str], at: datetime) -> bool:
        """Say whether a lock opens to a secret."""
        here = (key for key in self.locks[device].values() if key.secret == secret)
        return any(not key.resting and key.start <= at < key.end for key in here)
