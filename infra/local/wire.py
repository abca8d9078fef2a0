"""An HTTP call as data, and whoever can make one: through a socket, or straight into the host."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Call:
    """A request to make."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whatever its status; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)


class CallFault(Exception):
    """No answer came back."""


class ConnectionFailed(CallFault):
    """The connection was never made: the request cannot have had an effect."""


class ConnectionBroken(CallFault):
    """The connection broke after it was made: the request may have had its effect."""


class TimedOut(CallFault):
    """No answer in time: the request may have had its effect, or may still have it."""


class Transport(Protocol):
    """Makes calls."""

    async def send(self, call: Call) -> Answer:
        """Return the answer, or raise a CallFault."""

    async def close(self) -> None:
        """Let go of what is open, and stop what still runs."""


class Tokens(Protocol):
    """Mints identity tokens for the platform's own callers."""

    def token(self, caller: str, audience: str) -> str:
        """Return a token that says who calls and whom."""
