"""What is true at a door, whatever the vendor's cloud believes: the lock's memory, clock and battery."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from infra.simulators.kit.windows import Reason, Window


@dataclass(slots=True)
class Written:
    """One code or card in the lock's memory."""

    window: Window
    used: bool = False

    def shown(self, lock_ms: int) -> dict[str, Any]:
        """Return what the control plane shows of it at a time of the lock's own clock."""
        window, now = self.window, self.window.judged(lock_ms)
        return {"start": window.start, "end": window.end, "used": self.used, "now": now}


@dataclass(slots=True, kw_only=True)
class Door:
    """One lock on its door."""

    lock_id: int | str
    battery: int = 90
    skew_ms: int = 0
    in_reach: bool = True
    frozen: bool = False
    codes: dict[str, Written] = field(default_factory=dict, repr=False)
    cards: dict[str, Written] = field(default_factory=dict, repr=False)

    def lock_ms(self, now_ms: int) -> int:
        """Return what the lock's own clock shows."""
        return now_ms + self.skew_ms

    def impaired(self) -> Reason | None:
        """Return why the lock opens to nothing at all, if it does not."""
        if not self.battery:
            return Reason.NO_POWER
        return Reason.FROZEN if self.frozen else None

    def verdict(self, written: Written | None, now_ms: int) -> Reason:
        """Return what the lock says to something that is in its memory, or is not."""
        if impaired := self.impaired():
            return impaired
        return written.window.judged(self.lock_ms(now_ms)) if written else Reason.UNKNOWN

    def shown(self, alias: str, now_ms: int, *, heard: bool) -> dict[str, Any]:
        """Return the lock's condition and memory, as every simulator's state shows them."""
        lock_ms = self.lock_ms(now_ms)
        return {
            "lockId": self.lock_id,
            "alias": alias,
            "skewSeconds": self.skew_ms / 1000,
            "battery": self.battery,
            "inReach": self.in_reach,
            "heard": heard,
            "frozen": self.frozen,
            "codes": _memory(self.codes, lock_ms, "code", source="custom"),
            "cards": _memory(self.cards, lock_ms, "number"),
            "ekeys": [],
            "unsentRecords": 0,
            "listed": {},
        }


def _memory(kept: Mapping[str, Written], lock_ms: int, name: str, **same: str) -> list[dict[str, Any]]:
    return [{name: secret, **same, **written.shown(lock_ms)} for secret, written in kept.items()]
