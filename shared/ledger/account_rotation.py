"""A property's account at a vendor as it is kept beside its secret: since when it is used, and its next one.

| stage | means | next |
|---|---|---|
| resting | one account is used | awaiting, when somebody begins a rotation |
| awaiting | the next account is to be brought; one that is not good goes back | overlapping |
| overlapping | the next is used; the vendor may take the old one still | resting, once it refuses the old |

What is secret of an account is in none of these: only the numbers of the versions of its secret.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, ClassVar, Final, Self

from shared.domain.ids import PropertyId
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import VendorCode
from shared.domain.stored import Json, Stored
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.reading import read_record
from shared.ports.documents import Document, Ref, TenantDocuments
from shared.streams.record import Record

ACCOUNT_ROTATIONS: Final = "account_rotations"
LASTS: Final = timedelta(days=90)
"""How long an account's secret is used (A §13.5)."""
WARNED_BEFORE: Final = timedelta(days=14)
ASKED_EVERY: Final = timedelta(days=1)
"""So often somebody is reminded of what waits for them."""


class Stage(StrEnum):
    """How far a rotation is."""

    RESTING = "resting"
    AWAITING = "awaiting"
    OVERLAPPING = "overlapping"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountRotation(Record):
    """One account; `turn` counts its rotations, `execution` is the one that sees to this turn."""

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("in_use",)

    vendor: VendorCode
    property_id: PropertyId
    since: Moment
    """Since when the account is used, as far as we know."""
    stage: Stage = Stage.RESTING
    turn: int = 0
    by: Annotated[str | None, Stored(omitted=True)] = None
    because: Annotated[str | None, Stored(omitted=True)] = None
    execution: Annotated[str | None, Stored(omitted=True)] = None
    refused: Annotated[str | None, Stored(omitted=True)] = None
    """Why the last account that was brought was sent back, or cannot be tried yet."""
    old: Annotated[int | None, Stored(omitted=True)] = None
    new: Annotated[int | None, Stored(omitted=True)] = None
    again: Annotated[bool, Stored(omitted=True)] = False
    """The account that is used now was shown to somebody: with the end of this turn, the next begins."""
    due: Annotated[Moment | None, Stored("due_at", omitted=True)] = None

    def indexed(self) -> dict[str, Json]:
        """Return what the list of accounts goes by: those used longest come first."""
        return {"in_use": milliseconds(self.since)}

    @property
    def name(self) -> str:
        """What it is called among a tenant's."""
        return name_of(self.vendor, self.property_id)

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(ACCOUNT_ROTATIONS, self.name)

    def begun(self, by: str, because: str, now: datetime) -> Self:
        """Return it with a rotation begun."""
        fresh = replace(self, stage=Stage.AWAITING, turn=self.turn + 1, by=by, because=because)
        return replace(fresh, execution=None, refused=None, old=None, new=None, due=now + STARTED_WITHIN)

    @property
    def left_alone(self) -> bool:
        """Whether no execution has taken this turn up: whoever began it died, or was not heard."""
        return self.stage is not Stage.RESTING and self.execution is None

    def taken_up(self, execution: str, now: datetime) -> Self:
        """Return it with who sees to this turn; from now on people are waited for."""
        return replace(self, execution=execution, due=now + ASKED_EVERY)

    def begun_again(self, now: datetime) -> Self:
        """Return it for another execution, which takes it up soon or is begun once more."""
        return replace(self, execution=None, due=now + STARTED_WITHIN)

    def shown(self, by: str, now: datetime) -> Self:
        """Return it as somebody has seen the account that is used: it must be replaced."""
        if self.stage is Stage.RESTING:
            return self.begun(by, "break_glass", now)
        return replace(self, again=self.stage is Stage.OVERLAPPING)

    def taken(self, version: int, now: datetime) -> Self:
        """Return it with the next account in use, beside the old one."""
        return replace(
            self, stage=Stage.OVERLAPPING, new=version, since=now, refused=None, due=now + ASKED_EVERY
        )

    def over(self, now: datetime) -> Self:
        """Return it at rest, the old account being refused; or with the turn that is owed begun."""
        if self.again:
            return replace(self.begun(self.by or "", self.because or "", now), again=False, due=now)
        return replace(self, stage=Stage.RESTING, execution=None, due=max(self.warns_at, now + ASKED_EVERY))

    @property
    def warns_at(self) -> datetime:
        """When somebody is told that it is time."""
        return self.since + LASTS - WARNED_BEFORE


def name_of(vendor: VendorCode, property_id: PropertyId) -> str:
    """Return what a property's account at a vendor is called among its tenant's."""
    return f"{vendor}.{property_id}"


def first_seen(vendor: VendorCode, property_id: PropertyId, now: datetime) -> AccountRotation:
    """Return the record of an account of which nothing was kept."""
    record = AccountRotation(vendor=vendor, property_id=property_id, since=now)
    return replace(record, due=record.warns_at)


def rotation_from(found: Document) -> AccountRotation:
    """Read a record."""
    return read_record(AccountRotation, found)


async def find_rotation(
    store: TenantDocuments, vendor: VendorCode, property_id: PropertyId
) -> AccountRotation | None:
    """Return what is kept of an account, or None."""
    found = await store.get(Ref(ACCOUNT_ROTATIONS, name_of(vendor, property_id)))
    return None if found is None else rotation_from(found)
