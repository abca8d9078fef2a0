"""What becomes of a stay when something happens to its booking: by the table of reactions, and no other."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from shared.domain.kinds import SuspendReason
from shared.domain.reactions import Action, Reaction, reaction_to
from shared.keywork.services import Services
from shared.usecases.stays import hear_booking, hold_stay, note_arrival
from shared.usecases.stays.read_booking import amendment_of, stay_of

if TYPE_CHECKING:
    from shared.events.envelope import Event


async def react(event: "Event", services: Services) -> Any:
    """Do what an event asks of us; return the keys of its stay."""
    reaction = reaction_to(event.subject)
    return await COMMANDS[reaction.action](event, reaction, services)


async def _confirm(event: "Event", _: Reaction, services: Services) -> Any:
    return await hear_booking.hear_booking(event, services, booked=stay_of(event))


async def _change(event: "Event", _: Reaction, services: Services) -> Any:
    return await hear_booking.hear_booking(event, services, changed=amendment_of(event))


async def _end(event: "Event", _: Reaction, services: Services) -> Any:
    return await hear_booking.hear_booking(event, services)


async def _hold(event: "Event", reaction: Reaction, services: Services) -> Any:
    assert isinstance(reaction.reason, SuspendReason)  # noqa: S101 - the table gives every hold its reason
    if reaction.delayed_by_policy:
        return await hold_stay.miss_guest(event, services)
    return await hold_stay.hold_booking(event, reaction.reason, services)


async def _arrive(event: "Event", _: Reaction, services: Services) -> Any:
    return await note_arrival.note_arrival(event, services)


COMMANDS: Final[Mapping[Action, Callable[["Event", Reaction, Services], Awaitable[Any]]]] = {
    Action.ISSUE: _confirm,
    Action.AMEND: _change,
    Action.REVOKE: _end,
    Action.SUSPEND: _hold,
    Action.NOTE_ARRIVAL: _arrive,
}
