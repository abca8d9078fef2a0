"""What telemetry's hashes are keyed with: a pepper of each tenant's own, followed by another every 90 days.

| a pepper is | then |
|---|---|
| the newest, and younger than 90 days | hashes are made with it |
| the newest, and older | the next one is drawn with the next hash, or by the nightly round |
| followed by another for less than 14 days | it is kept, to look up what was hashed before |
| followed for longer | it is destroyed: its hashes are of nobody any more |
"""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final

from shared.domain.ids import TenantId
from shared.domain.instants import Moment
from shared.domain.secret import Secret
from shared.events.backoffice.hashes import READABLE_AFTER, ROTATED_EVERY, Pepper
from shared.kernel.log import Log
from shared.kernel.remembered import Remembered
from shared.ledger.reading import read_record
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import AlreadyExists, DocumentStore, Ref, StaleVersion, TenantDocuments
from shared.ports.vault import Cipher, SealContext
from shared.streams.record import Record

PURPOSE: Final = "telemetry-pepper"
RING: Final = Ref("telemetry_peppers", "ring")
KEY_BYTES: Final = 32
KNOWN_FOR: Final = timedelta(minutes=5)
RACES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPepper:
    """A pepper, sealed, and since when it is the newest."""

    id: str
    sealed: str = field(repr=False)
    drawn_at: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class PepperRing(Record):
    """A tenant's peppers, the newest last."""

    schema_version: ClassVar[int] = 1

    peppers: tuple[KeptPepper, ...] = ()
    drawn: int = 0
    """How many there ever were: no number is given twice."""

    @property
    def ref(self) -> Ref:
        """Where they are kept."""
        return RING

    def wants_another(self, now: datetime) -> bool:
        """Say whether the newest is too old, or there is none."""
        return not self.peppers or now >= self.peppers[-1].drawn_at + ROTATED_EVERY

    def readable(self, now: datetime) -> tuple[KeptPepper, ...]:
        """Return those whose hashes can still be looked up: each until a while after its successor came."""
        followed = zip(self.peppers, self.peppers[1:], strict=False)
        kept = tuple(one for one, after in followed if now < after.drawn_at + READABLE_AFTER)
        return (*kept, *self.peppers[-1:])


@dataclass(slots=True)
class Peppers:
    """The peppers of every tenant, as one instance knows them."""

    sealed: DocumentStore
    cipher: Cipher
    clock: Clock
    entropy: Entropy
    _known: Remembered[TenantId, Pepper] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._known = Remembered(self.clock.now, KNOWN_FOR)

    async def newest(self, tenant: TenantId) -> Pepper:
        """Return the pepper that a tenant's hashes are made with now."""
        return await self._known.recall(tenant, lambda: self._newest(tenant))

    async def readable(self, tenant: TenantId) -> Mapping[str, Pepper]:
        """Return every pepper of a tenant by which something may be looked up."""
        ring = await self.rotated(tenant)
        found = [await self._opened(tenant, each) for each in ring.readable(self.clock.now())]
        return {each.id: each for each in found}

    async def rotated(self, tenant: TenantId) -> PepperRing:
        """Return a tenant's peppers, having drawn the next and destroyed what is over, where it is time."""
        store = self.sealed.tenant(tenant)
        for _ in range(RACES):
            ring = await self._kept(store)
            now = self.clock.now()
            wanted = await self._with_another(tenant, ring, now) if ring.wants_another(now) else ring
            wanted = replace(wanted, peppers=wanted.readable(now))
            if wanted == ring:
                return ring
            try:
                return await wanted.saved(store)
            except (AlreadyExists, StaleVersion):
                await asyncio.sleep(0)
        return await self._kept(store)

    async def _newest(self, tenant: TenantId) -> Pepper:
        ring = await self.rotated(tenant)
        return await self._opened(tenant, ring.peppers[-1])

    async def _kept(self, store: TenantDocuments) -> PepperRing:
        found = await store.get(RING)
        return PepperRing() if found is None else read_record(PepperRing, found)

    async def _with_another(self, tenant: TenantId, ring: PepperRing, now: datetime) -> PepperRing:
        number = ring.drawn + 1
        key = Secret(self.entropy.token(KEY_BYTES))
        sealed = await self.cipher.seal(_context(tenant, f"p{number}"), key)
        drawn = KeptPepper(id=f"p{number}", sealed=sealed.hex(), drawn_at=now)
        return replace(ring, peppers=(*ring.peppers, drawn), drawn=number)

    async def _opened(self, tenant: TenantId, kept: KeptPepper) -> Pepper:
        return Pepper(kept.id, await self.cipher.open(_context(tenant, kept.id), bytes.fromhex(kept.sealed)))


async def turn_peppers(tenants: Iterable[TenantId], peppers: Peppers, log: Log) -> int:
    """Draw what is due and destroy what is over, tenant by tenant; a broken one keeps no other waiting."""
    turned = 0
    for tenant in tenants:
        try:
            await peppers.rotated(tenant)
            turned += 1
        except Exception as error:  # noqa: BLE001 - the next night looks again
            log.failure("a tenant's peppers could not be turned", error, tenant=tenant)
    return turned


def _context(tenant: TenantId, pepper: str) -> SealContext:
    return SealContext(PURPOSE, tenant, pepper, "key")
