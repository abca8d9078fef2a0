"""One lock has its time: what it takes beyond is that of the others, and of saving what they said."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import LockErrorCause, VendorUnreachable
from shared.ledger.delays import LONGEST_AT_A_LOCK

TOO_LATE = LockErrorCause("timeout")


@asynccontextmanager
async def in_time(vendor: VendorCode) -> AsyncIterator[None]:
    """Ask a lock inside; one that takes too long has not answered, and may still do what it was asked."""
    try:
        async with asyncio.timeout(LONGEST_AT_A_LOCK.total_seconds()):
            yield
    except TimeoutError:
        raise VendorUnreachable(vendor=vendor, cause=TOO_LATE) from None
