"""The jobs of a property's desks, handed to who pulls them, and their ends heard.

A job is a vendor's card to be written (`shared/vendor_kit/desk_jobs.py`). Asking for jobs is a desk's sign of
life. A step that is told twice, late or out of order changes nothing; an end is told on until somebody heard
it, for the desk repeats it until it has our answer.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Self

from shared.domain.core import Guest
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.instants import instant_to_text
from shared.domain.kinds import VendorCode
from shared.domain.premises import LockDevice
from shared.ledger.grant_record import grant_from
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.indexes import OF_JOB
from shared.ledger.key_record import key_record_from, ref_of
from shared.ports.documents import TenantDocuments
from shared.usecases.desk.arrivals import door_name, vendors_of_cards
from shared.usecases.desk.desks import KnownDesk
from shared.usecases.desk.local_keys import LocalKey, local_key, local_keys_of
from shared.usecases.desk.services import DeskServices
from shared.usecases.upkeep.hear_of_job import JobHeard, hear_of_job
from shared.vendor_kit.desk_jobs import OPEN, RADIO, DeskJob, DeskJobs, JobError, JobState
from shared.vendor_kit.radio_jobs import RadioDesks
from shared.vendor_kit.written_cards import NUMBERS

Json = dict[str, Any]
LONGEST_WAIT: Final = 20.0
"""Seconds. Somebody who waits for a job hears of the next one at once; nobody who does not wait misses it."""
LOOK_EVERY: Final = 2.0
WHOSE_WITHIN: Final = timedelta(seconds=10)
TOLD: Final = frozenset({JobState.RECEIVED, JobState.PROCESSING, JobState.PROCESSED, JobState.ERROR})
ENDS: Final = frozenset({JobState.PROCESSED, JobState.ERROR})


@dataclass(frozen=True, slots=True)
class Able:
    """What a desk that asks for jobs can do now: write cards, and speak to whose locks by radio."""

    cards: bool
    radio: tuple[str, ...]

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read it; a desk of the release before writes cards and does not say so."""
        radio = body.get("radio", ())
        named = tuple(map(str, radio)) if isinstance(radio, list) else ()
        return cls(cards=body.get("cards", True) is True, radio=named)


@dataclass(frozen=True, slots=True)
class JobStep:
    """What a desk tells of a job: how far it has come, and why it came to nothing."""

    vendor: VendorCode
    job: str
    state: JobState
    error: JobError | None
    local_id: str | None = None
    """The card that is this job's was made by the desk alone, before the job was ordered."""
    number: int | None = None
    """The number that stands on the card."""

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read what a desk tells."""
        state, error, job = body.get("state"), body.get("error"), body.get("job")
        if state not in tuple(TOLD) or not isinstance(job, str) or not job:
            raise InvalidInput(
                "state", "no step of a job", f"name the job, and one of {', '.join(sorted(TOLD))}"
            )
        if (state == JobState.ERROR) is not (error in tuple(JobError)):
            raise InvalidInput(
                "error", "missing, unknown, or of no error", f"say one of {', '.join(JobError)}"
            )
        known = JobError(error) if error is not None else None
        local, number = body.get("localId"), body.get("number")
        made_as = local if isinstance(local, str) else None
        stands = number if type(number) is int and 0 <= number < NUMBERS else None
        return cls(VendorCode(body.get("vendor")), job, JobState(state), known, made_as, stands)


async def pull(desk: KnownDesk, wait: float, known: Collection[str], on: DeskServices, able: Able) -> Json:
    """Return what the desks of a property are to write; where that is known, wait for news a while."""
    setup = await on.keys.hotels.premises(desk.tenant, desk.record.property_id)
    vendors = vendors_of_cards(setup) if able.cards else ()
    if able.radio:
        vendors = tuple(dict.fromkeys((*vendors, *await _heard_by_radio(desk, able, setup, on))))
    jobs = await _pulled(desk, setup, vendors, on)
    waited = 0.0
    while {each["job"] for each in jobs} == {*known} and waited < min(wait, LONGEST_WAIT):
        await asyncio.sleep(LOOK_EVERY)
        waited += LOOK_EVERY
        jobs = await _pulled(desk, setup, vendors, on)
    return {"jobs": jobs}


async def hear(desk: KnownDesk, step: JobStep, on: DeskServices) -> Json:
    """Keep a job's step, and what follows from its end; return how the job stands."""
    setup = await on.keys.hotels.premises(desk.tenant, desk.record.property_id)
    jobs = _jobs(desk.store, step.vendor, desk, on)
    known = await jobs.find(step.job)
    if known is None or not (_is_of(known, setup.of_vendor(step.vendor)) and _may_do(known, desk)):
        _alarm_if_written(step, desk, on)
        raise InvalidInput("job", "no job of this desk's", "pull the jobs anew, and let go of this one")
    number = await _number_of(known, step, desk)
    job = await jobs.advance(step.job, step.state, step.error, number) or known
    if step.state in ENDS and job.state not in OPEN:
        await hear_of_job(JobHeard(TenantId(desk.tenant), step.vendor, step.job), on.keys)
    return {"state": str(job.state)}


