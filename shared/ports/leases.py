"""Leases: one holder at a time, for a while, with a number that tells a late holder from the present one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from shared.domain.ids import TenantId


@dataclass(frozen=True, slots=True)
class Waiter:
    """Somebody who waits for a lease: which process, how urgent, for whose arrival, since when and how long.

    One who is `following` had the lease last, and gives way only to who is more urgent.
    """

    who: str
    urgency: int
    arrives: datetime
    since: datetime
    until: datetime
    following: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Lease:
    """A lease held: `fence` grows with every new holder and is named in what the holder writes.

    `proof` is whatever the leases gave with it to know it again by, `line` who was known to wait for it then,
    `strays` what a newer release wrote beside it.
    """

    tenant: TenantId
    name: str
    holder: str
    fence: int
    expires_at: datetime
    proof: str = field(default="", repr=False, compare=False)
    line: tuple[Waiter, ...] = field(default=(), repr=False, compare=False)
    strays: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


class LeaseLost(Exception):
    """The lease has expired or another holder has it."""


class Leases(Protocol):
    """Take, keep and give back leases."""

    async def acquire(
        self, tenant: TenantId, name: str, holder: str, ttl: timedelta, waiter: Waiter | None = None
    ) -> Lease | None:
        """Take the lease if it is free or expired; None if somebody holds it.

        A waiter stands in line from then on, and whoever is before it goes first, if they come soon.
        """

    async def line(self, lease: Lease) -> Sequence[Waiter]:
        """Return who waits for a lease that is held."""

    async def renew(self, lease: Lease, ttl: timedelta) -> Lease:
        """Hold on for longer, or raise LeaseLost."""

    async def release(self, lease: Lease, waiter: Waiter | None = None) -> None:
        """Give the lease back, and perhaps stand in line for it; one that is lost already is left alone."""
