"""Leases: one holder at a time, for a while, with a number that tells a late holder from the present one."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from shared.domain.ids import TenantId


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease held: `fence` grows with every new holder and is named in what the holder writes.

    `proof` is whatever the leases gave with it to know it again by.
    """

    tenant: TenantId
    name: str
    holder: str
    fence: int
    expires_at: datetime
    proof: str = field(default="", repr=False, compare=False)


class LeaseLost(Exception):
    """The lease has expired or another holder has it."""


class Leases(Protocol):
    """Take, keep and give back leases."""

    async def acquire(self, tenant: TenantId, name: str, holder: str, ttl: timedelta) -> Lease | None:
        """Take the lease if it is free or expired; None if somebody holds it."""

    async def renew(self, lease: Lease, ttl: timedelta) -> Lease:
        """Hold on for longer, or raise LeaseLost."""

    async def release(self, lease: Lease) -> None:
        """Give the lease back; one that is lost already is left alone."""
