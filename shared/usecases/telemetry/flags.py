"""The shares of telemetry that are told now: the table's, or a flag's while it lasts (C §3, §10).

| when | then |
|---|---|
| the flags were read within 30 s, give or take a tenth | what was read counts; nobody is asked |
| they are older | one reader asks, for 50 ms at most, and all others go on with what was read |
| they cannot be read, or one of them is broken | what was read before counts; at first, the table |
| a flag's time is over | it counts no more, and is listed still until somebody removes it |

Decision 0110 says why they lie in a document and not in Memorystore.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import ClassVar, Final

from shared.domain.codecs import codec_of
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.events.backoffice.catalogue import TELEMETRY
from shared.kernel.log import Log
from shared.keywork.services import retry_on_conflict
from shared.ledger.admission import NOBODY
from shared.ledger.reading import read_record
from shared.ports.ambient import Clock, Entropy
from shared.ports.documents import DocumentStore, Ref
from shared.ports.flags import FlagSource, RateFlag
from shared.streams.record import Record

FLAGS: Final = Ref("telemetry_flags", "bff-backoffice-flags")
REFRESHED_EVERY: Final = timedelta(seconds=30)
JITTER: Final = 0.1
PATIENCE_SECONDS: Final = 0.05
MOST_FLAGS: Final = 200
LONGEST: Final = timedelta(days=7)
"""So long a flag may last: a share that is raised for ever is a change of the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFlags(Record):
    """Every flag of the cell."""

    schema_version: ClassVar[int] = 1

    flags: tuple[RateFlag, ...] = ()

    @property
    def ref(self) -> Ref:
        """Where they are kept."""
        return FLAGS


class DocumentFlags:
    """Flags in one document of the cell."""

    def __init__(self, documents: DocumentStore) -> None:
        self._store = documents.tenant(TenantId(NOBODY))

    async def read(self) -> Sequence[RateFlag]:
        """Return every flag that is kept."""
        return (await self._kept()).flags

    async def turn(self, flag: RateFlag, now: datetime) -> None:
        """Keep a flag instead of the one of its subject and tenant, and drop those that are over."""
        if not now < flag.until <= now + LONGEST:
            raise InvalidInput("until", "over, or more than a week away", "Give an instant within seven days")

        async def turned() -> None:
            kept = await self._kept()
            others = [each for each in kept.flags if not _same(each, flag) and now < each.until]
            await replace(kept, flags=(*others, flag)[-MOST_FLAGS:]).saved(self._store)

        await retry_on_conflict(turned)

    async def drop(self, subject: str, tenant: str | None) -> int:
        """Let a subject be told by the table again, and return how many flags that ended."""

        async def dropped() -> int:
            kept = await self._kept()
            left = tuple(each for each in kept.flags if (each.subject, each.tenant) != (subject, tenant))
            if len(left) < len(kept.flags):
                await replace(kept, flags=left).saved(self._store)
            return len(kept.flags) - len(left)

        return await retry_on_conflict(dropped)

    async def _kept(self) -> KeptFlags:
        found = await self._store.get(FLAGS)
        return KeptFlags() if found is None else read_record(KeptFlags, found)


def _same(one: RateFlag, other: RateFlag) -> bool:
    return (one.subject, one.tenant) == (other.subject, other.tenant)


@dataclass(slots=True)
class Rates:
    """What one instance knows of the flags."""

    source: FlagSource
    clock: Clock
    entropy: Entropy
    log: Log
    _known: Mapping[tuple[str, str | None], RateFlag] = field(default_factory=dict)
    _due: datetime | None = None
    _reading: bool = False

    async def of(self, subject: str, tenant: TenantId) -> float:
        """Return the share of a subject that is told now of a tenant: its own flag's before everybody's."""
        await self._refresh()
        row, now = TELEMETRY[subject], self.clock.now()
        if row.unit is None:
            return row.rate
        for key in ((subject, str(tenant)), (subject, None)):
            flag = self._known.get(key)
            if flag is not None and now < flag.until:
                return flag.rate
        return row.rate

    async def _refresh(self) -> None:
        now = self.clock.now()
        if self._reading or (self._due is not None and now < self._due):
            return
        # Noted before the answer: a store that is slow or broken is not asked by each request.
        self._reading, self._due = True, now + REFRESHED_EVERY * self.entropy.uniform(1 - JITTER, 1 + JITTER)
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                flags = await self.source.read()
            self._known = {(each.subject, each.tenant): each for each in flags}
        except Exception as error:  # noqa: BLE001 - telemetry's share is worth no request: the last known counts
            self.log.failure("the flags of telemetry could not be read", error)
        finally:
            self._reading = False


def shown_flag(flag: RateFlag, now: datetime) -> dict[str, object]:
    """Return a flag as an operator sees it."""
    return {**codec_of(RateFlag).write(flag), "over": now >= flag.until}


def read_flag(body: Mapping[str, object]) -> RateFlag:
    """Read a flag as an operator gives it."""
    flag: RateFlag = codec_of(RateFlag).read(dict(body))
    return flag
