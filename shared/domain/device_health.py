"""How a lock is, and when that is worth telling: levels with hysteresis, each crossing one fact.

| measure | from good to warning | to critical | back down only |
|---|---|---|---|
| battery, percent | at the vendor's threshold, else 25, or below | at 10 or below | ten above the threshold |
| clock, seconds off | over 300 | over 600 | under 240, and under 540 |
| silence | the vendor does not hear it, for a quarter of an hour | | when it is heard |
| firmware | older than its adapter needs | | when it is not |

What a lock said when it was asked itself and would not answer (it is frozen, nothing hears it) is kept until
it answers: its vendor's list may call it online all the while.

A measure that nobody took changes nothing: a silent lock's battery and clock stay what they were. What
somebody near a lock read of it by radio counts from when it was read: a later measure is not undone by it,
and a battery that its vendor only names again as before is no news against it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from typing import Annotated, Final

from shared.domain.instants import Moment
from shared.domain.stored import Stored

BATTERY_LOW: Final = 25
BATTERY_CRITICAL: Final = 10
BATTERY_BACK: Final = 10
SKEW_BOUNDS_MS: Final = (300_000, 600_000)
SKEW_BACK_MS: Final = 60_000
SILENT_FOR: Final = timedelta(minutes=15)


class Level(IntEnum):
    """How bad it is."""

    GOOD = 0
    WARNING = 1
    CRITICAL = 2


class Measure(StrEnum):
    """What was measured, as B §2.8 calls it."""

    BATTERY = "battery_low"
    CLOCK = "clock_skew"
    SILENCE = "offline"
    FIRMWARE = "firmware_out_of_date"


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a look at a lock brought: None where nobody could tell."""

    at: datetime
    online: bool
    last_seen_at: datetime
    battery: int | None = None
    battery_low_at: int | None = None
    skew_ms: int | None = None
    firmware: str | None = None
    oldest_firmware: str | None = None
    asked: bool = False
    """Whether the lock itself was asked, and not its vendor's list alone."""
    refusal: str | None = None
    """Why it did not answer, as causes are called; None if it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """How a lock was when it was looked at last; `silent_since` is None while it is heard."""

    looked_at: Moment | None = None
    last_seen_at: Moment | None = None
    silent_since: Annotated[Moment | None, Stored(omitted=True)] = None
    offline: bool = False
    """Whether its silence has been told."""
    battery: int | None = None
    battery_level: int = Level.GOOD
    skew_ms: int | None = None
    skew_level: int = Level.GOOD
    skew_at: Moment | None = None
    battery_at: Annotated[Moment | None, Stored(omitted=True)] = None
    """Since when the battery is known to be so: by its vendor's word, or by somebody near the lock."""
    listed_battery: Annotated[int | None, Stored(omitted=True)] = None
    """What its vendor said of it last, which may be what it heard long ago."""
    firmware: str | None = None
    firmware_old: bool = False
    refusal: Annotated[str | None, Stored(omitted=True)] = None
    """Why the lock itself did not answer when it was asked last; None if it did."""

    @property
    def doubtful(self) -> bool:
        """Say whether it may keep out who has a key: its clock is far off, or its battery nearly empty."""
        return Level.CRITICAL in (self.skew_level, self.battery_level)


@dataclass(frozen=True, slots=True)
class Crossing:
    """That a measure went over a threshold, or that a silent lock is heard again."""

    measure: Measure
    level: Level
    at: datetime
    since: datetime | None = None

    @property
    def back(self) -> bool:
        """Say whether it is good again: only of a silence is that told."""
        return self.level is Level.GOOD


def battery_threshold(looked: Looked) -> int:
    """Return at how much a battery is low: as its vendor says, else at a quarter."""
    return BATTERY_LOW if looked.battery_low_at is None else looked.battery_low_at


def looked_at(known: Condition, looked: Looked) -> tuple[Condition, tuple[Crossing, ...]]:
    """Return how a lock is after a look, and what is worth telling of it."""
    listed, looked = looked.battery, _without_old_news(known, looked)
    now = replace(
        _measured(known, looked),
        looked_at=looked.at,
        last_seen_at=max(filter(None, (known.last_seen_at, looked.last_seen_at))),
        battery_at=known.battery_at if listed in (None, known.listed_battery) else looked.at,
        listed_battery=known.listed_battery if listed is None else listed,
        firmware=looked.firmware or known.firmware,
        firmware_old=_is_old(known, looked),
        silent_since=_silent_since(known, looked),
        refusal=looked.refusal if looked.asked else known.refusal,
    )
    silent = now.silent_since is not None and looked.at >= now.silent_since + SILENT_FOR
    now = replace(now, offline=silent or (known.offline and not looked.online))
    return now, tuple(_crossings(known, now, looked))


