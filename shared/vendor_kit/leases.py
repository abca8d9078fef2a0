"""Leases on any document store: create-if-absent and update-if-version are all it takes.

Who waits is written beside who holds it, once: the holder's next write finds the document changed, and so
costs a read only when somebody waits. Decision 0048.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.documents import strays_of
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.ports.ambient import Clock
from shared.ports.documents import AlreadyExists, Create, Document, DocumentStore, Ref, StaleVersion, Update
from shared.ports.leases import Lease, LeaseLost, Waiter
from shared.vendor_kit.calm.urgency import Place, Urgency, first_of

COLLECTION = "leases"
SCHEMA_VERSION = 1
NOBODY = ""
RIGHT_OF_WAY: Final = timedelta(seconds=3)
"""For so long a free lease is left to whoever is first in the line: they look more often than that."""
MOST_WAITING: Final = 50
_OURS: Final = frozenset({"schema_version", "holder", "fence", "expires_at", "line"})


@dataclass(frozen=True, slots=True)
class _InLine:
    """A waiter with their place."""

    waiter: Waiter

    @property
    def place(self) -> Place:
        """Return where they stand."""
        return Place(Urgency(self.waiter.urgency), self.waiter.arrives, self.waiter.since)


class DocumentLeases:
    """One document a lease. It is never deleted and never expires, so that its fence only ever grows."""

    def __init__(self, documents: DocumentStore, clock: Clock) -> None:
        self._documents, self._clock = documents, clock

    async def acquire(
        self, tenant: TenantId, name: str, holder: str, ttl: timedelta, waiter: Waiter | None = None
    ) -> Lease | None:
        """Take the lease if it is free or expired; None if somebody holds it, even under the same name.

        Two deliveries of one message call themselves the same, and still only one may go on.
        """
        if holder == NOBODY:
            raise InvalidInput("holder", "empty", "Name who takes the lease")
        found = await self._documents.tenant(tenant).get(Ref(COLLECTION, name))
        if found is not None and waiter is not None and self._before(found, waiter):
            await self._stand(tenant, found, waiter)
            return None
        if found is not None and self._held(found):
            return None
        until = self._until(ttl)
        if found is None:
            return await self._written(Lease(tenant, name, holder, 1, until), None)
        fence, line = found.data["fence"] + 1, self._behind(found, waiter)
        taken = Lease(tenant, name, holder, fence, until, line=line, strays=_beside(found))
        return await self._written(taken, found.version)

    async def line(self, lease: Lease) -> Sequence[Waiter]:
        """Return who waits for a lease that is held."""
        found = await self._mine(lease)
        return () if found is None else self._left(found, None)

    async def renew(self, lease: Lease, ttl: timedelta) -> Lease:
        """Hold on for longer, or raise LeaseLost."""
        longer = replace(lease, expires_at=self._until(ttl))
        found = await self._mine(lease)
        if found is None or not self._held(found):
            renewed = None
        else:
            longer = replace(longer, line=self._left(found, None), strays=_beside(found))
            renewed = await self._written(longer, found.version)
        if renewed is None:
            raise LeaseLost(f"lease {lease.name} is no longer {lease.holder}'s: stop, and acquire it anew")
        return renewed

    async def release(self, lease: Lease, waiter: Waiter | None = None) -> None:
        """Give the lease back, and perhaps stand in line for it; one that is lost already is left alone."""
        free = replace(lease, holder=NOBODY, expires_at=self._clock.now(), line=_with(lease.line, waiter))
        if lease.proof and await self._written(free, lease.proof):
            return
        # Renewed since, waited for, or lost: only what is there can tell; and somebody may join meanwhile.
        for _ in range(3):
            found = await self._mine(lease)
            if found is None:
                return
            free = replace(free, line=_with(_line(found), waiter), strays=_beside(found))
            if await self._written(free, found.version):
                return

    def _before(self, found: Document, waiter: Waiter) -> bool:
        """Say whether the lease is another's now, or is to be another's next."""
        if self._held(found):
            return True
        now, mine = self._clock.now(), _InLine(waiter)
        if now >= _expiry(found) + RIGHT_OF_WAY:
            return False
        left = self._left(found, waiter)
        others = [_InLine(each) for each in left if not waiter.following or each.urgency < waiter.urgency]
        return first_of([mine, *others], found.data["fence"] + 1, now) is not mine

    async def _stand(self, tenant: TenantId, found: Document, waiter: Waiter) -> None:
        """Stand in line, unless we do or the line is longer than anybody will wait."""
        line = self._left(found, None)
        if waiter in line or len(line) >= MOST_WAITING:
            return
        data = {**found.data, "line": list(map(_kept, _with(line, waiter)))}
        with contextlib.suppress(StaleVersion):
            await self._documents.tenant(tenant).commit([Update(found.ref, data, found.version)])

    def _behind(self, found: Document, taker: Waiter | None) -> tuple[Waiter, ...]:
        """Return who waits behind whoever takes a free lease: those before had their time, and are gone."""
        left = self._left(found, taker)
        if taker is None or self._clock.now() < _expiry(found) + RIGHT_OF_WAY:
            return left
        return tuple(each for each in left if _InLine(taker).place <= _InLine(each).place)

    def _left(self, found: Document, taker: Waiter | None) -> tuple[Waiter, ...]:
        """Return who still waits, but for whoever takes the lease now."""
        now, who = self._clock.now(), None if taker is None else taker.who
        return tuple(each for each in _line(found) if each.until > now and each.who != who)

    async def _mine(self, lease: Lease) -> Document | None:
        found = await self._documents.tenant(lease.tenant).get(Ref(COLLECTION, lease.name))
        mine = found is not None and (found.data["fence"], found.data["holder"]) == (
            lease.fence,
            lease.holder,
        )
        return found if mine else None

    async def _written(self, lease: Lease, over: str | None) -> Lease | None:
        """Write the lease over the version that is thought to be there; None if it is another."""
        ref, data = Ref(COLLECTION, lease.name), _data(lease)
        write = Create(ref, data) if over is None else Update(ref, data, over)
        with contextlib.suppress(AlreadyExists, StaleVersion):
            (version,) = await self._documents.tenant(lease.tenant).commit([write])
            return replace(lease, proof=version)
        return None

    def _held(self, document: Document) -> bool:
        if document.data["holder"] == NOBODY:
            return False  # whatever the clock said when it was given back
        return _expiry(document) > self._clock.now()

    def _until(self, ttl: timedelta) -> datetime:
        if ttl <= timedelta(0):
            raise InvalidInput("ttl", "not positive", "Give how long the lease shall be held")
        return self._clock.now() + ttl


def _with(line: Sequence[Waiter], waiter: Waiter | None) -> tuple[Waiter, ...]:
    return tuple(line) if waiter is None else (*(each for each in line if each.who != waiter.who), waiter)


def _expiry(document: Document) -> datetime:
    return instant_from_text(document.data["expires_at"], "expires_at")


def _beside(found: Document) -> Mapping[str, Any]:
    """Return what a newer release wrote beside ours, which stays when the lease is written anew."""
    return strays_of(found.data, _OURS)


def _data(lease: Lease) -> dict[str, Any]:
    data: dict[str, Any] = {
        **lease.strays,
        "schema_version": SCHEMA_VERSION,
        "holder": lease.holder,
        "fence": lease.fence,
        "expires_at": instant_to_text(lease.expires_at),
    }
    return {**data, "line": list(map(_kept, lease.line))} if lease.line else data


def _kept(waiter: Waiter) -> dict[str, Any]:
    times = {"arrives": waiter.arrives, "since": waiter.since, "until": waiter.until}
    texts = {name: instant_to_text(at) for name, at in times.items()}
    return {"who": waiter.who, "urgency": waiter.urgency, **texts}


def _line(document: Document) -> tuple[Waiter, ...]:
    return tuple(map(_waiter, document.data.get("line", ())))


def _waiter(kept: Mapping[str, Any]) -> Waiter:
    arrives, since, until = (instant_from_text(kept[name], name) for name in ("arrives", "since", "until"))
    return Waiter(kept["who"], kept["urgency"], arrives, since, until)
