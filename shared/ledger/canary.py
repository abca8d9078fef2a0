"""A vendor's next build on trial, as it is kept (A §15.5): where it works, how far it came, and how it did.

| stage | means | ends |
|---|---|---|
| running | the next build is handed a share of the keys, step by step | promoted, rolled back, stopped |
| promoted | it came through every step: release it | |
| rolled_back | it did worse than the seven days before, or could not be asked | |
| stopped | a person ended it | |

Where it works stands with each property (`Property.next_builds`), so a key's own path reads nothing more.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.ids import PropertyId
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import VendorCode
from shared.domain.stored import Json, Stored
from shared.ledger.indexes import CANARIES, TRIALS
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record
from shared.streams.telling import DUE_AT

RUNS: Final = "canaries"
HANDED: Final = "canary_trials"
STALLED_AFTER: Final = timedelta(minutes=70)
"""Whoever sees to a trial says so more often."""
KEPT_FOR: Final = timedelta(days=30)
PAGE: Final = 500


class Stage(StrEnum):
    """How far a trial is."""

    RUNNING = "running"
    PROMOTED = "promoted"
    ROLLED_BACK = "rolled_back"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """How a build did, counted from what the ledger noted of each call; times are in milliseconds."""

    placed: int = 0
    unplaced: int = 0
    removed: int = 0
    unremoved: int = 0
    calls: int = 0
    errors: int = 0
    p95_ms: int | None = None
    worst_p95_ms: int | None = None
    """That of the slowest day."""


NONE_YET: Final = Figures()


@dataclass(frozen=True, slots=True, kw_only=True)
class Canary(Record):
    """One vendor's next build at one company; `turn` counts its trials, `execution` sees to this one."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("newest",)

    vendor: VendorCode
    pilot: PropertyId
    by: str
    began_at: Moment
    step_at: Moment
    turn: int = 1
    stage: Stage = Stage.RUNNING
    step: int = 0
    build: Annotated[str | None, Stored(omitted=True)] = None
    """What the next build calls itself; another one is no part of this trial."""
    before: Annotated[Figures | None, Stored(omitted=True)] = None
    figures: Figures = NONE_YET
    reason: Annotated[str | None, Stored(omitted=True)] = None
    told: bool = False
    """Whether somebody was called because of how it ended."""
    execution: Annotated[str | None, Stored(omitted=True)] = None
    due: Annotated[Moment | None, Stored(DUE_AT, omitted=True)] = None

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(RUNS, self.vendor)

    def indexed(self) -> dict[str, Json]:
        """Return what lists read."""
        return {"newest": -milliseconds(self.began_at)}

    @property
    def turn_name(self) -> str:
        """What the trials of this turn go by."""
        return turn_name(self.vendor, self.turn)

    def looked_at(self, now: datetime, **news: object) -> Self:
        """Return it looked at: meanwhile nobody else need see to it."""
        return replace(self, due=now + STALLED_AFTER, **news)  # type: ignore[arg-type]  # fields of ours, by name

    def ended(self, stage: Stage, reason: str | None = None) -> Self:
        """Return it over."""
        return replace(self, stage=stage, reason=reason, due=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(Record):
    """One piece of work that the next build was handed first, by an execution; open until it answered."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("turn", "began")

    name: str
    of_turn: str
    key: str
    opens: bool
    """Whether somebody is to get in by it; else it is to close something."""
    at: Moment
    execution: str
    ended_at: Annotated[Moment | None, Stored(omitted=True)] = None

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(HANDED, self.name)

    @property
    def kept_until(self) -> datetime:
        """When it goes: its figures stay."""
        return self.at + KEPT_FOR

    def indexed(self) -> dict[str, Json]:
        """Return what the figures of a turn are counted by."""
        return {"turn": self.of_turn, "began": milliseconds(self.at)}


def turn_name(vendor: VendorCode, turn: int) -> str:
    """Return what a turn of a vendor's goes by."""
    return f"{vendor}.{turn}"


def canary_from(found: Document) -> Canary:
    """Read a trial of a build."""
    return read_record(Canary, found)


def trial_from(found: Document) -> Trial:
    """Read what a next build was handed."""
    return read_record(Trial, found)


async def find_canary(store: TenantDocuments, vendor: VendorCode) -> Canary | None:
    """Return the last trial of a vendor's next build, or None."""
    found = await store.get(Ref(RUNS, vendor))
    return None if found is None else canary_from(found)


async def find_trial(store: TenantDocuments, name: str) -> Trial | None:
    """Return what a next build was handed under a name, or None."""
    found = await store.get(Ref(HANDED, name))
    return None if found is None else trial_from(found)


async def canaries_of(store: TenantDocuments) -> list[Canary]:
    """Return the last trial of each vendor's next build, the newest first."""
    return [canary_from(each) for each in await store.query(CANARIES, {}, limit=PAGE)]


async def trials_of(store: TenantDocuments, turn: str) -> list[Trial]:
    """Return all that a next build was handed in a turn, the oldest first."""
    page = await store.query(TRIALS, {"turn": turn}, limit=PAGE)
    found = list(page)
    while len(page) == PAGE:
        page = await store.query(TRIALS, {"turn": turn}, after=page[-1], limit=PAGE)
        found += page
    return [trial_from(each) for each in found]
