"""What a vendor has in hand at a lock: kept with the grant, so that no execution need wait for its end."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Self

from shared.domain.ids import LockDeviceId
from shared.domain.instants import Moment
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import LOCK_ERRORS, LockError, LockErrorCause
from shared.domain.stored import Stored
from shared.ports.lock import InHand

IN_HAND = "in_hand"
"""What a vendor answered that tells of the end later."""


@dataclass(frozen=True, slots=True)
class JobEnd:
    """What was told of a job's end, by whoever heard it: done, or with which error's code and cause."""

    at: Moment
    code: Annotated[str | None, Stored(omitted=True)] = None
    cause: Annotated[str | None, Stored(omitted=True)] = None
    vendor_code: Annotated[str | None, Stored(omitted=True)] = None
    permanent: Annotated[bool, Stored(omitted=True)] = False

    @classmethod
    def of(cls, error: LockError | None, at: datetime) -> Self:
        """Return what is kept of an end; None is a good one."""
        if error is None:
            return cls(at)
        return cls(at, error.code, error.cause.kind, error.cause.vendor_code, error.permanent)

    def error(self, about: Mapping[str, object]) -> LockError | None:
        """Return why the job failed, if it did."""
        if self.code is None:
            return None
        cause = LockErrorCause(self.cause or "unknown", self.vendor_code)
        return LOCK_ERRORS[self.code](cause=cause, permanent=self.permanent, **about)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class JobInHand:
    """A vendor's job: what it was `asked` for and when, and what was told of its end."""

    job: str
    asked: str
    at: Moment
    until: Moment
    encoder: Annotated[LockDeviceId | None, Stored(omitted=True)] = None
    end: Annotated[JobEnd | None, Stored(omitted=True)] = None

    @classmethod
    def of(cls, answer: InHand, asked: str, at: datetime) -> Self:
        """Return what is kept of a vendor's answer."""
        return cls(answer.job, asked, at, answer.until, answer.encoder)

    def named(self, vendor: VendorCode) -> str:
        """Return the name by which whoever hears of the job finds its grants."""
        return f"{vendor}:{self.job}"

    def waits(self, now: datetime) -> bool:
        """Say whether its end has not been told yet, and may still be."""
        return self.end is None and now < self.until

    def ended(self, end: JobEnd) -> Self:
        """Return the job with its end; who tells another one later is not believed."""
        return self if self.end is not None else replace(self, end=end)
