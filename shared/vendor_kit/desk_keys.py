"""Cards that a front desk writes: one for all doors of a key, ordered as a job, looked after until it ends.

1. The job of an attempt is found, or ordered, unless no desk gives a sign of life.
2. One that no desk takes in half a minute is called off: the encoder is as good as offline.
3. While a desk has it, nobody waits for it: it is in hand until a card was laid down, or the stay is over.
4. One that came to nothing is told once; the attempt after that is another job.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.instants import milliseconds
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.lock_errors import CardEncoderOffline, LockError, LockErrorCause
from shared.domain.secret import Secret
from shared.ports.lock import AdapterDescription, InHand, KeyAtLock, LockKey, Placing, Removing
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.accounts import account_fields
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.carried_keys import Carried, CarriedKeys, Made, NewCarried, key_at_lock
from shared.vendor_kit.desk_jobs import OPEN, SILENT_AFTER, DeskJob, DeskJobs, JobError, JobState, job_id
from shared.vendor_kit.door_notes import DoorNotes
from shared.vendor_kit.grids import Bounds, in_minutes
from shared.vendor_kit.lock_vendor import PropertyLocks
from shared.vendor_kit.refusals import Meaning, Operation, Refusals, VendorRefused, unpaired
from shared.vendor_kit.turns import Turns
from shared.vendor_kit.visits import turn_at

CARDS: Final = frozenset({KeyCredentialKind.RFID_CARD, KeyCredentialKind.NFC_TAG})
LEAD: Final = timedelta(hours=12)
"""How long before a stay its card may be written: guests come early, and a card holds its own beginning."""


class NobodyThere(Exception):
    """No desk gives a sign of life, or none took a job in time."""


@dataclass(frozen=True, slots=True)
class DeskKeys:
    """What one property's desk has written, in the dialect of its encoder or lock system."""

    jobs: DeskJobs
    dialect: str
    mapped: Sequence[str]

    async def doors(self) -> Sequence[str]:
        """Return the doors that cards are written for: those that are mapped."""
        return self.mapped

    async def good_at(self, door: str) -> Sequence[Carried]:
        """Return the cards that were written for a door and are good."""
        cards = await self.jobs.made_at(door)
        return [Carried(Secret(card.job), card.name, None, card.ends) for card in cards]

    async def make(self, new: NewCarried) -> Made:  # noqa: ARG002 - the protocol's shape
        """Refuse: a card is one for all its doors, and is ordered as a job."""
        raise VendorRefused(str(JobError.REFUSED))

    async def take_back(self, door: str, ref: Secret[str]) -> bool:  # noqa: ARG002 - the protocol's shape
        """Say no: a card that somebody carries hears of nothing."""
        return False


