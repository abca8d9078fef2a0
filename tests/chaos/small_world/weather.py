"""What goes wrong in a small world: drawn from one seed, written down as it happens, over with the storm."""

import asyncio
import contextlib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

USUAL = {
    "yield": 0.25,
    "pause": 0.06,
    "stall": 0.012,
    "freeze": 0.002,
    "die": 0.01,
    "kill": 0.004,
    "full": 0.01,
    "raced": 0.03,
    "unheard": 0.01,
    "unread": 0.006,
    "call-lost": 0.04,
    "answer-lost": 0.04,
    "hung-up": 0.03,
    "push-lost": 0.1,
    "push-doubled": 0.15,
    "ack-lost": 0.1,
    "started-twice": 0.25,
    "cancelled": 0.03,
    "vendor-5xx": 0.1,
    "vendor-silent": 0.06,
    "vendor-unheard": 0.1,
    "vendor-late": 0.12,
    "vendor-refuses": 0.02,
    "pin-taken": 0.05,
}
"""How often each fault strikes where it can, in weather of its usual strength."""
THEMES = (
    ("kill", "die", "stall", "freeze", "started-twice", "cancelled"),
    ("call-lost", "answer-lost", "hung-up", "push-lost", "push-doubled", "ack-lost", "started-twice"),
    ("full", "raced", "unheard", "unread", "yield", "pause", "stall"),
    ("vendor-5xx", "vendor-silent", "vendor-unheard", "vendor-late", "vendor-refuses", "pin-taken"),
)
STRENGTHS = (0, 0, 0.5, 1, 2, 4)
STORMS = (20, 60, 60, 150, 150, 150, 400, 400, 900)
"""How many seconds a storm may last."""
BLOWS = ("kill", "kill", "die", "die", "stall", "freeze")
PASSING = ("kill", "die", "freeze", "stall", "pause", "yield")
"""What may befall any line of the fleet, in the order of its being drawn."""


@dataclass(frozen=True, slots=True)
class Climate:
    """How strong every kind of fault is in one schedule, and for how many seconds."""

    rates: dict[str, float]
    storm: float
    outage: tuple[float, float]
    slow: float
    skew: float = 0.0
    """How many seconds the clocks of two machines may differ from ours."""
    blows: Mapping[int, str] = field(default_factory=dict)
    """What befalls the fleet for certain, by the number of the port call that it meets."""

    @classmethod
    def drawn(cls, chance: Random) -> "Climate":
        """Switch each kind off, or choose its strength: a fault that is always there hides others."""
        rates = {name: rate * chance.choice(STRENGTHS) for name, rate in _themed(chance).items()}
        storm = chance.choice(STORMS)
        start = chance.choice((0, chance.uniform(0, storm)))
        outage = (start, chance.uniform(start, storm)) if chance.random() < 0.35 else (0.0, 0.0)
        blows = {
            int(100 ** chance.uniform(0, 1.1)): chance.choice(BLOWS) for _ in range(chance.choice((0, 1, 2)))
        }
        return cls(rates, storm, outage, chance.choice((0.05, 1, 4)), chance.choice((0, 0.5, 3)), blows)


def _themed(chance: Random) -> dict[str, float]:
    """Let one kind of trouble prevail: what needs several faults of a kind at once is rare in a mixture."""
    theme = chance.choice((*THEMES, ()))
    return {name: rate * (3 if name in theme else 0.5 if theme else 1) for name, rate in USUAL.items()}


@dataclass(slots=True)
class Weather:
    """The climate as it strikes; `chance` is the only source of luck, and `trace` remembers everything."""

    chance: Random
    climate: Climate
    trace: list[tuple[float, str, str]] = field(default_factory=list)
    time: Callable[[], float] = lambda: 0.0
    """Seconds since the schedule began; whoever begins it puts its clock here."""
    _passed: int = 0
    _awaited: dict[int | str, asyncio.Event] = field(default_factory=dict)
    _limits: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self._limits = tuple(accumulate(self.climate.rates[name] for name in PASSING))

    @property
    def storming(self) -> bool:
        """Whether anything may still go wrong."""
        return self.time() < self.climate.storm

    @property
    def vendor_out(self) -> bool:
        """Whether the vendor is down altogether."""
        start, end = self.climate.outage
        return start <= self.time() < end

    def strikes(self, fault: str) -> bool:
        """Say whether a fault strikes here and now."""
        if not self.storming or self.chance.random() >= self.climate.rates[fault]:
            return False
        self.note("weather", fault)
        self._happened(fault)
        return True

    def passing(self) -> str | None:
        """Draw what befalls the line that is passing now."""
        self._passed += 1
        self._happened(self._passed)
        if not self.storming:
            return None
        if self._passed in self.climate.blows:
            return self.climate.blows[self._passed]
        return (*PASSING, None)[bisect_right(self._limits, self.chance.random())]

    async def reached(self, what: int | str, most: float) -> None:
        """Return when so many port calls have been made, or a fault has struck; or after so many seconds."""
        if isinstance(what, str) or self._passed < what:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(most):
                    await self._awaited.setdefault(what, asyncio.Event()).wait()

    def _happened(self, what: int | str) -> None:
        if what in self._awaited:
            self._awaited.pop(what).set()

    def seconds(self, most: float) -> float:
        """Draw a wait; once the storm is over everything is quick."""
        return self.chance.uniform(0, most if self.storming else min(most, 0.02))

    def note(self, who: str, what: str) -> None:
        """Write a line of the trace."""
        self.trace.append((round(self.time(), 6), who, what))


def clear_sky(seed: int = 0) -> Weather:
    """Return weather in which nothing happens."""
    return Weather(Random(seed), Climate(dict.fromkeys(USUAL, 0.0), 0, (0.0, 0.0), 0))
