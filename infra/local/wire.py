"""Whoever makes the embedded cloud's calls: through a socket, or straight into the host."""

from typing import Protocol

from shared.vendor_kit.http import Http


class Transport(Http, Protocol):
    """Makes calls until it is closed."""

    async def close(self) -> None:
        """Let go of what is open, and stop what still runs."""


class Tokens(Protocol):
    """Mints identity tokens for the platform's own callers."""

    def token(self, caller: str, audience: str) -> str:
        """Return a token that says who calls and whom."""
