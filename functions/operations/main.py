"""Entry points for what an operator looks at and sets right."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.entry import step
from shared.runtime.platform import Platform

Body = Mapping[str, Any]


@step
async def dead_letters(body: Body, on: Platform) -> Body:
    """List, replay or discard what was set aside."""
    from shared.usecases.operations import look

    return await look.dead_letters(body, on.dead_letters)


@step
async def replay_letter(body: Body, on: Platform) -> Body:
    """Replay one message, unless it was replayed or discarded meanwhile."""
    from shared.usecases.operations import look

    return await look.replay_one(str(body.get("id", "")), on.dead_letters, on.log)


@step
async def executions(body: Body, on: Platform) -> Body:
    """List executions, or tell what happened in one."""
    from shared.usecases.operations import look

    return await look.executions(body, on.executions)


@step
async def schedules(body: Body, on: Platform) -> Body:
    """List schedules, or run one now."""
    from shared.usecases.operations import look

    return await look.schedules(body, on.schedules)


@step
async def plan_quota(_body: Body, on: Platform) -> Body:
    """Forecast each vendor application's calls of the month and the places of locks, and warn of too few."""
    from shared.runtime.keys import services_of
    from shared.usecases.devices.plan_places import plan_places
    from shared.usecases.upkeep import plan_quota as planning

    services = services_of(on)
    calls = await planning.plan_quota(on.documents, on.cell, services)
    return {"planned": calls, "places": await plan_places(on.documents, on.cell, services)}