def read_near(known: Condition, looked: Looked, *, clock_set: bool) -> tuple[Condition, tuple[Crossing, ...]]:
    """Return how a lock is after somebody near it read it by radio, and what is worth telling of that.

    Whether its vendor hears it stays as it was. A clock that was set there and then is right from then on.
    """
    looked = _without_what_is_late(known, looked)
    now = _measured(known, looked)
    if looked.battery is not None:
        now = replace(now, battery_at=looked.at)
    told = tuple(_crossings(known, now, looked))
    if clock_set and looked.skew_ms is not None:
        now = replace(now, skew_ms=0, skew_level=Level.GOOD)
    return now, told


def _measured(known: Condition, looked: Looked) -> Condition:
    return replace(
        known,
        battery=known.battery if looked.battery is None else looked.battery,
        battery_level=_battery_level(known, looked),
        skew_ms=known.skew_ms if looked.skew_ms is None else looked.skew_ms,
        skew_level=_skew_level(known, looked),
        skew_at=known.skew_at if looked.skew_ms is None else looked.at,
    )


def _without_what_is_late(known: Condition, looked: Looked) -> Looked:
    """Leave out each measure of which something newer is known, or just this."""
    battery_is_late = known.battery_at is not None and looked.at <= known.battery_at
    skew_is_late = known.skew_at is not None and looked.at <= known.skew_at
    return replace(
        looked,
        battery=None if battery_is_late else looked.battery,
        skew_ms=None if skew_is_late else looked.skew_ms,
    )


def _without_old_news(known: Condition, looked: Looked) -> Looked:
    """Leave out a battery that is only said again as before, where somebody read another since."""
    repeated = looked.battery is not None and looked.battery == known.listed_battery != known.battery
    return replace(looked, battery=None) if repeated else looked


def _crossings(known: Condition, now: Condition, looked: Looked) -> Iterator[Crossing]:
    for measure, before, after in (
        (Measure.BATTERY, known.battery_level, now.battery_level),
        (Measure.CLOCK, known.skew_level, now.skew_level),
        (Measure.FIRMWARE, int(known.firmware_old), int(now.firmware_old)),
    ):
        if after > before:
            yield Crossing(measure, Level(after), looked.at)
    if now.offline and not known.offline:
        yield Crossing(Measure.SILENCE, Level.WARNING, looked.at, now.silent_since)
    if known.offline and not now.offline:
        yield Crossing(Measure.SILENCE, Level.GOOD, looked.at, known.silent_since)


def _battery_level(known: Condition, looked: Looked) -> int:
    if looked.battery is None:
        return known.battery_level
    low = battery_threshold(looked)
    level = (looked.battery <= low) + (looked.battery <= min(BATTERY_CRITICAL, low))
    if level >= known.battery_level:
        return level
    # New batteries are told by how far above they are: one that is warm again is not new.
    return known.battery_level if looked.battery < low + BATTERY_BACK else Level.GOOD


def _skew_level(known: Condition, looked: Looked) -> int:
    if looked.skew_ms is None:
        return known.skew_level
    off = abs(looked.skew_ms)
    level = sum(off > bound for bound in SKEW_BOUNDS_MS)
    held = sum(off > bound - SKEW_BACK_MS for bound in SKEW_BOUNDS_MS)
    return max(level, min(known.skew_level, held))


def _silent_since(known: Condition, looked: Looked) -> datetime | None:
    if looked.online:
        return None
    if known.last_seen_at is None:
        return looked.at  # when it was heard last, nobody of ours remembers
    return known.silent_since or max(known.last_seen_at, looked.last_seen_at)


def _is_old(known: Condition, looked: Looked) -> bool:
    if looked.firmware is None or looked.oldest_firmware is None:
        return known.firmware_old and looked.firmware is None
    return _numbers(looked.firmware) < _numbers(looked.oldest_firmware)


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version's numbers, in order: 5.10 is newer than 5.9."""
    digits = "".join(each if each.isdigit() else " " for each in version)
    return tuple(int(part) for part in digits.split()) or (0,)
