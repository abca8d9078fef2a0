"""How a key stands at a lock, as its vendor said last: kept with the grant, so that nobody need ask again."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from shared.domain.kinds import KeyWarning
from shared.ledger.key_record import instant, milliseconds
from shared.ports.lock import KeyAtLock


@dataclass(frozen=True, slots=True)
class KeyAtLockRecord:
    """When the key opens the lock, and what must be said of it; neither secret nor reference."""

    valid_from: datetime
    valid_until: datetime
    warnings: tuple[KeyWarning, ...] = ()

    @classmethod
    def of(cls, at_lock: KeyAtLock) -> Self:
        """Return what may be kept of a vendor's answer."""
        return cls(at_lock.valid_from, at_lock.valid_until, at_lock.warnings)

    @classmethod
    def read(cls, kept: Mapping[str, Any] | None) -> Self | None:
        """Read what is kept, if anything is."""
        if kept is None:
            return None
        warnings = tuple(KeyWarning(each["code"], each["detail"]) for each in kept["warnings"])
        return cls(instant(kept["from"]), instant(kept["until"]), warnings)

    def document(self) -> dict[str, Any]:
        """Return what is to be kept."""
        warnings = [{"code": each.code, "detail": each.detail} for each in self.warnings]
        return {
            "from": milliseconds(self.valid_from),
            "until": milliseconds(self.valid_until),
            "warnings": warnings,
        }
