"""Reactions: one row per consumed event, held against the specification's two lists."""

from datetime import UTC, datetime
from typing import get_args

import pytest

from shared.domain.commands import Fail, Revoke
from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId
from shared.domain.kinds import FailureReason, RevokeReason, SuspendReason
from shared.domain.reactions import ENDINGS, REACTIONS, Action, ending_command, reaction_to
from shared.domain.states import Active, Failed, Pending, Requested, Revoked, State, Suspended

NOW = datetime(2026, 5, 1, tzinfo=UTC)
BOOKING = "melmastoon.reservation.booking."
EXPECTED = {
    f"{BOOKING}confirmed.v1": (Action.ISSUE, None),
    f"{BOOKING}dates_changed.v1": (Action.AMEND, None),
    f"{BOOKING}no_show.v1": (Action.SUSPEND, SuspendReason.NO_SHOW),
    f"{BOOKING}fraud_flagged.v1": (Action.SUSPEND, SuspendReason.FRAUD_REVIEW),
    f"{BOOKING}early_checkout.v1": (Action.REVOKE, RevokeReason.CHECKOUT),
    f"{BOOKING}checked_in.v1": (Action.NOTE_ARRIVAL, None),
    f"{BOOKING}checked_out.v1": (Action.REVOKE, RevokeReason.CHECKOUT),
    f"{BOOKING}cancelled.v1": (Action.REVOKE, RevokeReason.CANCELLATION),
    "melmastoon.staff.shift.started.v1": (Action.START_SHIFT, None),
    "melmastoon.staff.shift.ended.v1": (Action.END_SHIFT, None),
    "melmastoon.housekeeping.task.created.v1": (Action.ASSIGN_ROOMS, None),
    "melmastoon.housekeeping.task.transitioned.v1": (Action.ASSIGN_ROOMS, None),
    "melmastoon.maintenance.workorder.opened.v1": (Action.ASSIGN_ROOMS, None),
    "melmastoon.maintenance.workorder.transitioned.v1": (Action.ASSIGN_ROOMS, None),
    "melmastoon.iam.user.deactivated.v1": (Action.REVOKE_HELD_BY_USER, RevokeReason.SECURITY),
    "melmastoon.tenant.property.deactivated.v1": (Action.REVOKE_AT_PROPERTY, RevokeReason.SECURITY),
    "melmastoon.tenant.config_updated.v1": (Action.RELOAD_POLICY, None),
}
SHORT = {
    "reservation.confirmed.v1": "confirmed",
    "reservation.dates_changed.v1": "dates_changed",
    "reservation.no_show.v1": "no_show",
    "reservation.early_checkout.v1": "early_checkout",
    "reservation.checkout.v1": "checked_out",
    "melmastoon.reservation.checked_out.v1": "checked_out",
    "melmastoon.reservation.checked_in.v1": "checked_in",
    "reservation.cancelled.v1": "cancelled",
    "reservation.fraud_flagged.v1": "fraud_flagged",
}


def test_every_consumed_event_has_the_row_the_specification_gives_it():
    assert {row.subject: (row.action, row.reason) for row in REACTIONS} == EXPECTED


@pytest.mark.parametrize(("alias", "event"), SHORT.items())
def test_a_short_name_means_the_canonical_event(alias, event):
    assert reaction_to(alias).subject == f"{BOOKING}{event}.v1"


def test_a_disabled_user_is_a_deactivated_one():
    assert reaction_to("melmastoon.iam.user.disabled.v1") is reaction_to("melmastoon.iam.user.deactivated.v1")


def test_no_name_means_two_events():
    names = [name for row in REACTIONS for name in (row.subject, *row.aliases)]

    assert len(set(names)) == len(names)


def test_only_a_no_show_waits_for_the_policy():
    assert [row.subject for row in REACTIONS if row.delayed_by_policy] == [f"{BOOKING}no_show.v1"]


def test_an_event_outside_the_table_is_refused():
    with pytest.raises(InvalidInput, match="subject"):
        reaction_to("melmastoon.reservation.booking.confirmed.v2")


def test_every_state_has_an_ending():
    assert set(ENDINGS) == set(get_args(State))


@pytest.mark.parametrize("state", [Requested, Pending])
@pytest.mark.parametrize("reason", RevokeReason)
def test_withdrawing_a_key_that_never_worked_fails_it_with_the_same_reason(key_in, state, reason):
    key = key_in(state)

    command = ending_command(key, reason, at=NOW)

    assert command == Fail(at=NOW, reason=FailureReason(reason.value))
    assert isinstance(key.apply(command)[0].state, Failed)


@pytest.mark.parametrize("state", [Active, Suspended])
def test_withdrawing_a_key_that_works_or_rests_revokes_it(key_in, state):
    key = key_in(state)

    command = ending_command(key, RevokeReason.CANCELLATION, at=NOW, by=UserId("usr_1"))

    assert command == Revoke(at=NOW, by=UserId("usr_1"), reason=RevokeReason.CANCELLATION)
    assert isinstance(key.apply(command)[0].state, Revoked)


@pytest.mark.parametrize("state", [Revoked, Failed])
def test_withdrawing_a_key_that_is_over_asks_for_nothing(key_in, state):
    assert ending_command(key_in(state), RevokeReason.CHECKOUT, at=NOW) is None
