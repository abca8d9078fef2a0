"""What becomes of a hotel by what its tenant tells of itself: by the table of reactions, and no other."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from shared.domain.kinds import RevokeReason
from shared.domain.reactions import Action, Reaction, reaction_to
from shared.keywork.services import Services
from shared.usecases.bulk import begin_bulk
from shared.usecases.hotels import reload_policy

if TYPE_CHECKING:
    from shared.events.envelope import Event


async def react(event: "Event", services: Services) -> Any:
    """Do what an event asks of us; return what came of it."""
    reaction = reaction_to(event.subject)
    return await COMMANDS[reaction.action](event, reaction, services)


async def _reload(event: "Event", _: Reaction, services: Services) -> Any:
    return await reload_policy.hear_policy(event, services)


async def _close(event: "Event", reaction: Reaction, services: Services) -> Any:
    assert isinstance(reaction.reason, RevokeReason)  # noqa: S101 - the table says why keys are taken
    return await begin_bulk.close_property(event, reaction.reason, services)


COMMANDS: Final[Mapping[Action, Callable[["Event", Reaction, Services], Awaitable[Any]]]] = {
    Action.RELOAD_POLICY: _reload,
    Action.REVOKE_AT_PROPERTY: _close,
}
