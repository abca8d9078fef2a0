"""What we do when something happens elsewhere: one row per consumed event."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from shared.domain.commands import Fail, Revoke
from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.kinds import SAGA, Actor, FailureReason, RevokeReason, SuspendReason
from shared.domain.states import Active, Failed, Pending, Requested, Revoked, State, Suspended


class Action(StrEnum):
    """What an event asks of us."""

    ISSUE = "issue"
    AMEND = "amend"
    SUSPEND = "suspend"
    REVOKE = "revoke"
    START_SHIFT = "start_shift"
    END_SHIFT = "end_shift"
    ASSIGN_ROOMS = "assign_rooms"
    REVOKE_HELD_BY_USER = "revoke_held_by_user"
    REVOKE_AT_PROPERTY = "revoke_at_property"
    RELOAD_POLICY = "reload_policy"
    NOTE_ARRIVAL = "note_arrival"


@dataclass(frozen=True, slots=True)
class Reaction:
    """One row: the event, what it asks, why, and the other names the specifications give it."""

    subject: str
    action: Action
    reason: SuspendReason | RevokeReason | None = None
    aliases: tuple[str, ...] = ()
    delayed_by_policy: bool = False


_BOOKING: Final = "melmastoon.reservation.booking."

REACTIONS: Final = (
    Reaction(f"{_BOOKING}confirmed.v1", Action.ISSUE, aliases=("reservation.confirmed.v1",)),
    Reaction(f"{_BOOKING}dates_changed.v1", Action.AMEND, aliases=("reservation.dates_changed.v1",)),
    Reaction(
        f"{_BOOKING}no_show.v1",
        Action.SUSPEND,
        SuspendReason.NO_SHOW,
        aliases=("reservation.no_show.v1",),
        delayed_by_policy=True,
    ),
    Reaction(
        f"{_BOOKING}fraud_flagged.v1",
        Action.SUSPEND,
        SuspendReason.FRAUD_REVIEW,
        aliases=("reservation.fraud_flagged.v1",),
    ),
    Reaction(
        f"{_BOOKING}early_checkout.v1",
        Action.REVOKE,
        RevokeReason.CHECKOUT,
        aliases=("reservation.early_checkout.v1",),
    ),
    Reaction(
        f"{_BOOKING}checked_in.v1", Action.NOTE_ARRIVAL, aliases=("melmastoon.reservation.checked_in.v1",)
    ),
    Reaction(
        f"{_BOOKING}checked_out.v1",
        Action.REVOKE,
        RevokeReason.CHECKOUT,
        aliases=("reservation.checkout.v1", "melmastoon.reservation.checked_out.v1"),
    ),
    Reaction(
        f"{_BOOKING}cancelled.v1",
        Action.REVOKE,
        RevokeReason.CANCELLATION,
        aliases=("reservation.cancelled.v1",),
    ),
    Reaction("melmastoon.staff.shift.started.v1", Action.START_SHIFT),
    Reaction("melmastoon.staff.shift.ended.v1", Action.END_SHIFT),
    Reaction("melmastoon.housekeeping.task.created.v1", Action.ASSIGN_ROOMS),
    Reaction("melmastoon.housekeeping.task.transitioned.v1", Action.ASSIGN_ROOMS),
    Reaction("melmastoon.maintenance.workorder.opened.v1", Action.ASSIGN_ROOMS),
    Reaction("melmastoon.maintenance.workorder.transitioned.v1", Action.ASSIGN_ROOMS),
    Reaction(
        "melmastoon.iam.user.deactivated.v1",
        Action.REVOKE_HELD_BY_USER,
        RevokeReason.SECURITY,
        aliases=("melmastoon.iam.user.disabled.v1",),
    ),
    Reaction("melmastoon.tenant.property.deactivated.v1", Action.REVOKE_AT_PROPERTY, RevokeReason.SECURITY),
    Reaction("melmastoon.tenant.config_updated.v1", Action.RELOAD_POLICY),
)

_BY_NAME: Final[Mapping[str, Reaction]] = {
    name: reaction for reaction in REACTIONS for name in (reaction.subject, *reaction.aliases)
}


def reaction_to(name: str) -> Reaction:
    """Return the row of an event, by its subject or one of its aliases."""
    if name not in _BY_NAME:
        raise InvalidInput("subject", "not an event we react to", "Subscribe only to subjects of the table")
    return _BY_NAME[name]


class Ending(StrEnum):
    """What withdrawing a key means in a state."""

    FAIL = "fail"
    REVOKE = "revoke"
    ALREADY_OVER = "already_over"


ENDINGS: Final[Mapping[type[State], Ending]] = {
    Requested: Ending.FAIL,
    Pending: Ending.FAIL,
    Active: Ending.REVOKE,
    Suspended: Ending.REVOKE,
    Revoked: Ending.ALREADY_OVER,
    Failed: Ending.ALREADY_OVER,
}


def ending_command(
    credential: KeyCredential, reason: RevokeReason, *, at: datetime, by: Actor = SAGA
) -> Revoke | Fail | None:
    """Return the command that ends a key for a reason, whatever its state; None if it is over already."""
    ending = ENDINGS[type(credential.state)]
    if ending is Ending.FAIL:
        return Fail(at=at, by=by, reason=FailureReason(reason.value))
    if ending is Ending.REVOKE:
        return Revoke(at=at, by=by, reason=reason)
    return None
