"""Who may call this function: the handler's own check, the same on both platforms."""

from starlette.requests import Request

from shared.kernel.identity import Caller, Forbidden, Unauthenticated, bearer
from shared.runtime.platform import Deployed, Platform


async def admit(request: Request, function: Deployed, platform: Platform) -> Caller | None:
    """Return the proven caller (None at a public function), or raise Unauthenticated or Forbidden."""
    if function.public:
        return None
    token = bearer(request.headers.get("authorization"))
    try:
        caller = await platform.tokens.caller(token, function.audience)
    except Unauthenticated as refusal:
        platform.log.warning("caller not proven", function=function.name, reason=str(refusal))
        raise
    if caller.name not in function.callers:
        platform.log.warning("caller not allowed", function=function.name, caller=caller.name)
        raise Forbidden(f"{caller.name} is not among the callers of {function.name}: see its fleet.yaml")
    return caller
