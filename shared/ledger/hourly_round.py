"""A round through a cell's houses: of which hour it is, how far it came, and until when somebody walks it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final, Self

from shared.domain.ids import PropertyId, TenantId
from shared.domain.instants import Moment
from shared.ledger.reading import read_record
from shared.ports.documents import Ref, TenantDocuments
from shared.streams.record import Record

ROUNDS: Final = "rounds"
AN_HOUR: Final = timedelta(hours=1)
CAUGHT_UP: Final = timedelta(hours=3)
"""So many hours of which nobody went round are made good, each with its own round."""
CALLED_EVERY: Final = timedelta(minutes=5)
"""Where nobody ever went round, the first round is that of the next hour; who comes later than this waits."""
WALKED_FOR: Final = timedelta(seconds=270)
"""Who walks longer is dead: a call is over before this, and the next comes after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round(Record):
    """`tenant` and `house`: the last house that was visited; houses are visited in the order of their ids."""

    schema_version: ClassVar[int] = 1

    name: str
    hour: Moment
    tenant: TenantId | None = None
    house: PropertyId | None = None
    over: bool = False
    walked_until: Moment | None = None

    @property
    def ref(self) -> Ref:
        """Where it is kept: the last one of each name is."""
        return Ref(ROUNDS, self.name)

    def walked(self, now: datetime) -> bool:
        """Say whether somebody walks it."""
        until = self.walked_until
        return until is not None and now < until <= now + WALKED_FOR

    def came_to(self, tenant: TenantId, house: PropertyId) -> Self:
        """Return it, one house further."""
        return replace(self, tenant=tenant, house=house)

    def due(self, now: datetime, minute: int) -> Self | None:
        """Return the round to be walked now, if there is one: this, if it is not over, or the next."""
        latest = hour_of(now, minute)
        if self.over and self.hour == latest:
            return None
        if not self.over and self.hour <= latest:
            return self
        hour = max(self.hour + AN_HOUR, latest - CAUGHT_UP) if self.hour < latest else latest
        return replace(self, hour=hour, tenant=None, house=None, over=False)


def hour_of(now: datetime, minute: int) -> datetime:
    """Return when the last round was to begin, by the minute that it begins at."""
    at = now.replace(minute=minute, second=0, microsecond=0)
    return at if at <= now else at - AN_HOUR


async def round_due(name: str, minute: int, store: TenantDocuments, now: datetime) -> Round | None:
    """Return the round that is to be walked now, unless there is none or somebody walks it."""
    found = await store.get(Ref(ROUNDS, name))
    if found is not None:
        last = read_record(Round, found)
        return None if last.walked(now) else last.due(now, minute)
    first = Round(name=name, hour=hour_of(now, minute))
    if now - first.hour < CALLED_EVERY:
        return first
    await replace(first, over=True).saved(store)
    return None
