"""Who may call this function: the handler's own check, the same on both platforms."""

from typing import Final

from starlette.requests import HTTPConnection

from shared.kernel.identity import Caller, Forbidden, Unauthenticated, bearer
from shared.runtime.platform import Deployed, Platform

CHECKED_FIRST: Final = "x-serverless-authorization"


async def admit(request: HTTPConnection, function: Deployed, platform: Platform) -> Caller | None:
    """Return the proven caller (None at a public function), or raise Unauthenticated or Forbidden."""
    if function.public:
        return None
    try:
        caller = await _proven(request, function, platform)
    except Unauthenticated as refusal:
        platform.log.seldom("caller not proven", str(refusal), function=function.name)
        raise
    if caller.name not in function.callers:
        platform.log.seldom("caller not allowed", caller.name, function=function.name)
        raise Forbidden(f"{caller.name} is not among the callers of {function.name}: see its fleet.yaml")
    return caller


async def _proven(request: HTTPConnection, function: Deployed, platform: Platform) -> Caller:
    # Where both are sent Google checks only the first: another name in the second would be anybody's word.
    sent = request.headers.get(CHECKED_FIRST) or request.headers.get("authorization")
    token = bearer(sent)
    return await platform.tokens.caller(token, function.audience)
