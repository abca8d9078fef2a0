"""Work at a lock that a desk in its reach does by radio: where the vendor's own way to the lock is out.

A PIN crosses the fleet sealed for the desks that were heard of late, each by its own key: neither the job nor
who hands it out can read it. The same wish at one lock is one job.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self

from shared.domain.ids import LockDeviceId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.secret import Secret
from shared.offline.radio_locks import sealed_for
from shared.ports.ambient import Clock
from shared.ports.documents import AlreadyExists, Create, Ref, StaleVersion, TenantDocuments, Update
from shared.ports.lock import InHand, LockKey
from shared.vendor_kit.desk_jobs import (
    NOTED_EVERY,
    PRESENCE,
    RADIO,
    SILENT_AFTER,
    DeskJob,
    DeskJobs,
    JobState,
    job_id,
)

MOST_DESKS: Final = 8
PLACE, TAKE = "place", "take"
TRIES: Final = {PLACE: 1, TAKE: 20}
"""How often a desk is sent to a lock: a guest waits for a key, and there are other ways to one."""
FAILED: Final = frozenset({JobState.CANCELLED, JobState.ERROR})


@dataclass(frozen=True, slots=True)
class RadioDesks:
    """The desks of a property that speak to one vendor's locks, as they were heard of."""

    documents: TenantDocuments
    clock: Clock
    vendor: str
    property_id: str

    async def note(self, device: str, key: bytes) -> None:
        """Note that a desk is there; asking for work is its sign of life."""
        now, found = self.clock.now(), await self.documents.get(self._ref)
        known = {} if found is None else dict(found.data["desks"])
        seen = known.get(device)
        if seen is not None and now < instant_from_text(seen["seen_at"], "seen_at") + NOTED_EVERY:
            return
        known[device] = {"key": base64.b64encode(key).decode(), "seen_at": instant_to_text(now)}
        newest = sorted(known, key=lambda each: known[each]["seen_at"])[-MOST_DESKS:]
        data = {"schema_version": 1, "desks": {each: known[each] for each in newest}}
        write = Create(self._ref, data) if found is None else Update(self._ref, data, found.version)
        with suppress(AlreadyExists, StaleVersion):
            await self.documents.commit([write])

    async def heard(self) -> Mapping[str, bytes]:
        """Return the desks that were heard of late, each with its own key."""
        found, now = await self.documents.get(self._ref), self.clock.now()
        known = {} if found is None else found.data["desks"]
        return {
            device: base64.b64decode(each["key"])
            for device, each in known.items()
            if now < instant_from_text(each["seen_at"], "seen_at") + SILENT_AFTER
        }

    @property
    def _ref(self) -> Ref:
        return Ref(PRESENCE, f"{RADIO}.{self.vendor}-{self.property_id}")


@dataclass(frozen=True, slots=True)
class RadioJobs:
    """The jobs that desks do by radio at the locks of one property."""

    jobs: DeskJobs
    desks: RadioDesks
    clock: Clock

    @classmethod
    def at(cls, documents: TenantDocuments, clock: Clock, vendor: str, property_id: str) -> Self:
        """Return those of one vendor's locks."""
        place = (documents, clock, vendor, property_id)
        return cls(DeskJobs(*place), RadioDesks(*place), clock)

    async def find(self, job: str) -> DeskJob | None:
        """Return a job of ours as it stands; one that no desk took in time is called off."""
        found = await self.jobs.find(job)
        if found is None or found.dialect != RADIO:
            return None
        if found.silent(self.clock.now()):
            return await self.jobs.advance(job, JobState.CANCELLED)
        return found

    async def of(self, doing: str, key: LockKey) -> DeskJob | None:
        """Return the last job that does something with a key at its lock, if it was ever ordered."""
        last = None
        for number in range(TRIES[doing]):
            found = await self.find(_id(doing, key, number))
            if found is None:
                break
            last = found
            if found.state not in FAILED:
                break
        return last

    async def ordered(
        self, doing: str, key: LockKey, door: str, pins: Sequence[Secret[str]]
    ) -> DeskJob | None:
        """Order a job, unless there is one or no desk is near; None where none will do it."""
        known = await self.of(doing, key)
        if known is None or known.state in FAILED:
            desks = await self.desks.heard()
            told = Secret(json.dumps({"pins": [pin.reveal() for pin in pins]}).encode())
            sealed = {device: sealed_for(public, told) for device, public in desks.items()}
            known = await self.again(doing, key, door, sealed) if sealed and pins else None
        return known

    async def again(self, doing: str, key: LockKey, door: str, sealed: Mapping[str, str]) -> DeskJob | None:
        """Order a job with what was sealed for desks before; None once it was tried often enough."""
        number = 0
        while await self.jobs.find(_id(doing, key, number)) is not None:
            number += 1
        if number >= TRIES[doing]:
            return None
        job = DeskJob(
            id=_id(doing, key, number),
            name=key.name,
            kind=str(key.kind),
            dialect=RADIO,
            doors=(door,),
            rooms=(door,),
            starts=key.valid_from,
            ends=key.valid_until,
            overrides=doing == TAKE,
            ordered_at=self.clock.now(),
            sealed=sealed,
        )
        return await self.jobs.order(job)


def in_hand(job: DeskJob, encoder: LockDeviceId | None = None) -> InHand:
    """Return a job as whoever waits for it knows it."""
    until = job.ordered_at + SILENT_AFTER if job.state is JobState.PENDING else job.ends
    return InHand(job.id, until, encoder)


def _id(doing: str, key: LockKey, number: int) -> str:
    return job_id(RADIO, doing, key.name, number)
