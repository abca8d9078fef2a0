"""One call of a hearing: the doors that webhooks name are asked, or all of them, and what they tell is kept.

1. The webhooks that wait are read, those first that nobody looked at for the longest: what waits for a lock
   that is silent goes behind the others, so that no lock keeps another's from being applied.
2. Each door that they name is asked for its attempts since a little before; a vendor that signs need not be.
3. What was not known is kept and told; alarms are raised; a webhook whose attempts are all known is applied.
4. A webhook that tells of what its vendor's list has not yet waits; after six looks it is let go, and said.
5. A poll goes from door to door once a day, and begins anew where it was left: that is kept once for some
   doors, and who dies has them asked again.
"""

import contextlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.lock_errors import LockError
from shared.domain.premises import LockDevice
from shared.keywork.services import Services
from shared.keywork.vendor_session import VendorSession, VendorSessions
from shared.ledger.delays import round_over
from shared.ledger.hearing import Hearing, hearing_of
from shared.ledger.indexes import WAITING_WEBHOOKS
from shared.ledger.site import site_of
from shared.ledger.vendor_webhook import HintRecord, VendorWebhook, webhook_from
from shared.ports.documents import StaleVersion
from shared.ports.door_records import DoorRecord, Means, TellsAttempts
from shared.usecases.attempts.begin_hearing import HearDoors
from shared.usecases.attempts.keep_attempts import Kept, keep_attempts
from shared.usecases.attempts.trace_attempt import Tracer
from shared.usecases.devices.look_at_locks import look
from shared.usecases.webhooks.apply_webhooks import REACH, Heard, apply_webhooks

AT_A_TIME: Final = 200
KEPT_EVERY: Final = 8
"""One document takes a write a second for long, and a door is asked in less."""
BEFORE: Final = timedelta(minutes=1)
REST: Final = timedelta(seconds=20)
PATIENCE: Final = timedelta(minutes=10)
"""After this, an execution ends, and the sweeper begins another for what still waits."""
OVER: Final[Mapping[str, Any]] = {"outcome": "done", "after_seconds": 0}


@dataclass(slots=True)
class Round:
    """What one call has come to: which attempts each door told of, and which were new."""

    told: dict[str, set[datetime]] = field(default_factory=lambda: defaultdict(set))
    new: list[Kept] = field(default_factory=list)
    silent: set[str] = field(default_factory=set)
    """Doors that could not be asked, as their vendor names them."""
    unasked: set[str] = field(default_factory=set)
    """Doors for which there was no time."""


@dataclass(frozen=True, slots=True)
class Ear:
    """Where a hearing listens."""

    desk: VendorSession
    tracer: Tracer
    services: Services

    async def hear(self, door: LockDevice, since: datetime, round_: Round) -> None:
        """Ask a door, and keep what it tells."""
        port = self.desk.port
        if not isinstance(port, TellsAttempts):
            return
        try:
            records = await port.list_attempts(door.id, since)
        except LockError as error:
            round_.silent.add(door.vendor_device)
            self.services.log.warning("a door could not be heard", deviceId=door.id, cause=error.cause.kind)
            return
        await self.keep(records, door, round_)

    async def keep(self, records: Sequence[DoorRecord], door: LockDevice, round_: Round) -> None:
        """Keep what was told of a door."""
        round_.told[door.vendor_device] |= {record.at for record in records}
        new = await keep_attempts(records, door, self.tracer, self.services)
        round_.new += new


async def hear_doors(command: HearDoors, services: Services, desks: VendorSessions) -> dict[str, Any]:
    """Hear for a while, and say whether there is more to do, and when."""
    ledger = await services.ledger(command.tenant)
    try:
        desk = await desks.at(command.tenant, command.property_id)
    except LockError as closed:
        services.log.warning(
            "doors could not be heard", property=command.property_id, cause=closed.cause.kind
        )
        return dict(OVER)
    ear = Ear(desk, Tracer(desk, ledger), services)
    left = await _webhooks(command, ear, desks)
    polling = command.poll and not await _polled(command, ear)
    if polling or left:
        return {"outcome": "retry", "after_seconds": 0 if polling else REST.total_seconds()}
    return dict(OVER)


