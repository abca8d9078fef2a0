"""One authenticated POST and its outcome, in words that quote neither body nor token."""

from collections.abc import Mapping
from dataclasses import dataclass

from infra.local.wire import Tokens, Transport
from shared.kernel.time_limit import TimeLimit
from shared.vendor_kit.http import Answer, Call, CallFault, ConnectionBroken, ConnectionFailed, TimedOut

JSON = "application/json"
FAULTS: dict[type[CallFault], str] = {
    ConnectionFailed: "no connection",
    ConnectionBroken: "the connection broke before an answer",
    TimedOut: "no answer in time",
}


@dataclass(frozen=True, slots=True)
class Target:
    """Where to, as whom, and how long to wait."""

    url: str
    audience: str
    caller: str
    deadline: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """The status, or None when there was no answer, and a sentence for people."""

    status: int | None
    reason: str
    retry_after: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the status is a 2xx."""
        return self.status is not None and 200 <= self.status < 300


async def attempt(
    transport: Transport, tokens: Tokens, target: Target, headers: Mapping[str, str], body: bytes
) -> Outcome:
    """POST once; whatever goes wrong is an outcome, only cancellation passes through."""
    try:
        with TimeLimit(target.deadline):
            answer = await transport.send(_call(tokens, target, headers, body))
    except TimeoutError:
        return Outcome(None, f"no answer within {target.deadline:g} s")
    except CallFault as fault:
        return Outcome(None, FAULTS.get(type(fault), "no answer"))
    except Exception as error:  # noqa: BLE001 - a fault of the host is one failed attempt, not a dead queue
        return Outcome(None, f"the call failed with {type(error).__name__}")
    return Outcome(answer.status, f"answered {answer.status}", _retry_after(answer))


def _call(tokens: Tokens, target: Target, headers: Mapping[str, str], body: bytes) -> Call:
    bearer = f"Bearer {tokens.token(target.caller, target.audience)}"
    own = {"authorization": bearer, "content-type": JSON}
    return Call("POST", target.url, {**headers, **own}, body, target.deadline)


def _retry_after(answer: Answer) -> float | None:
    for name, value in answer.headers.items():
        if name.lower() == "retry-after" and value.isdecimal():
            return float(value)
    return None
