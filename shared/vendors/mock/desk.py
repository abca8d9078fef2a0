"""The mock's desk: a card is one artifact for all its locks, and is encoded when somebody lays it down.

`mock://?capabilities=pin,card_encoding&desk=30` waits thirty seconds for somebody; jobs outlive the adapter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from shared.domain.ids import LockDeviceId
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.ports.lock import InHand, KeyAtLock, LockKey, Placing
from shared.ports.lock_causes import LockCause
from shared.vendors.mock.cloud import MockCloud, MockKey, at_lock


@dataclass(frozen=True, slots=True)
class CardJob:
    """A card that waits for somebody at the encoder."""

    name: str
    keys: tuple[LockKey, ...]
    until: datetime
    spoilt: bool = False


@dataclass(slots=True)
class Desk:
    """Jobs by their names, which are the cards' own; one that is encoded or called off is none any more."""

    vendor: VendorCode
    waits: timedelta
    encoder: LockDeviceId | None
    jobs: dict[str, CardJob] = field(default_factory=dict)

    def asked(self, keys: Sequence[LockKey], cloud: MockCloud, now: datetime) -> Sequence[Placing]:
        """Have a card encoded: one that is there already is there; one that waits goes on waiting."""
        name = keys[0].set_name
        if all(_stands(key, cloud) for key in keys):
            return [at_lock(cloud.locks[key.device_id][key.name]) for key in keys]
        known = self.jobs.get(name)
        if known is None or known.spoilt or known.until <= now:
            known = self.jobs[name] = CardJob(name, tuple(keys), now + self.waits)
        return [InHand(name, known.until, self.encoder)] * len(keys)

    def status(self, job: str, keys: Sequence[LockKey], cloud: MockCloud) -> Sequence[KeyAtLock | Placing]:
        """Say what became of a card."""
        known = self.jobs.get(job)
        if known is not None and known.spoilt:
            cause = LockErrorCause(LockCause.REFUSED, "spoilt")
            return [KeyIssueFailed(vendor=self.vendor, device_id=key.device_id, cause=cause) for key in keys]
        if known is not None:
            return [InHand(job, known.until, self.encoder)] * len(keys)
        return [self._found(key, cloud) for key in keys]

    def _found(self, key: LockKey, cloud: MockCloud) -> KeyAtLock | VendorUnreachable:
        if _stands(key, cloud):
            return at_lock(cloud.locks[key.device_id][key.name])
        cause = LockErrorCause(LockCause.NO_SUCH_JOB)
        return VendorUnreachable(vendor=self.vendor, device_id=key.device_id, cause=cause)

    def call_off(self, key: LockKey) -> None:
        """Let nobody encode a card that is to go."""
        self.jobs.pop(key.set_name, None)

    def encode(self, job: str, cloud: MockCloud, now: datetime) -> bool:
        """Be somebody who lays a card on the encoder, and say whether it was for this job."""
        known = self.jobs.get(job)
        if known is None or known.spoilt or known.until <= now:
            return False
        ref = cloud.new_ref()
        for key in known.keys:
            written = MockKey(ref, key.kind, None, key.valid_from, key.valid_until)
            cloud.locks[key.device_id][key.name] = written
        del self.jobs[job]
        return True

    def spoil(self, job: str) -> None:
        """Be an encoder that breaks a card."""
        self.jobs[job] = replace(self.jobs[job], spoilt=True)


def _stands(key: LockKey, cloud: MockCloud) -> bool:
    kept = cloud.locks[key.device_id].get(key.name)
    return kept is not None and (kept.start, kept.end) == (key.valid_from, key.valid_until)