async def _webhooks(command: HearDoors, ear: Ear, desks: VendorSessions) -> bool:
    """Apply the webhooks that wait; return whether some of them wait still, and not for long yet."""
    store, site = ear.tracer.ledger.documents, site_of(command.property_id, command.vendor)
    found = await store.query(WAITING_WEBHOOKS, {"site": site}, limit=AT_A_TIME)
    hooks = [webhook_from(each) for each in found]
    if not hooks:
        return False
    round_, began = Round(), ear.services.now
    doors = {door.vendor_device: door for door in ear.desk.binding.devices}
    for lock, hints in _by_lock(hooks).items():
        if lock not in doors:
            continue
        if round_over(began, ear.services.now):
            round_.unasked.add(lock)
        elif any(hint.opened is None for hint in hints):
            await ear.hear(doors[lock], min(hint.at for hint in hints) - BEFORE, round_)
        else:
            await ear.keep([_record(hint) for hint in hints], doors[lock], round_)
    asks_for_a_look = any(hook.type.endswith(REACH) for hook in hooks)
    looked = asks_for_a_look and await look(command, ear.services, desks)
    new = [each.attempt for each in round_.new]
    silent, unasked = frozenset(round_.silent), frozenset(round_.unasked)
    heard = Heard(frozenset(doors), round_.told, silent, unasked, new, looked)
    waiting = await apply_webhooks(hooks, heard, store, ear.services)
    return _more(hooks, waiting) or any(ear.services.now < hook.received_at + PATIENCE for hook in waiting)


def _more(hooks: Sequence[VendorWebhook], waiting: Sequence[VendorWebhook]) -> bool:
    """Say whether to go on at once with those behind: there are some, and this call got on.

    It got on where some left the line, or were looked at for the first time: each does so once, so there is
    an end to it, however long locks are silent.
    """
    fresh = any(hook.looked_at is None for hook in hooks)
    return len(hooks) == AT_A_TIME and (fresh or len(waiting) < len(hooks))


def _by_lock(hooks: Iterable[VendorWebhook]) -> Mapping[str, list[HintRecord]]:
    found: dict[str, list[HintRecord]] = defaultdict(list)
    for hook in hooks:
        for hint in hook.hints:
            found[hint.lock].append(hint)
    return found


def _record(hint: HintRecord) -> DoorRecord:
    """Return what a vendor that signs told of an attempt."""
    return DoorRecord(
        event=hint.event or "",
        at=hint.at,
        opened=bool(hint.opened),
        means=Means.PIN if hint.name else Means.OTHER,
        name=hint.name or "",
        refused=hint.refused,
    )


async def _polled(command: HearDoors, ear: Ear) -> bool:
    """Ask all doors, one after the other, as long as a call lasts; return whether all were asked."""
    store, began = ear.tracer.ledger.documents, ear.services.now
    hearing = await hearing_of(site_of(command.property_id, command.vendor), store)
    with contextlib.suppress(StaleVersion):  # somebody else polls, and sees it through
        if hearing.began_at is None:
            hearing = await replace(hearing, began_at=began, after=None, unheard=()).saved(store)
        since = hearing.since(hearing.began_at or began)
        doors = sorted(ear.desk.binding.devices, key=lambda door: door.id)
        left = [door for door in doors if hearing.after is None or door.id > hearing.after]
        for number, door in enumerate(left, 1):
            round_ = Round()
            await ear.hear(door, since, round_)
            unheard = (*hearing.unheard, str(door.id)) if round_.silent else hearing.unheard
            hearing = replace(hearing, after=str(door.id), unheard=unheard)
            over = round_over(began, ear.services.now)
            if over or number % KEPT_EVERY == 0:
                hearing = await hearing.saved(store)
            if over:
                return False
        await _ended(hearing).saved(store)
    return True


def _ended(hearing: Hearing) -> Hearing:
    """Return a poll that is over: what could not be asked is asked from as far back the next time."""
    lost = (hearing.unheard_since or hearing.polled_at or hearing.began_at) if hearing.unheard else None
    return replace(hearing, polled_at=hearing.began_at, began_at=None, after=None, unheard_since=lost)
