"""What may be asked of one application of a vendor, as a value that all processes share through the store.

Vendors count calls in any minute; so do we. How a block of calls is taken:

1. A block that can be spent no more is counted for one period yet, and then forgotten.
2. What is not counted is free. The last one or two are kept for who is to lose a key, or stands at a door.
3. Calls are spread evenly: each has its moment, a few at once if nobody called lately. The urgent book ahead.
4. Each call can be made until shortly after its moment. Whoever dies holding some costs these, and no more.
5. While there is plenty, some spare calls go with them, for a minute: most lone keys write nothing here.

Times are milliseconds of the shared time (`shared_time`). Decision 0046.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any, Final, Self

from shared.vendor_kit.calm.month import NO_MONTH, Month
from shared.vendor_kit.calm.urgency import Urgency

LATE: Final = 200
"""So long after its moment a call can still be made."""
APART: Final = 1500
"""No two processes that follow the shared time of a minute's limit are further apart."""
SPARE_LASTS: Final = 60_000
AHEAD: Final[Mapping[Urgency, float]] = {
    Urgency.REVOKE: 3000,
    Urgency.DOOR: 1000,
    Urgency.BULK: 1000,
    Urgency.ISSUE: 500,
    Urgency.POLL: 0,
}
"""How far ahead calls may be booked: whoever may look further gets the next before others."""
LONG: Final = 3000
KEPT_BACK: Final[Mapping[Urgency, tuple[float, float]]] = {
    Urgency.REVOKE: (0.0, 0.0),
    Urgency.DOOR: (0.01, 0.03),
    Urgency.BULK: (0.01, 0.02),
    Urgency.ISSUE: (0.01, 0.05),
    Urgency.POLL: (0.01, 0.05),
}
"""The part of a limit that is left to the more urgent, and where nothing is to be had for long."""
SELDOM: Final = 200
"""No less than this lies between two blocks, but for urgent calls: the store is written to seldom."""
GROWS: Final[Mapping[Urgency, float]] = {
    Urgency.REVOKE: 0,
    Urgency.DOOR: 0.1,
    Urgency.BULK: 0.1,
    Urgency.ISSUE: 0.1,
    Urgency.POLL: 0.3,
}
"""By so much of the time that somebody waits they may look further ahead, at most to here."""
FURTHEST: Final = 1500
CATCHES_UP: Final = 2
"""So many of many keys that go at once are made up for at one moment, if they were late: a burst comes back
each period, as a hole before it and a burst behind it, and nothing is to be had while the hole lasts."""
PARTS: Final = 400
"""Blocks that end within so small a part of the period are counted as one."""
SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """So many calls in any period of seconds, as a vendor declares it, and how many of them at once.

    With `spare` calls a process that is alone takes so many more, which it can make within a minute. A vendor
    that counts `monthly` calls too begins its months by a clock so many hours ahead of UTC.
    """

    calls: int
    seconds: float = 60.0
    burst: int = 5
    spare: int = 0
    monthly: int | None = None
    month_ahead: float = 0.0

    def month(self, at: datetime) -> str:
        """Return the month that a call counts in."""
        return (at + timedelta(hours=self.month_ahead)).strftime("%Y-%m")

    @property
    def period(self) -> float:
        """The period in milliseconds."""
        return self.seconds * 1000

    @property
    def apart(self) -> float:
        """How far apart two processes may be in the shared time."""
        return min(APART, self.period * 0.03)

    @property
    def counted_for(self) -> float:
        """For how long a call is counted after it cannot be made any more."""
        return self.period + self.apart

    @property
    def late(self) -> float:
        """For how long after its moment a call can still be made."""
        return min(LATE, self.period * 0.02)

    @property
    def interval(self) -> float:
        """The time from one call to the next when they are spread evenly."""
        return (self.counted_for + self.late + self.part) / (self.calls - self.kept_back(Urgency.ISSUE))

    @property
    def part(self) -> float:
        """The part of the period within which calls are counted as one block."""
        return self.period / PARTS

    def kept_back(self, urgency: Urgency, relief: float = 0.0) -> int:
        """Return how many calls are left to the more urgent: more, where there will be none for long."""
        least, most = KEPT_BACK[urgency]
        return int(self.calls * (most if relief > LONG else least))


@dataclass(frozen=True, slots=True)
class Block:
    """Some calls that somebody has taken, and until when they can be made."""

    calls: int
    until: float


@dataclass(frozen=True, slots=True)
class Wish:
    """How many calls somebody wants who has waited for so long; and what is over of those taken before."""

    calls: int
    urgency: Urgency
    waited: float = 0.0
    notice: float = 0.0
    """For so long they will not know what they have got: the store must answer first."""
    over: "tuple[Block, Block] | None" = None
    """A block of spare calls as it was taken, and as it was spent."""

    @property
    def ahead(self) -> float:
        """How far ahead they may look."""
        return max(
            AHEAD[self.urgency], min(FURTHEST, AHEAD[self.urgency] + GROWS[self.urgency] * self.waited)
        )


@dataclass(frozen=True, slots=True)
class Granted:
    """Calls that may be made: each from its moment on for a while, and perhaps some at any time to an end."""

    moments: tuple[float, ...]
    spare: Block | None = None


