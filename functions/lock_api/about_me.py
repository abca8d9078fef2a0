"""What callers may ask of themselves: who they are here, and what they may do."""

from datetime import datetime
from typing import Final, Literal

from shared.domain.ids import UserId
from shared.domain.permissions import FRESH_FOR, RULES, Permission, Principal, Rule, Verdict
from shared.events.wire import Published
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.routes import Route


class Me(Published):
    """Who calls: a person with roles, or a program with a key."""

    id: str
    kind: Literal["person", "program"]
    tenant_id: str
    roles: tuple[str, ...]
    everywhere: bool
    """Whether at every property of the tenant; else at those named."""
    properties: tuple[str, ...]
    signed_in_at: datetime | None = None
    fresh_until: datetime | None = None
    """Until when the sign-in is proof enough for what asks for a fresh one."""


class Held(Published):
    """A permission, and what stands between the caller and it."""

    permission: str
    allows: str
    where: Literal["property", "tenant"]
    fresh: bool
    verdict: Literal["allowed", "forbidden", "stale_proof"]


class Permissions(Published):
    """Every permission there is, as the caller has it."""

    permissions: tuple[Held, ...]


async def about_me(asked: Asked, _on: Platform) -> Me:
    """Say who the caller is."""
    caller = asked.principal
    return Me(
        id=caller.id,
        kind="person" if isinstance(caller.id, UserId) else "program",
        tenant_id=caller.tenant,
        roles=tuple(sorted(caller.roles)),
        everywhere=caller.properties is None,
        properties=tuple(sorted(caller.properties or ())),
        signed_in_at=caller.signed_in_at,
        fresh_until=caller.signed_in_at and caller.signed_in_at + FRESH_FOR,
    )


async def my_permissions(asked: Asked, _on: Platform) -> Permissions:
    """Say what the caller may do."""
    held = [_held(each, rule, asked.principal, asked.now) for each, rule in RULES.items()]
    return Permissions(permissions=tuple(held))


def _held(permission: Permission, rule: Rule, caller: Principal, now: datetime) -> Held:
    verdict = caller.verdict(permission, now)
    return Held(
        permission=permission,
        allows=rule.meaning,
        where=rule.where.value,
        fresh=rule.fresh,
        verdict="forbidden" if verdict is Verdict.ELSEWHERE else verdict.value,
    )


ROUTES: Final = (
    Route(method="GET", path="/lock/v1/me", summary="Who I am here", use_case=about_me, answer=Me),
    Route(
        method="GET",
        path="/lock/v1/permissions",
        summary="What I may do",
        use_case=my_permissions,
        answer=Permissions,
    ),
)
