"""Who may call this function: the handler's own check, the same on both platforms."""

from collections.abc import Callable
from datetime import datetime

from starlette.requests import Request

from shared.kernel.identity import Caller, Forbidden, Unauthenticated, bearer
from shared.kernel.log import Log
from shared.runtime.platform import Deployed, Platform


async def admit(request: Request, function: Deployed, platform: Platform) -> Caller | None:
    """Return the proven caller (None at a public function), or raise Unauthenticated or Forbidden."""
    if function.public:
        return None
    try:
        caller = await _proven(request, function, platform)
    except Unauthenticated as refusal:
        refusals(platform).tell("caller not proven", function.name, str(refusal))
        raise
    if caller.name not in function.callers:
        refusals(platform).tell("caller not allowed", function.name, caller.name)
        raise Forbidden(f"{caller.name} is not among the callers of {function.name}: see its fleet.yaml")
    return caller


async def _proven(request: Request, function: Deployed, platform: Platform) -> Caller:
    token = bearer(request.headers.get("authorization"))
    return await platform.tokens.caller(token, function.audience)


class Refusals:
    """Refusals by function and reason, each told once a minute: a stranger cannot fill the log."""

    def __init__(self, log: Log, now: Callable[[], datetime]) -> None:
        self._log, self._now = log, now
        self._untold: dict[tuple[str, str, str], tuple[int, int]] = {}

    def tell(self, message: str, function: str, reason: str) -> None:
        """Say it, unless it was said this minute; the next line says how often it was not.

        The reason is of our own words or a proven name: there are only so many.
        """
        what, minute = (message, function, reason), int(self._now().timestamp() // 60)
        last, untold = self._untold.get(what, (None, 0))
        if last == minute:
            self._untold[what] = (minute, untold + 1)
            return
        self._untold[what] = (minute, 0)
        self._log.warning(message, function=function, reason=reason, before=untold)


def refusals(on: Platform) -> Refusals:
    """Return the refusals of this process."""
    if "refusals" not in on.kept:
        on.kept["refusals"] = Refusals(on.log, on.clock.now)
    kept: Refusals = on.kept["refusals"]
    return kept
