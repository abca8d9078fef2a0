"""The life of a grant: its states, its commands and their table."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId
from shared.domain.lock_errors import check_cause


class Placement(StrEnum):
    """How far a placed key is known to have come."""

    ACCEPTED = "accepted"
    ON_LOCK = "on_lock"
    USED = "used"


class RemovalProof(StrEnum):
    """How we know that a key no longer opens."""

    NEVER_PLACED = "never_placed"
    VENDOR_CONFIRMED = "vendor_confirmed"
    LAPSED = "lapsed"
    CLOSED_BY_STAFF = "closed_by_staff"


@dataclass(frozen=True, slots=True)
class Intended:
    """Written down before the vendor is called; the vendor may or may not have it."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The vendor has it."""

    placement: Placement
    placed_at: datetime


@dataclass(frozen=True, slots=True)
class Resting:
    """It does not open for now, and may be woken."""

    since: datetime


@dataclass(frozen=True, slots=True)
class Removing:
    """It is to go, and the vendor has not yet agreed."""

    since: datetime


@dataclass(frozen=True, slots=True)
class Removed:
    """It opens nothing any more."""

    removed_at: datetime
    proof: RemovalProof
    closed_by: UserId | None = None

    def __post_init__(self) -> None:
        if (self.proof is RemovalProof.CLOSED_BY_STAFF) != (self.closed_by is not None):
            raise InvalidInput(
                "closedBy", "it does not fit the proof", "Name who closed it, only if somebody did"
            )


@dataclass(frozen=True, slots=True)
class Residual:
    """It still opens and we could not take it back: somebody must know until when."""

    since: datetime
    cause: str

    def __post_init__(self) -> None:
        check_cause(self.cause)


GrantState = Intended | Placed | Resting | Removing | Removed | Residual


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(_Step):
    """The vendor confirmed it, or told more about how far it has come."""

    placement: Placement = Placement.ACCEPTED
    exposure_until: datetime | None = None
    vendor_ref_index: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extend(_Step):
    """It is about to be told of a later end, and may open until then."""

    exposure_until: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Rest(_Step):
    """The vendor agrees that it does not open for now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw(_Step):
    """It is to go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmRemoval(_Step):
    """The vendor agrees that it is gone, or that it never was there."""

    proof: RemovalProof = RemovalProof.VENDOR_CONFIRMED


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp(_Step):
    """The vendor will not take it back."""

    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Close(_Step):
    """Somebody went to the door and saw that it no longer opens."""

    by: UserId


@dataclass(frozen=True, slots=True, kw_only=True)
class Lapse(_Step):
    """Its exposure is over."""


GrantCommand = Place | Extend | Rest | Withdraw | ConfirmRemoval | GiveUp | Close | Lapse

GRANT_TABLE: Final[Mapping[type[GrantState], Mapping[type[GrantCommand], type[GrantState]]]] = {
    Intended: {Place: Placed, Extend: Intended, Rest: Resting, Withdraw: Removing, GiveUp: Residual},
    Placed: {Place: Placed, Extend: Placed, Rest: Resting, Withdraw: Removing, GiveUp: Residual},
    Resting: {Place: Placed, Extend: Resting, Withdraw: Removing},
    Removing: {ConfirmRemoval: Removed, GiveUp: Residual},
    Residual: {
        Place: Placed,
        Extend: Residual,
        Rest: Resting,
        Withdraw: Removing,
        ConfirmRemoval: Removed,
        Close: Removed,
        Lapse: Removed,
    },
    Removed: {},
}
"""A failed or crashed attempt leaves `Intended`, which may only be removed at the vendor, never forgotten.

What was to rest and would not is residual as well: it still opens. It may yet rest, or be wanted again."""
