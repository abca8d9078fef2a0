"""The one state: everything the vendor's cloud believes, beside everything that is true at the doors."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from infra.simulators.ttlock.by_lock import ByLock
from infra.simulators.ttlock.door import Door
from infra.simulators.ttlock.errors import Refused
from infra.simulators.ttlock.faults import FaultPlan
from infra.simulators.ttlock.hotel import HotelPlan
from infra.simulators.ttlock.journal import Journal
from infra.simulators.ttlock.latency import Latency
from infra.simulators.ttlock.notices import Notices
from infra.simulators.ttlock.quota import Meter
from infra.simulators.ttlock.random_codes import computed
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
from infra.simulators.ttlock.window import Window

EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
MILLISECOND = timedelta(milliseconds=1)


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


@dataclass(slots=True)
class Cloud:
    """Tables by id, and the instruments of the simulation."""

    plan: HotelPlan
    clock: Callable[[], datetime]
    chance: Random
    ids: Iterator[int]
    faults: FaultPlan
    latency: Latency
    code_secret: str = field(repr=False)
    journal: Journal = field(default_factory=Journal)
    notices: Notices = field(default_factory=Notices)
    ahead: timedelta = timedelta()
    applications: dict[str, Application] = field(default_factory=dict)
    meters: dict[str, Meter] = field(default_factory=dict)
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

    def now(self) -> datetime:
        """Return the simulated present."""
        return self.clock() + self.ahead

    def now_ms(self) -> int:
        """Return the simulated present as the wire has it."""
        return (self.now() - EPOCH) // MILLISECOND

    def next_id(self) -> int:
        """Return a new id for anything."""
        return next(self.ids)

    def token(self) -> str:
        """Return 32 hexadecimal digits by chance."""
        return self.chance.randbytes(16).hex()

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
