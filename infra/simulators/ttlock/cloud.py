"""Everything TTLock's cloud believes, beside everything that is true at the doors."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from infra.simulators.kit.cloud import SimulatedCloud
from infra.simulators.kit.errors import Refused
from infra.simulators.kit.rows import ByLock
from infra.simulators.kit.windows import Window
from infra.simulators.ttlock.computed_codes import computed
from infra.simulators.ttlock.door import Door
from infra.simulators.ttlock.hotel import HotelPlan
from infra.simulators.ttlock.rows import (
    Account,
    Application,
    Card,
    EKey,
    Lock,
    Passcode,
    QrCode,
    Record,
    Token,
)


@dataclass(slots=True)
class Gateway:
    """A gateway: it hears some locks, and does one thing at a time."""

    gateway_id: int
    name: str
    mac: str
    version: int
    admin: str
    locks: tuple[int, ...]
    online: bool
    held_busy: bool = False
    working: bool = False
    lost_ms: int | None = None
    """Since when it is offline, if it ever was online."""

    @property
    def busy(self) -> bool:
        """Whether it must turn work away."""
        return self.working or self.held_busy

    def shown(self) -> dict[str, Any]:
        """Return what the control plane shows of it."""
        state = {"online": self.online, "busy": self.busy, "locks": [*self.locks]}
        return {"gatewayId": self.gateway_id, **state}


@dataclass(slots=True, kw_only=True)
class Cloud(SimulatedCloud):
    """Tables by id."""

    plan: HotelPlan
    code_secret: str = field(repr=False)
    applications: dict[str, Application] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=dict)
    access_tokens: dict[str, Token] = field(default_factory=dict, repr=False)
    refresh_tokens: dict[str, Token] = field(default_factory=dict, repr=False)
    locks: dict[int, Lock] = field(default_factory=dict)
    doors: dict[int, Door] = field(default_factory=dict)
    gateways: dict[int, Gateway] = field(default_factory=dict)
    passcodes: ByLock[Passcode] = field(default_factory=ByLock)
    spent_periods: set[tuple[int, int, Window]] = field(default_factory=set)
    cards: ByLock[Card] = field(default_factory=ByLock)
    ekeys: ByLock[EKey] = field(default_factory=ByLock)
    qr_codes: ByLock[QrCode] = field(default_factory=ByLock)
    records: ByLock[Record] = field(default_factory=ByLock)

    def lock(self, lock_id: int) -> Lock:
        """Return a lock, or refuse."""
        if lock_id not in self.locks:
            raise Refused(-1003)
        return self.locks[lock_id]

    def gateways_of(self, lock_id: int) -> list[Gateway]:
        """Return the gateways that hear a lock, the best one first."""
        if not self.doors[lock_id].in_reach:
            return []
        return [gateway for gateway in self.gateways.values() if lock_id in gateway.locks]

    def hour_offset(self, lock: Lock) -> int:
        """Return the offset of the clock whose whole hours random passcodes keep."""
        return lock.offset_ms if self.plan.hour_grid == "lock" else 0

    def computed_code(self, lock_id: int, kind: int, window: Window, turn: int) -> str:
        """Return what the algorithm gives for a lock."""
        return computed(f"{self.code_secret}|{lock_id}", kind, window, turn)

    def door(self, lock_id: str) -> Door | None:
        """Return the door of a lock, or None."""
        return self.doors.get(int(lock_id)) if lock_id.isdecimal() else None

    def state(self) -> Mapping[str, Any]:
        """Return all that is at each lock beside what is listed of it, and every gateway."""
        gateways = [gateway.shown() for gateway in self.gateways.values()]
        return {"locks": [self._lock_state(door) for door in self.doors.values()], "gateways": gateways}

    def summary(self) -> Mapping[str, Sequence[Any] | int]:
        """Return what there is, without its state."""
        return {"locks": [*self.locks], "gateways": [*self.gateways], "accounts": len(self.accounts)}

    def _lock_state(self, door: Door) -> dict[str, Any]:
        heard = any(gateway.online for gateway in self.gateways_of(door.lock_id))
        shown = door.shown(self.locks[door.lock_id].alias, self.now_ms(), heard=heard)
        shown["codes"] += door.computed_shown(self.now_ms())
        shown["ekeys"] = [
            {"keyId": key_id, "holder": key.holder, "listed": self.ekeys.get(key_id) is not None}
            for key_id, key in door.phones.items()
        ]
        return {**shown, "unsentRecords": len(door.log), "listed": self._listed(door.lock_id)}

    def _listed(self, lock_id: int) -> dict[str, list[dict[str, Any]]]:
        tables: Mapping[str, Sequence[Passcode | Card | EKey | QrCode]] = {
            "passcodes": self.passcodes.of(lock_id),
            "cards": self.cards.of(lock_id),
            "ekeys": self.ekeys.of(lock_id),
            "qrCodes": self.qr_codes.of(lock_id),
        }
        return {name: [asdict(row) for row in rows] for name, rows in tables.items()}
