"""What becomes of staff by their shifts, tasks and accounts: by the table of reactions, and no other."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from shared.domain.kinds import RevokeReason
from shared.domain.reactions import Action, Reaction, reaction_to
from shared.keywork.services import Services
from shared.usecases.staff import dismiss, hear_shift, hear_task

if TYPE_CHECKING:
    from shared.events.envelope import Event


async def react(event: "Event", services: Services) -> Any:
    """Do what an event asks of us; return whose keys it is about."""
    reaction = reaction_to(event.subject)
    return await COMMANDS[reaction.action](event, reaction, services)


async def _start(event: "Event", _: Reaction, services: Services) -> Any:
    return await hear_shift.start_shift(event, services)


async def _end(event: "Event", _: Reaction, services: Services) -> Any:
    return await hear_shift.end_shift(event, services)


async def _assign(event: "Event", _: Reaction, services: Services) -> Any:
    return await hear_task.hear_task(event, services)


async def _dismiss(event: "Event", reaction: Reaction, services: Services) -> Any:
    assert isinstance(reaction.reason, RevokeReason)  # noqa: S101 - the table says why keys are taken
    return await dismiss.dismiss(event, reaction.reason, services)


COMMANDS: Final[Mapping[Action, Callable[["Event", Reaction, Services], Awaitable[Any]]]] = {
    Action.START_SHIFT: _start,
    Action.END_SHIFT: _end,
    Action.ASSIGN_ROOMS: _assign,
    Action.REVOKE_HELD_BY_USER: _dismiss,
}
