"""How a key stands at a lock, as its vendor said last: kept with the grant, so that nobody need ask again."""

from dataclasses import dataclass
from typing import Annotated, Self

from shared.domain.instants import Moment
from shared.domain.kinds import KeyWarning
from shared.domain.replacing import born_open
from shared.domain.stored import Stored
from shared.ports.lock import KeyAtLock


@born_open
@dataclass(frozen=True, slots=True)
class KeyAtLockRecord:
    """When the key opens the lock, and what must be said of it; neither secret nor reference."""

    valid_from: Annotated[Moment, Stored("from")]
    valid_until: Annotated[Moment, Stored("until")]
    warnings: tuple[KeyWarning, ...] = ()

    @classmethod
    def of(cls, at_lock: KeyAtLock) -> Self:
        """Return what may be kept of a vendor's answer."""
        return cls(at_lock.valid_from, at_lock.valid_until, at_lock.warnings)
