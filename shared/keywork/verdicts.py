"""A saga's step: who calls, whether they may go on, and what they are told."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.kinds import KeyWarning, VendorCode
from shared.domain.lock_errors import LockError
from shared.ledger.delays import LONGEST_SLEEP, STEP_LEASE
from shared.ledger.key_record import KeyRecord, Work
from shared.ledger.ledger import Ledger


class Outcome(StrEnum):
    """What a saga is to do next."""

    RETRY = "retry"
    NEXT = "next"
    PARKED = "parked"
    """Nothing, and to end: whoever hears what is waited for, or the sweeper, begins another execution."""
    DONE = "done"
    FAILED = "failed"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class StepCall:
    """Which saga calls, as which of its executions, and what was known to be published when it began.

    `place` says where its key opens, for whoever reads ahead: what holds is what the ledger says.
    """

    tenant: str
    saga_id: str
    generation: int
    execution: str
    announced: int = 0
    place: str | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read a step's arguments."""
        texts = [_given(body, name, str) for name in ("tenant", "saga_id", "execution")]
        generation, announced = _given(body, "generation", int), body.get("announced", 0)
        told = announced if type(announced) is int else 0
        return cls(texts[0], texts[1], generation, texts[2], told, _place(body.get("property")))


@dataclass(frozen=True, slots=True)
class Verdict:
    """A step's answer, and whose adapter is next if there is more to do; it names no secret and nobody.

    `error`, what went wrong first, is for whoever asked in this process: no workflow is told of it.
    """

    outcome: Outcome
    after: timedelta = timedelta(0)
    vendor: VendorCode | None = None
    warnings: tuple[KeyWarning, ...] = ()
    error: LockError | None = field(default=None, compare=False)
    next_build: bool = False
    """Whether it is the vendor's next build that is to be asked."""

    def body(self) -> dict[str, Any]:
        """Return the answer as the workflow reads it."""
        body: dict[str, Any] = {
            "outcome": self.outcome.value,
            "after_seconds": round(self.after.total_seconds(), 3),
            "warnings": [warning.code for warning in self.warnings],
        }
        if self.vendor is None:
            return body
        present = adapter_of(self.vendor)
        return {**body, "adapter": next_of(present) if self.next_build else present}


NEXT_BUILD: Final = "-next"
"""How the name of a function ends that is an adapter's next build."""
SUPERSEDED: Final = Verdict(Outcome.SUPERSEDED)
DONE: Final = Verdict(Outcome.DONE)


def adapter_of(vendor: VendorCode) -> str:
    """Return the name of the function that works at a vendor's locks."""
    return f"adapter-{vendor}"


def next_of(adapter: str) -> str:
    """Return the name of the function that is an adapter's next build."""
    return f"{adapter}{NEXT_BUILD}"


def again(vendor: VendorCode, after: timedelta) -> Verdict:
    """Let the saga ask the same vendor once more, after a rest."""
    return Verdict(Outcome.RETRY, after, vendor)


def after_rest(
    entry: KeyRecord, vendor: VendorCode, wait: timedelta, now: datetime
) -> tuple[KeyRecord, Verdict]:
    """Return a key whose vendor is asked again after a rest, and what its saga is told.

    A long rest parks, and any of one whose vendor was asked in vain for long: few sleep through an outage.
    """
    if wait <= timedelta(0) or (wait <= LONGEST_SLEEP and entry.saga.may_rest(now + wait)):
        return entry.due_in(wait + STEP_LEASE, now), again(vendor, wait)
    return parked(entry, now + wait, now)


def parked(entry: KeyRecord, until: datetime, now: datetime) -> tuple[KeyRecord, Verdict]:
    """Return a key for which no execution waits until then, and what its saga is told.

    Whose guest is here is looked at by each sweep meanwhile, for its vendor may be well sooner. One that was
    begun early, for nothing, is asked again when it was to be: else it might never come to its last attempt.
    """
    saga, before = replace(entry.saga, parked=True, parked_at=now), entry.saga.asks_at
    if before is not None and now < before:
        return replace(entry, saga=replace(saga, parked_at=None), due=before), _parked(before, now)
    verdict = _parked(until, now)
    if saga.kind is Work.ISSUE and saga.waits_out_trouble and entry.credential.core.window.covers(now):
        return replace(entry, saga=replace(saga, asks_at=until), due=now), verdict
    return replace(entry, saga=saga, due=until), verdict


def _parked(until: datetime, now: datetime) -> Verdict:
    return Verdict(Outcome.PARKED, max(until - now, timedelta(0)))


def ask(vendor: VendorCode) -> Verdict:
    """Let the saga ask another vendor, at once."""
    return Verdict(Outcome.NEXT, vendor=vendor)


async def followed(call: StepCall, ledger: Ledger) -> KeyRecord | None:
    """Return the entry that this execution works on, or None if it is another execution's."""
    entry = await ledger.entry(call.saga_id)
    if entry is None:
        remedy = "start sagas from the ledger only, for keys that it holds"
        raise InvalidInput("saga_id", "no such key", remedy)
    return entry if entry.saga.follows(call.generation, call.execution) else None


def _place(given: Any) -> str | None:
    """Return where a key opens; an execution that an earlier release began does not say."""
    return given if isinstance(given, str) and given else None


def _given(body: Mapping[str, Any], name: str, kind: type[Any]) -> Any:
    value = body.get(name)
    if type(value) is not kind or not value:
        raise InvalidInput(name, "missing or of another type", "call the step as its workflow does")
    return value
