"""A page of a bulk revocation at one vendor: its keys are taken off their locks, side by side, for a while.

Each key is worked on by the engine, as if by an execution of its own. What does not come to an end within
this call stays on the page; who wakes when a long rest is over, takes it up: the job, or the sweeper.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.step import make_attempt
from shared.keywork.vendor_session import VendorSessions
from shared.keywork.verdicts import Outcome, StepCall, Verdict
from shared.ledger.bulk_job import BulkJob, BulkPage, find_job, find_page
from shared.ledger.ledger import Ledger
from shared.ports.documents import StaleVersion
from shared.vendor_kit.calm.urgency import in_bulk

SIDE_BY_SIDE: Final = 8
"""So many keys are worked on at once: enough that the vendor's limit, and not its latency, sets the pace."""
BEGUN_WITHIN: Final = timedelta(seconds=45)
"""No key is begun after this: the call ends before its execution loses patience."""
SHORT: Final = timedelta(seconds=5)
"""For so long a key is waited for here; for longer, others of the page are asked meanwhile."""
OVER: Final = frozenset({Outcome.DONE, Outcome.SUPERSEDED, Outcome.FAILED, Outcome.PARKED})


@dataclass(frozen=True, slots=True)
class PageCall:
    """Which page of which job."""

    tenant: TenantId
    job: str
    page: int

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the call."""
        job, page = body.get("job"), body.get("page")
        if not isinstance(job, str) or type(page) is not int:
            raise InvalidInput("page", "missing, or of no job", "call it as bulk_revoke does")
        return cls(TenantId.parse(body.get("tenant"), "tenant"), job, page)


async def remove_page(call: PageCall, services: Services, desks: VendorSessions) -> dict[str, Any]:
    """Take a page's keys off this vendor's locks; say how many are left, and whether any went."""
    ledger = services.ledger_of_key(call.tenant)
    job = await find_job(ledger.documents, call.job)
    page = await find_page(ledger.documents, call.job, call.page)
    if job is None or page is None:
        return {"left": 0, "moved": True}
    mine = [each.key for each in page.keys if each.vendor == desks.vendor]
    walk = _Walk(job, page, ledger, services, desks)
    with in_bulk():
        verdicts = await walk.all(mine)
    left = await retry_on_conflict(lambda: _noted(call, verdicts, ledger))
    moved = any(map(_over, verdicts.values())) or any(
        each.vendor != desks.vendor for each in verdicts.values()
    )
    return {"left": left, "moved": moved}


@dataclass(frozen=True, slots=True)
class _Walk:
    job: BulkJob
    page: BulkPage
    ledger: Ledger
    services: Services
    desks: VendorSessions

    async def all(self, names: Sequence[str]) -> dict[str, Verdict]:
        """Work on keys side by side, and return what came of those that were begun.

        Where none of the last keys came to an end, the vendor is in trouble: no further one is begun.
        """
        until, waiting, verdicts = self.services.now + BEGUN_WITHIN, iter(names), dict[str, Verdict | None]()

        async def lane() -> None:
            for name in waiting:
                last = list(verdicts.values())[-SIDE_BY_SIDE:]
                troubled = len(last) == SIDE_BY_SIDE and not any(map(_over, last))
                if troubled or self.services.now >= until:
                    return
                verdicts[name] = await self._one(name)

        await asyncio.gather(*(lane() for _ in range(SIDE_BY_SIDE)))
        return {name: each for name, each in verdicts.items() if each is not None}

    async def _one(self, name: str) -> Verdict | None:
        """Work on one key until it is done, or has to rest for longer than we wait; None if it broke off."""
        try:
            verdict = await self._attempt(name)
            while verdict.outcome is Outcome.RETRY and verdict.after <= SHORT:
                await asyncio.sleep(verdict.after.total_seconds())
                verdict = await self._attempt(name)
        except StaleVersion:
            return None  # somebody else works on it too: the next call sees how far they came
        except Exception as error:  # noqa: BLE001 - one key that is broken must not keep the others at their locks
            self.services.log.failure("a key could not be taken back in bulk", error, credential=name)
            return None
        return verdict

    async def _attempt(self, name: str) -> Verdict:
        entry = await self.ledger.entry(name)
        if entry is None:
            return Verdict(Outcome.SUPERSEDED)
        told = entry.credential.sequence if self.page.told else entry.announced
        call = StepCall(
            str(self.ledger.documents.tenant), name, entry.saga.generation, self.job.execution_name, told
        )
        return await make_attempt(call, self.services, self.desks)


def _over(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.outcome in OVER


async def _noted(call: PageCall, verdicts: Mapping[str, Verdict], ledger: Ledger) -> int:
    """Note on the page what went, and who is to be asked about the rest; return how many are left."""
    page = await find_page(ledger.documents, call.job, call.page)
    if page is None:
        return 0
    known = {each.key for each in page.keys}
    over = {name for name, each in verdicts.items() if _over(each) and name in known}
    failed = sum(verdicts[name].outcome in (Outcome.FAILED, Outcome.PARKED) for name in over)
    asked = {name: str(each.vendor) for name, each in verdicts.items() if each.vendor is not None}
    keys = tuple(
        replace(each, vendor=asked.get(each.key, each.vendor)) for each in page.keys if each.key not in over
    )
    removed, residual = page.removed + len(over) - failed, page.residual + failed
    await ledger.documents.commit([replace(page, keys=keys, removed=removed, residual=residual).write()])
    return len(keys)
