"""The work on a stay's key is begun anew from one of its steps, or given up, on a person's word.

A step is a way to make the key: a vendor and a kind, in the order in which they are tried. What was done is
never undone in the books: the fork is another key in the place of the old one, with all attempts before it.

| the key | fork from a step | cancel |
|---|---|---|
| requested, pending | fails, and leaves its locks; another is tried from there | the same, and no other |
| failed | another is tried from there | none is requested in its place any more |
| active, suspended | it ends, as by `replace` | refused: it is made, and ends by `revoke` |
| revoked | refused | refused |

Forked twice, the second finds what the first did. What a fork would change is told before it is done.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from shared.domain.errors import InvalidInput
from shared.domain.ids import CredentialId, TenantId, UserId
from shared.domain.kinds import RevokeReason
from shared.domain.lifecycle import name_of
from shared.domain.plan import MAX_ATTEMPTS, Choice, IssuePlan
from shared.domain.states import Active, Revoked, Suspended
from shared.keywork.services import Services
from shared.ledger.key_record import KeyRecord
from shared.usecases.upkeep.another_key import check_lasting, entry_of, stay_of, target_of
from shared.usecases.upkeep.end_one_key import KeyOrder, end_one_key, replace_key


@dataclass(frozen=True, slots=True)
class ForkWork:
    """Whose work, on whose word, and from which of its steps."""

    tenant: TenantId
    key: CredentialId
    by: UserId
    step: int


def shown_steps(entry: KeyRecord) -> list[dict[str, Any]]:
    """Return the ways to make a key, in order, with what came of each so far."""
    plan = entry.credential.core.plan
    return [
        {
            "step": number,
            "vendor": way.vendor,
            "kind": way.kind,
            "attempts": sum(made.choice == way for made in plan.made),
            "problems": [made.problem for made in plan.made if made.choice == way and made.problem],
            "present": number == plan.position,
        }
        for number, way in enumerate(plan.choices)
    ]


async def fork_difference(command: ForkWork, services: Services) -> dict[str, Any]:
    """Say what a fork would change, and change nothing; refuse what the fork would refuse."""
    ledger = await services.ledger(command.tenant)
    entry = await entry_of(command.key, ledger, services)
    ways = ways_from(entry, command.step)
    _check_forkable(entry)
    await stay_of(entry, ledger, services)
    grants = await ledger.grants(entry)
    target = target_of(entry)
    return {
        "key": entry.id,
        "state": name_of(type(entry.credential.state)),
        "ways_before": _told(entry.credential.core.plan.choices),
        "ways_after": _told(ways.choices),
        "attempts_before": entry.credential.core.plan.attempts,
        "attempts_after": 0,
        "attempts_allowed": MAX_ATTEMPTS,
        "removed_at": [str(kept.grant.device_id) for kept in grants if not kept.over],
        "rooms": [*map(str, target.rooms)],
        "new_secret": True,
        "rests": bool(entry.holds),
    }


async def fork_work(command: ForkWork, services: Services) -> dict[str, Any]:
    """End a key and request another in its place, tried from a step on; return which one that is."""
    ledger = await services.ledger(command.tenant)
    entry = await entry_of(command.key, ledger, services)
    ways = ways_from(entry, command.step)
    order = KeyOrder(command.tenant, command.key, command.by, RevokeReason.REPLACED, ways=ways)
    return await replace_key(order, services)


async def cancel_work(command: ForkWork, services: Services) -> dict[str, Any]:
    """Give a key up that is yet to be made, or to be requested anew; its locks follow."""
    ledger = await services.ledger(command.tenant)
    entry = await entry_of(command.key, ledger, services)
    if isinstance(entry.credential.state, Active | Suspended | Revoked):
        raise InvalidInput("key", "made, or over: its work cannot be given up", "revoke it, if it is to end")
    order = KeyOrder(command.tenant, command.key, command.by, RevokeReason.CANCELLATION)
    return await end_one_key(order, services)


def ways_from(entry: KeyRecord, step: int) -> IssuePlan:
    """Return a key's ways from a step on, none of them tried yet."""
    choices = entry.credential.core.plan.choices
    if not 0 <= step < len(choices):
        raise InvalidInput("step", "no step of this work", f"name one of 0 to {len(choices) - 1}")
    return IssuePlan(choices[step:])


def _check_forkable(entry: KeyRecord) -> None:
    check_lasting(entry)
    state = entry.credential.state
    if isinstance(state, Revoked):
        remedy = "look at the key in its place" if state.replaced_by else "book the stay anew"
        raise InvalidInput("key", "over", remedy)


def _told(ways: Sequence[Choice]) -> list[str]:
    return [f"{way.vendor} {way.kind}" for way in ways]
