"""Entry points for staff: what an event asks, the table of reactions says; what is ordered, a manager."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from shared.runtime.entry import step, subscriber
from shared.runtime.platform import Platform

if TYPE_CHECKING:
    from shared.events.envelope import Event  # the models load with the first event, not at start

Body = Mapping[str, Any]
TASK, WORK_ORDER = "melmastoon.housekeeping.task", "melmastoon.maintenance.workorder"


@subscriber("melmastoon.staff.shift.started.v1")
async def on_shift_started(event: "Event", on: Platform) -> None:
    """Let somebody open what their shift is for."""
    await _react(event, on)


@subscriber("melmastoon.staff.shift.ended.v1")
async def on_shift_ended(event: "Event", on: Platform) -> None:
    """End the keys of a shift, and let a standing key rest."""
    await _react(event, on)


@subscriber(f"{TASK}.created.v1")
async def on_task_created(event: "Event", on: Platform) -> None:
    """Let whoever has a room to clean open it."""
    await _react(event, on)


@subscriber(f"{TASK}.transitioned.v1")
async def on_task_transitioned(event: "Event", on: Platform) -> None:
    """Let rooms assigned follow a task to its end."""
    await _react(event, on)


@subscriber(f"{WORK_ORDER}.opened.v1")
async def on_workorder_opened(event: "Event", on: Platform) -> None:
    """Let whoever has something to mend in a room open it."""
    await _react(event, on)


@subscriber(f"{WORK_ORDER}.transitioned.v1")
async def on_workorder_transitioned(event: "Event", on: Platform) -> None:
    """Let rooms assigned follow a work order to its end."""
    await _react(event, on)


@subscriber("melmastoon.iam.user.deactivated.v1")
async def on_user_deactivated(event: "Event", on: Platform) -> None:
    """Take every key of somebody who lost their account."""
    await _react(event, on)


@step
async def issue_master_key(body: Body, on: Platform) -> Body:
    """Issue a master key, or change a standing one, on a manager's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.staff import issue_master_key as issuing

    return await issuing.issue_master_key(issuing.IssueMasterKey.of(body), services_of(on))


@step
async def revoke_master_key(body: Body, on: Platform) -> Body:
    """End a master key, or all of a person, on a manager's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.staff import issue_master_key as issuing

    return await issuing.revoke_master_key(issuing.RevokeMasterKey.of(body), services_of(on))


async def _react(event: "Event", on: Platform) -> None:
    from shared.runtime.keys import services_of
    from shared.usecases.staff.reactions import react

    await react(event, services_of(on))
