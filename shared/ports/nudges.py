"""Nudges: somebody waits for work, and is told that there may be some. A ring carries nothing.

What must be done lies in the store, with a due time: whoever listens looks there first, then after each ring,
and now and then without one.
"""

import re
from contextlib import AbstractAsyncContextManager
from typing import Final, Protocol

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId

_WHOM: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
LONGEST_WAIT: Final = 3600.0


class Bell(Protocol):
    """What one listener hears."""

    async def heard(self, within: float) -> bool:
        """Wait until it rings and return True, or return False after so many seconds.

        What rang since the last time is heard at once; many rings are heard as one. It may also ring when
        nobody rang it, as after a broken connection.
        """


class Nudges(Protocol):
    """Bells, each of one tenant's desk."""

    async def ring(self, tenant: TenantId, desk: str) -> None:
        """Ring whoever listens there, on whatever machine; nobody may."""

    def listen(self, tenant: TenantId, desk: str) -> AbstractAsyncContextManager[Bell]:
        """Listen for a while: once this is entered, no ring is missed."""


def check_desk(tenant: TenantId, desk: str) -> None:
    """Refuse a name that is no part of a path."""
    for field, value in (("tenant", tenant), ("desk", desk)):
        if not _WHOM.fullmatch(value):
            raise InvalidInput(field, "malformed", "Use letters, digits, - and _")


def check_wait(within: float) -> None:
    """Refuse to wait for ever, or not at all."""
    if not 0 < within <= LONGEST_WAIT:
        raise InvalidInput(
            "within", f"not above 0 and within {LONGEST_WAIT:g} s", "Look at the store instead"
        )
