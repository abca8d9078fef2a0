"""Each action of the table of reactions is one command's, and no handler decides for itself."""

from types import SimpleNamespace

import pytest

from shared.domain.kinds import RevokeReason
from shared.domain.reactions import REACTIONS, Action
from shared.usecases.hotels import reactions as of_hotels
from shared.usecases.staff import reactions as of_staff
from shared.usecases.stays import reactions as of_stays

TAKES_KEYS = {"dismiss", "close_property"}
TABLES = (of_stays.COMMANDS, of_staff.COMMANDS, of_hotels.COMMANDS)


def test_every_action_has_one_command():
    carried_out = [action for table in TABLES for action in table]
    assert sorted(carried_out) == sorted(Action)
    assert {row.action for row in REACTIONS} == set(Action)


@pytest.mark.parametrize(
    ("family", "subject", "module", "command"),
    [
        (of_staff, "melmastoon.staff.shift.started.v1", "hear_shift", "start_shift"),
        (of_staff, "melmastoon.staff.shift.ended.v1", "hear_shift", "end_shift"),
        (of_staff, "melmastoon.housekeeping.task.created.v1", "hear_task", "hear_task"),
        (of_staff, "melmastoon.maintenance.workorder.transitioned.v1", "hear_task", "hear_task"),
        (of_staff, "melmastoon.iam.user.disabled.v1", "dismiss", "dismiss"),
        (of_hotels, "melmastoon.tenant.config_updated.v1", "reload_policy", "hear_policy"),
        (of_hotels, "melmastoon.tenant.property.deactivated.v1", "begin_bulk", "close_property"),
    ],
)
async def test_an_event_is_carried_out_as_the_table_says(monkeypatch, family, subject, module, command):
    asked = []

    async def heard(*words):
        asked.append(words)

    monkeypatch.setattr(getattr(family, module), command, heard)
    await family.react(event := SimpleNamespace(subject=subject), "services")
    reason = [RevokeReason.SECURITY] if command in TAKES_KEYS else []
    assert asked == [(event, *reason, "services")]