@dataclass(frozen=True, slots=True)
class Allowance:
    """What was taken of a limit lately, the oldest first, and the moment of the next call."""

    limit: Limit
    at: float = float("-inf")
    next_at: float = float("-inf")
    blocks: tuple[Block, ...] = ()
    month: Month = NO_MONTH

    def in_month(self, name: str) -> Self:
        """Return the allowance in the present month: what was taken in another counts no more."""
        return self if self.month.name == name else replace(self, month=Month(name))

    def take(self, now: float, wish: Wish) -> tuple[Self, Granted] | None:
        """Take a block, or nothing if there is nothing to be had yet."""
        here = self._settled(wish).counted(now)
        moments = here.moments(now, wish)
        if not moments:
            return None
        spare = here.spare(now, len(moments))
        granted = Granted(tuple(max(now + wish.notice, each) for each in moments), spare)
        blocks = here.having(*here.blocks_of(granted))
        taken = len(moments) + (0 if spare is None else spare.calls)
        month = replace(here.month, spent=here.month.spent + taken)
        next_at = moments[-1] + self.limit.interval
        return replace(here, at=now, next_at=next_at, blocks=blocks, month=month), granted

    def wait(self, now: float, wish: Wish) -> float:
        """Return for how long there will be nothing, as far as is known now."""
        first = self._first(now, wish)
        here = self.counted(max(now, first))
        paced = max(first - wish.ahead - wish.notice - now, self._too_soon(now, wish))
        if here.free(now, wish.urgency) > 0:
            return max(0.0, paced)
        return max(paced, here.relief(now))

    def _settled(self, wish: Wish) -> Self:
        """Give back what nobody made of a block."""
        taken, spent = wish.over or (None, None)
        if taken not in self.blocks or spent is None:
            return self
        others = list(self.blocks)
        others.remove(taken)
        month = replace(self.month, spent=max(0, self.month.spent - taken.calls + spent.calls))
        rest = replace(self, blocks=tuple(others), month=month)
        return replace(rest, blocks=rest.having(spent)) if spent.calls else rest

    def counted(self, now: float) -> Self:
        """Return the allowance without the blocks that are counted no more."""
        counted_for = self.limit.counted_for
        living = tuple(each for each in self.blocks if each.until + counted_for > now)
        return replace(self, blocks=living)

    def moments(self, now: float, wish: Wish) -> tuple[float, ...]:
        """Return the moments of the calls that can be had now."""
        each, known, first = self.limit.interval, now + wish.notice, self._first(now, wish)
        if first > known + wish.ahead or self._too_soon(now, wish) > 0:
            return ()
        paced = min(wish.calls, int((known + wish.ahead - first) / each) + 1)
        moments = enumerate(first + number * each for number in range(paced))
        # At a later moment, more of those before are counted no more; one that is not free is for later.
        free = takewhile(lambda at: at[0] < self.counted(max(known, at[1])).free(now, wish.urgency), moments)
        return tuple(moment for _, moment in free)

    def _first(self, now: float, wish: Wish) -> float:
        most = min(CATCHES_UP, self.limit.burst) if wish.urgency is Urgency.BULK else self.limit.burst
        burst = (most - 1) * self.limit.interval
        return max(self.next_at, now + wish.notice - burst)

    def _too_soon(self, now: float, wish: Wish) -> float:
        often = wish.urgency > Urgency.DOOR and self.limit.interval < SELDOM
        return self.at + SELDOM - now if often else 0.0

    def free(self, now: float, urgency: Urgency) -> int:
        """Return how many calls may be taken, whatever their moments."""
        left = self.limit.calls - self._used - self.limit.kept_back(urgency, self.relief(now))
        return int(min(left, self.month.left(self.limit.monthly, urgency)))

    @property
    def _used(self) -> int:
        return sum(block.calls for block in self.blocks)

    def relief(self, now: float) -> float:
        """Return how long it will be before a block is counted no more."""
        return min((each.until for each in self.blocks), default=now) + self.limit.counted_for - now

    def spare(self, now: float, count: int) -> Block | None:
        """Return what more goes with so many calls: nothing unless there is plenty."""
        calls = self.limit.spare
        plenty = self._used + count + calls <= self.limit.calls // 3
        return Block(calls, now + SPARE_LASTS) if calls and plenty else None

    def blocks_of(self, granted: Granted) -> list[Block]:
        """Return how calls are counted that somebody is granted."""
        each = [Block(1, moment + self.limit.late) for moment in granted.moments]
        return each if granted.spare is None else [*each, granted.spare]

    def having(self, *more: Block) -> tuple[Block, ...]:
        """Return the blocks and one more, in the order of their ends; neighbours are counted as one."""
        merged: list[Block] = []
        part = self.limit.part
        for each in sorted((*self.blocks, *more), key=lambda one: one.until):
            if merged and merged[-1].until // part == each.until // part:
                merged[-1] = Block(merged[-1].calls + each.calls, each.until)
            else:
                merged.append(each)
        return tuple(merged)

    def to_document(self) -> dict[str, Any]:
        """Return what is kept."""
        return {
            "schema_version": SCHEMA_VERSION,
            "at": round(self.at, 3),
            "next_at": round(self.next_at, 3),
            "blocks": [[round(each.until, 3), each.calls] for each in self.blocks],
            "month": self.month.name,
            "spent": self.month.spent,
            "reserved": self.month.reserved,
            "limit": {
                "calls": self.limit.calls,
                "seconds": self.limit.seconds,
                "monthly": self.limit.monthly,
                "month_ahead": self.limit.month_ahead,
            },
        }

    @classmethod
    def from_document(cls, limit: Limit, data: Mapping[str, Any]) -> Self:
        """Read what was kept; whoever declares another limit counts the same calls by it."""
        blocks = tuple(Block(calls, until) for until, calls in data["blocks"])
        month = Month(data.get("month", ""), data.get("spent", 0), data.get("reserved", 0))
        return cls(limit, data["at"], data["next_at"], blocks, month)
