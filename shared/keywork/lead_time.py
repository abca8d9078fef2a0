"""When a vendor is asked for a guest's key: at once, unless there is reason to wait. Decision 0143.

| the guest arrives | its policy gives a lead time | one of its locks is nearly full | the vendor is asked |
|---|---|---|---|
| later than the lead time | yes | | when the lead time begins |
| within 72 hours | | | at once |
| later | | yes | 72 hours before |
| later | | | at once |

A lock is nearly full when four fifths of its places are taken, or when fewer are left than the rooms behind
it may need for the guests of three days: so whoever comes tonight finds a place. A key that waits is still
`requested`, says why and until when, and is taken up by the sweeper when that is due: nearest arrival first.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import ceil
from typing import Final

from shared.domain.core import Guest
from shared.domain.kinds import KeyCredentialKind
from shared.domain.premises import LockDevice
from shared.domain.states import Requested
from shared.keywork.attempt import AttemptContext
from shared.keywork.prepare import doors_for
from shared.keywork.vendor_session import VendorSession
from shared.keywork.verdicts import Verdict, parked
from shared.ledger.delays import NEAR_ARRIVAL
from shared.ledger.grant_record import grant_from
from shared.ledger.indexes import AT_DEVICE
from shared.ledger.key_record import Waits
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import Document

SPARE_PART: Final = 5
"""One place of so many is for those who come soon."""
PER_ROOM: Final = NEAR_ARRIVAL // timedelta(days=1)
"""So many guests may come to a room before a stay that is further away would get its place."""


@dataclass(frozen=True, slots=True)
class Places:
    """What one lock keeps of one kind of key, and how many rooms lie behind it."""

    capacity: int
    rooms: int

    @property
    def spare(self) -> int:
        """How many are kept for those who come soon."""
        return min(self.capacity, max(ceil(self.capacity / SPARE_PART), PER_ROOM * self.rooms))

    @property
    def for_later(self) -> int:
        """How many may be taken before only those get one who come soon."""
        return self.capacity - self.spare


def places_at(door: LockDevice, capacity: int) -> Places:
    """Return the places of a lock that keeps so many keys."""
    return Places(capacity, len(door.rooms))


async def waits_for(task: AttemptContext, desk: VendorSession) -> Waits | None:
    """Return until when a key is to wait, and why; None if its vendor is to be asked now."""
    core, now = task.entry.credential.core, task.now
    if not isinstance(core.holder, Guest) or not isinstance(task.entry.credential.state, Requested):
        return None
    start, lead = core.window.start, desk.premises.policy.lead_time
    if lead is not None and now < start - lead:
        return Waits(start - lead, f"keys are made {_hours(lead)} before arrival, as the policy wants")
    if now >= start - NEAR_ARRIVAL:
        return None
    full = await _nearly_full(task, desk)
    return None if full is None else Waits(start - NEAR_ARRIVAL, _why(full))


async def let_wait(task: AttemptContext, waits: Waits) -> Verdict:
    """Save that a key waits: no execution does, and the sweeper begins the next when it is due."""
    entry, verdict = parked(replace(task.entry, waits=waits), waits.until, task.now)
    await task.ledger.save(Change(entry))
    about = {"keyCredentialId": entry.id, "until": waits.until.isoformat()}
    task.services.log.info("a key waits for its time", **about, because=waits.because)
    return verdict


async def _nearly_full(task: AttemptContext, desk: VendorSession) -> tuple[LockDevice, Places] | None:
    core = task.entry.credential.core
    kind = core.plan.current.kind
    capacity = desk.port.describe_adapter().capacity.get(kind)
    if capacity is None:
        return None
    for door in doors_for(core, core.rooms, desk.binding.devices):
        places = places_at(door, capacity)
        if await _taken(places.for_later, door, kind, task.ledger):
            return door, places
    return None


async def _taken(many: int, door: LockDevice, kind: KeyCredentialKind, ledger: Ledger) -> bool:
    """Say whether so many keys of a kind are at a lock, or on their way; most locks have few of any kind."""
    taken, after = 0, None
    while taken < many:
        page = await _page(door, many, ledger, after)
        if len(page) < many and not taken:
            return False
        taken += sum(grant_from(each).grant.kind is kind for each in page)
        if len(page) < many:
            break
        after = page[-1]
    return taken >= many


async def _page(
    door: LockDevice, limit: int, ledger: Ledger, after: Document | None = None
) -> Sequence[Document]:
    at_device = {"device_id": str(door.id)}
    return await ledger.documents.query(AT_DEVICE, at_device, after=after, limit=limit)


def _why(full: tuple[LockDevice, Places]) -> str:
    door, places = full
    return (
        f"{door.label} keeps {places.capacity} keys and has {places.for_later} or more: "
        f"the other {places.spare} are for guests who come within {_hours(NEAR_ARRIVAL)}"
    )


def _hours(span: timedelta) -> str:
    return f"{round(span / timedelta(hours=1))} hours"
