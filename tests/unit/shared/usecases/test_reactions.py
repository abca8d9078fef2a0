"""Each action of the table of reactions is one command's, and no handler decides for itself."""

from types import SimpleNamespace

import pytest

from shared.domain.kinds import RevokeReason
from shared.domain.reactions import REACTIONS, Action
from shared.usecases.staff import reactions as of_staff
from shared.usecases.stays import reactions as of_stays

OF_TENANTS = {Action.RELOAD_POLICY, Action.REVOKE_AT_PROPERTY}
"""Of these each is one subject's alone: its entry point is its command."""


def test_every_action_has_one_command():
    assert of_stays.COMMANDS.keys() & of_staff.COMMANDS.keys() == set()
    assert of_stays.COMMANDS.keys() | of_staff.COMMANDS.keys() | OF_TENANTS == set(Action)
    assert {row.action for row in REACTIONS} == set(Action)


@pytest.mark.parametrize(
    ("subject", "module", "command"),
    [
        ("melmastoon.staff.shift.started.v1", "hear_shift", "start_shift"),
        ("melmastoon.staff.shift.ended.v1", "hear_shift", "end_shift"),
        ("melmastoon.housekeeping.task.created.v1", "hear_task", "hear_task"),
        ("melmastoon.maintenance.workorder.transitioned.v1", "hear_task", "hear_task"),
        ("melmastoon.iam.user.disabled.v1", "dismiss", "dismiss"),
    ],
)
async def test_an_event_of_staff_is_carried_out_as_the_table_says(monkeypatch, subject, module, command):
    asked = []

    async def heard(*words):
        asked.append(words)

    monkeypatch.setattr(getattr(of_staff, module), command, heard)
    await of_staff.react(event := SimpleNamespace(subject=subject), "services")
    reason = [RevokeReason.SECURITY] if command == "dismiss" else []
    assert asked == [(event, *reason, "services")]