def _alarm_if_written(step: JobStep, desk: KnownDesk, on: DeskServices) -> None:
    """Call somebody where a card is written of which we shall never know what it opens."""
    if step.state is JobState.PROCESSED:
        on.keys.log.alert(
            "a desk wrote the card of a job that is no job of its property",
            runbook="desk/unknown-key",
            tenant=desk.tenant,
            device=desk.record.id,
            job=step.job,
        )


async def _number_of(job: DeskJob, step: JobStep, desk: KnownDesk) -> int:
    """Return the number on the card of a job: of the card that was there before it, or as the desk says.

    It was handed the job's own number, or a higher one of a card that a desk had made for the key by then.
    """
    if step.local_id is not None:
        local = await local_key(step.local_id, desk.store)
        return job.number if local is None else local.number
    whose = await _whose(job, step.vendor, desk.store)
    highest = max([job.number, *(each.number for each in whose.local)])
    return highest if step.number is None else min(max(step.number, job.number), highest)


async def _heard_by_radio(
    desk: KnownDesk, able: Able, setup: HotelSetup, on: DeskServices
) -> tuple[VendorCode, ...]:
    """Note that a desk speaks to locks by radio, and return whose of the property's those are."""
    vendors = tuple(sorted({each.vendor for each in setup.devices if each.vendor in able.radio}))
    for vendor in vendors:
        place = RadioDesks(desk.store, on.keys.clock, vendor, desk.record.property_id)
        await place.note(str(desk.record.id), bytes(desk.record.public))
    return vendors


async def _pulled(
    desk: KnownDesk, setup: HotelSetup, vendors: Iterable[VendorCode], on: DeskServices
) -> list[Json]:
    pulled = [(vendor, await _jobs(desk.store, vendor, desk, on).pulled()) for vendor in vendors]
    told = [
        await _told(job, vendor, setup, desk) for vendor, jobs in pulled for job in jobs if _may_do(job, desk)
    ]
    # One that was ordered this moment is whose it is with the next commit: until then nobody could choose it.
    young = {job.id for _, jobs in pulled for job in jobs if on.now < job.ordered_at + WHOSE_WITHIN}
    return [each for each in told if each["keyCredentialId"] or each["job"] not in young]


def _jobs(store: TenantDocuments, vendor: VendorCode, desk: KnownDesk, on: DeskServices) -> DeskJobs:
    return DeskJobs(store, on.keys.clock, vendor, desk.record.property_id)


def _is_of(job: DeskJob, devices: Iterable[LockDevice]) -> bool:
    return {*job.doors} <= {each.vendor_device for each in devices}


def _may_do(job: DeskJob, desk: KnownDesk) -> bool:
    """Say whether a job is for a desk: a card is for any, work at a lock for those it was sealed for."""
    return job.dialect != RADIO or desk.record.id in job.sealed


async def _told(job: DeskJob, vendor: VendorCode, setup: HotelSetup, desk: KnownDesk) -> Json:
    """Return a job as a desk reads it: with the names of doors on cards, and whose stay it is for."""
    whose = await _whose(job, vendor, desk.store)
    secret = {"sealed": job.sealed[desk.record.id]} if job.dialect == RADIO else {}
    names = {each.vendor_device: door_name(each) for each in setup.of_vendor(vendor)}
    return {
        "job": job.id,
        "vendor": str(vendor),
        "dialect": job.dialect,
        "kind": job.kind,
        "state": str(job.state),
        "doors": [names.get(door, door) for door in job.doors],
        "vendorDoors": [*job.doors],
        "ownDoors": [*job.rooms],
        "starts": instant_to_text(job.starts),
        "ends": instant_to_text(job.ends),
        "orderedAt": instant_to_text(job.ordered_at),
        "number": max([job.number, *(each.number for each in whose.local)]),
        "overrides": job.overrides,
        "keyCredentialId": whose.key,
        "reservationId": whose.reservation,
        "rooms": [*whose.rooms],
        "localIds": [each.local for each in whose.local],
        **secret,
    }


@dataclass(frozen=True, slots=True)
class _Whose:
    """Whose job it is: the key, its stay and rooms, and what desks made of it before."""

    key: str | None = None
    reservation: str | None = None
    rooms: tuple[str, ...] = ()
    local: tuple[LocalKey, ...] = ()


async def _whose(job: DeskJob, vendor: VendorCode, store: TenantDocuments) -> _Whose:
    found = await store.query(OF_JOB, {"job": f"{vendor}:{job.id}"}, limit=1)
    if not found:
        return _Whose()
    key = str(grant_from(found[0]).grant.credential_id)
    entry, local = await store.get(ref_of(key)), await local_keys_of(key, store)
    core = None if entry is None else key_record_from(entry).credential.core
    held = core.holder if core is not None and isinstance(core.holder, Guest) else None
    reservation = None if held is None else str(held.reservation_id)
    return _Whose(key, reservation, core.rooms if core else (), tuple(local))
