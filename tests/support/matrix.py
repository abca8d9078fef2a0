"""The matrix: every route of an API times everybody who must not get through it."""

import asyncio

PROVEN = frozenset({"another tenant", "another property", "no property", "a lower role", "no role"})
"""Strangers who are somebody after all: they may hear of themselves, and of nothing else here."""


async def attempt(staff, function, route, token, ids, body=None, headers=None):
    """Make a route's request as somebody, and return status and answer; `headers` are what else they have."""
    path = f"/{function}" + route.path.format(**ids)
    body = body if route.request is not None else None
    status, _, answer = await staff.ask(route.method, path, token, body, {"if-match": "*", **(headers or {})})
    return status, answer


async def who_got_through(
    staff, function, routes, ids, body_for, harmless=lambda who, route, answer: False, headers=None
):
    """Return every stranger, route and status that is no refusal, and how many were tried.

    `harmless` judges what a stranger may hear all the same, such as a list of what is their own.
    """
    through, tried = [], 0
    for who, token in staff.strangers(function).items():
        # All at once: each refusal of a body that nobody read costs its caller a moment.
        asking = (attempt(staff, function, route, token, ids, body_for(route), headers) for route in routes)
        for route, (status, answer) in zip(routes, await asyncio.gather(*asking), strict=True):
            tried += 1
            about_themselves = route.permission is None and who in PROVEN
            refused = status in {401, 403, 404}
            if not (refused or about_themselves or harmless(who, route, answer)):
                through.append((who, route.method, route.path, status))
    return through, tried