class DeskVendor(CarriedKeys):
    """One property's locks, opened by cards that its desk writes."""

    def __init__(self, locks: PropertyLocks, keys: DeskKeys, turns: Turns, notes: DoorNotes) -> None:
        super().__init__(locks, keys, turns, notes)
        self._keys, self._jobs = keys, keys.jobs

    def describe_adapter(self) -> AdapterDescription:
        """Say what this adapter can do: a card is one thing for all its doors."""
        able = self._locks.offered()
        at_once = frozenset(kind for kind in CARDS if able.supports(kind))
        return AdapterDescription(self._binding.vendor, able, at_once)

    async def find(self, key: LockKey) -> KeyAtLock | None:
        """Return the card of this key that is good at the door, or None."""
        ours = await self._written(key)
        return key_at_lock(key, ours[-1], ours, self._carried(key)) if ours else None

    async def place(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that a card opens this door alone."""
        (placed,) = await self.place_all([key])
        if isinstance(placed, LockError):
            raise placed
        return placed

    async def place_all(self, keys: Sequence[LockKey]) -> Sequence[Placing]:
        """See to it that one card, for all these doors, is written or in hand."""
        first, bounds = keys[0], in_minutes(keys[0])
        try:
            for key in keys:
                self._locks.check(key, bounds)
            self._refuse_before(bounds.start - LEAD, first)
            with self._spoken(Operation.ISSUE, first):
                # Two who find a room without cards at once would override each other.
                async with turn_at(self._turns, f"desk:{self._door(first)}", _name_of(first)):
                    job = await self._job(keys, bounds)
                return await self._told(job, keys)
        except LockError as refused:
            return [refused] * len(keys)

    async def status(self, job: str, keys: Sequence[LockKey]) -> Sequence[KeyAtLock | Removing]:
        """Say what became of a card."""
        try:
            with self._spoken(Operation.ISSUE, keys[0]):
                return await self._told(await self._looked_after(job), keys)
        except LockError as refused:
            return [refused] * len(keys)

    async def remove(self, key: LockKey) -> InHand | None:
        """See to it that no card is written for this door; one that was is told as carried."""
        for job in await self._jobs.open():
            opens = job.name == _name_of(key) and self._door(key) in job.doors
            if opens and await self._being_written(job):
                raise self._refusals.unreachable(LockCause.LOCK_BUSY, key.device_id)
        await self._refuse_carried(key, await self._written(key))
        return None

    async def unsuspend(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that a card is written."""
        return await self.place(replace(key, intent_predates=True))

    async def _job(self, keys: Sequence[LockKey], bounds: Bounds) -> DeskJob:
        """Return the job of these keys as it stands, ordered now if need be."""
        doors = sorted(self._door(key) for key in keys)
        known, free = await self._last_job((_name_of(keys[0]), *doors, bounds.start_ms, bounds.end_ms))
        if known is not None and not known.reported:
            return await self._looked_after(known.id)
        return await self._ordered(free, keys, bounds)

    async def _last_job(self, about: tuple[object, ...]) -> tuple[DeskJob | None, str]:
        """Return the last job of a wish, and the id of the next.

        Its jobs are numbered from nought without a gap, and all but the last were reported. A desk that is
        off for half a day leaves hundreds: the last is found by doubling, and then by halving.
        """
        last, low, high = None, -1, 0
        while (found := await self._jobs.find(job_id(*about, high))) is not None:
            last, low, high = found, high, 2 * high + 1
            if not found.reported:
                return found, job_id(*about, low + 1)
        while high - low > 1:
            middle = (low + high) // 2
            found = await self._jobs.find(job_id(*about, middle))
            last, low, high = (last, low, middle) if found is None else (found, middle, high)
        return last, job_id(*about, high)

    async def _ordered(self, id_: str, keys: Sequence[LockKey], bounds: Bounds) -> DeskJob:
        if await self._jobs.desk_is_silent():
            raise NobodyThere
        rooms, now = self._rooms(keys), self._clock.now()
        shared, newest = await self._shared(rooms, keys[0]), await self._newest(rooms)
        job = DeskJob(
            id=id_,
            name=_name_of(keys[0]),
            kind=keys[0].kind,
            dialect=self._keys.dialect,
            doors=tuple(self._door(key) for key in keys),
            rooms=rooms,
            starts=bounds.start,
            ends=bounds.end,
            overrides=not shared,
            ordered_at=now,
            # A desk's clock may be ahead of ours: a card below one it made alone would open nothing.
            number=newest if shared else max(milliseconds(now), newest + 1),
        )
        return await self._jobs.order(job)

    def _rooms(self, keys: Sequence[LockKey]) -> tuple[str, ...]:
        """Return the guest's own doors: those that lead to the fewest rooms, for others are everybody's."""
        devices = [self._locks.device(key.device_id) for key in keys]
        fewest = min(len(device.rooms) for device in devices)
        own = (key for key, device in zip(keys, devices, strict=True) if len(device.rooms) == fewest)
        return tuple(self._door(key) for key in own)

    async def _shared(self, rooms: Sequence[str], key: LockKey) -> bool:
        """Say whether somebody else stays in these rooms, whose card is not to be ended."""
        good = [each for room in rooms for each in await self._keys.good_at(room)]
        return not await self._overrides(key, [each for each in good if each.name != _name_of(key)])

    async def _newest(self, rooms: Sequence[str]) -> int:
        """Return the number of the guest who came last into these rooms: a card that joins bears it too."""
        good = [each.number for room in rooms for each in await self._jobs.made_at(room)]
        return max(good, default=0)

    async def _looked_after(self, id_: str) -> DeskJob:
        """Return a job as it stands; one that no desk took in time is called off."""
        job = await self._jobs.find(id_)
        if job is not None and job.silent(self._clock.now()):
            job = await self._jobs.advance(id_, JobState.CANCELLED)
        if job is None:
            raise VendorRefused(str(JobError.REFUSED))
        return job

    async def _told(self, job: DeskJob, keys: Sequence[LockKey]) -> Sequence[KeyAtLock | InHand]:
        """Say how a job stands: written, in hand, or why it came to nothing, which is said once."""
        if job.state in OPEN:
            return [self._in_hand(job)] * len(keys)
        if job.state is JobState.PROCESSED:
            card = Carried(Secret(job.id), job.name, None, job.ends)
            good = [[*await self._written(key), card] for key in keys]
            return [
                key_at_lock(key, card, ours, self._carried(key)) for key, ours in zip(keys, good, strict=True)
            ]
        await self._jobs.report(job.id)
        raise NobodyThere if job.state is JobState.CANCELLED else VendorRefused(str(job.error))

    def _in_hand(self, job: DeskJob) -> InHand:
        until = job.ordered_at + SILENT_AFTER if job.state is JobState.PENDING else job.ends
        encoder = next((each.id for each in self._binding.encoders()), None)
        return InHand(job.id, until, encoder)

    async def _being_written(self, job: DeskJob) -> bool:
        """Call a job off, and say whether its card lies on the encoder at this moment."""
        moved = job if job.state is JobState.PROCESSING else await self._jobs.call_off(job.id)
        return moved is not None and moved.state is JobState.PROCESSING

    async def _written(self, key: LockKey) -> list[Carried]:
        good = await self._keys.good_at(self._door(key))
        return [each for each in good if each.name == _name_of(key)]

    @contextmanager
    def _spoken(self, doing: Operation, key: LockKey) -> Iterator[None]:
        try:
            with self._refusals.spoken(doing, key.device_id):
                yield
        except NobodyThere:
            why, vendor = LockErrorCause(LockCause.ENCODER_OFFLINE.value), self._binding.vendor
            raise CardEncoderOffline(vendor=vendor, device_id=key.device_id, cause=why) from None


def desk_refusals(vendor: VendorCode) -> Refusals:
    """Return what a desk's answers mean; a desk speaks our own words."""
    table = {
        JobError.NO_CARD: Meaning(LockCause.CARD_MISSING),
        JobError.CARD_FAULTY: Meaning(LockCause.CARD_FAULTY),
        JobError.ENCODER_OFFLINE: Meaning(LockCause.ENCODER_OFFLINE),
        JobError.ROOM_UNKNOWN: unpaired(LockCause.NO_SUCH_LOCK),
        JobError.REFUSED: Meaning(LockCause.REFUSED, permanent=True),
    }
    return Refusals(vendor, {str(error): meaning for error, meaning in table.items()})


def open_desk(binding: Binding, ports: AdapterPorts, locks: PropertyLocks, dialect: str) -> DeskVendor:
    """Open the adapter of a vendor whose cards the desk writes; nothing is called yet."""
    documents = ports.documents.tenant(binding.tenant)
    jobs = DeskJobs(documents, ports.clock, binding.vendor, binding.property.id)
    doors = tuple(device.vendor_device for device in binding.devices)
    turns = Turns(ports.leases, binding.tenant, ports.clock, ports.entropy)
    return DeskVendor(locks, DeskKeys(jobs, dialect, doors), turns, DoorNotes.of(binding, ports))


def dialect_of(stored: Secret[bytes], dialects: Sequence[str]) -> str:
    """Return the dialect of a property's encoder, as its account says it; the first, where it says none."""
    told = account_fields(stored).get("dialect", dialects[0])
    if told not in dialects:
        raise InvalidInput("account.dialect", "not a dialect", f"Give one of {', '.join(dialects)}")
    return str(told)


def _name_of(key: LockKey) -> str:
    """Return the name of a key's one card."""
    return key.set_name or key.name
