"""What somebody at the console ordered, done by who may do it: the console itself only looks.

| ordered       | done                                                    | done twice              |
|---------------|---------------------------------------------------------|-------------------------|
| close-residue | what was left at a lock is over, by a person's word     | is over already         |
| retry-key     | its vendor is asked now, or a failed key requested anew | refused, and noted here |
| fork-work     | another key in its place is tried from a step on        | finds what the first did |
| ask-locks     | locks are looked at and compared, one after another     | they are asked once more |

Whether the person may, the console has judged, where the thing is; whoever was stopped since, orders nothing.
What is refused now is refused for good: the person looks again, and sees how it stands. Decisions 0166, 0253.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId, UserId, credential_id
from shared.keywork.services import Services
from shared.usecases.reconcile.ask_lock import PATIENCE_SECONDS, Asking
from shared.usecases.staff.held_keys import is_stopped
from shared.usecases.upkeep.close_residue import CloseResidue, Vault, close_residue
from shared.usecases.upkeep.fork_work import ForkWork, fork_work
from shared.usecases.upkeep.retry_keys import RetryKeys, retry_keys

LONGEST_STEP: Final = 4


@dataclass(frozen=True, slots=True)
class Hands:
    """With what orders are carried out."""

    vault: Vault
    services: Services
    asking: Asking


Order = Callable[[Mapping[str, Any], Hands], Awaitable[dict[str, Any]]]


async def _close(body: Mapping[str, Any], hands: Hands) -> dict[str, Any]:
    return await close_residue(CloseResidue.of(body), hands.vault, hands.services)


async def _retry(body: Mapping[str, Any], hands: Hands) -> dict[str, Any]:
    if body.get("key") is None:
        raise InvalidInput("key", "not named", "Name the key that is meant")
    return await retry_keys(RetryKeys.of(body), hands.services)


async def _fork(body: Mapping[str, Any], hands: Hands) -> dict[str, Any]:
    step = str(body.get("step"))
    if not (step.isascii() and step.isdecimal() and len(step) < LONGEST_STEP):
        raise InvalidInput("step", "no step of this work", "Choose one that is shown")
    whose = TenantId.parse(body.get("tenant"), "tenant"), credential_id(body.get("key"), "key")
    return await fork_work(ForkWork(*whose, UserId.parse(body.get("by"), "by"), int(step)), hands.services)


async def _check_person(body: Mapping[str, Any], services: Services) -> None:
    person = UserId.parse(body.get("by"), "by")
    ledger = await services.ledger(TenantId.parse(body.get("tenant"), "tenant"))
    if await is_stopped(person, ledger):
        raise InvalidInput("by", "stopped since", "Have it ordered by somebody who works here")


async def _ask(body: Mapping[str, Any], hands: Hands) -> dict[str, Any]:
    tenant = TenantId.parse(body.get("tenant"), "tenant")
    place = PropertyId.parse(body.get("property"), "property")
    named = set(str(body.get("devices")).split(","))
    setup = await hands.services.hotels.premises(tenant, place)
    locks = [each for each in setup.devices if each.id in named]
    return {"answered": await hands.asking.all_asked(tenant, place, locks, PATIENCE_SECONDS)}


ORDERS: Final[Mapping[str, Order]] = {
    "close-residue": _close,
    "retry-key": _retry,
    "fork-work": _fork,
    "ask-locks": _ask,
}


async def console_order(body: Mapping[str, Any], hands: Hands) -> dict[str, Any]:
    """Do one thing that was ordered at the console, and note by whom."""
    do, by, services = str(body.get("do")), body.get("by"), hands.services
    try:
        if do not in ORDERS:
            raise InvalidInput("do", "nothing that a console orders", f"Name one of {', '.join(ORDERS)}")
        await _check_person(body, services)
        told = await ORDERS[do](body, hands)
    except InvalidInput as refusal:
        services.log.info("an order of the console was refused", what=do, problem=refusal.problem)
        return {"refused": refusal.problem}
    services.log.info("an order of the console was carried out", what=do, by=UserId.parse(by, "by"))
    return told
