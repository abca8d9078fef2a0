"""A shift begins or ends: its holder's standing key follows, or a key of this shift alone is made or ended.

| heard | of the shift was known | then |
|---|---|---|
| started | nothing | the standing key opens in it; what that does not open, a key of this shift does |
| | its start, as it is now or newer | nothing: what an earlier delivery left is taken up |
| | another start, older | its keys follow: the shift is longer, elsewhere, or somebody else's |
| | its end | nothing, ever |
| ended | | keys of this shift end, a standing one rests; a start that comes later makes none |

A shift that nobody ends is over when it was to be: keys are bound to its window, and the sweeper looks then.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import MasterKeyId, PropertyId, ShiftId, TenantId, UserId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.master_key import Duty, ExpiryTrigger, MasterKey, PerShift, Standing
from shared.domain.scope import MasterScope
from shared.domain.staff_scopes import lacking, scopes_of
from shared.domain.window import StayWindow
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.key_record import Cause
from shared.ledger.ledger import Ledger
from shared.ledger.master_key_record import MasterKeyRecord, find_master_key
from shared.ledger.shift_record import ShiftRecord, find_shift
from shared.usecases.staff.event_cause import cause_of
from shared.usecases.staff.follow_master_key import end_master_key, follow_master_key
from shared.usecases.staff.held_keys import is_stopped, living_keys

if TYPE_CHECKING:
    from shared.events.envelope import Event

LONGEST_SHIFT: Final = 48
"""In hours: whoever works for longer is somebody whose shift nobody ended."""


@dataclass(frozen=True, slots=True)
class ShiftNews:
    """What was told of a shift."""

    tenant: TenantId
    id: ShiftId
    at: datetime
    cause: Cause


@dataclass(frozen=True, slots=True)
class ShiftStart:
    """A shift as it is to be: whose, where, when, and what may be opened in it."""

    news: ShiftNews
    staff: UserId
    property_id: PropertyId
    window: StayWindow
    scopes: tuple[MasterScope, ...]
    wished: tuple[KeyCredentialKind, ...]


async def start_shift(event: "Event", services: Services) -> tuple[MasterKeyId, ...]:
    """Let somebody open what their shift is for; return the master keys that do."""
    ledger = await services.ledger(event.tenant_id)
    start = await _read(event, services)
    return await retry_on_conflict(lambda: _start(start, ledger, services))


async def end_shift(event: "Event", services: Services) -> tuple[MasterKeyId, ...]:
    """Let a shift be over; return the master keys that were of it."""
    ledger, news = await services.ledger(event.tenant_id), _news(event)
    return await retry_on_conflict(lambda: _end(news, ledger, services))


async def _read(event: "Event", services: Services) -> ShiftStart:
    said = event.data
    premises = await services.hotels.premises(TenantId(event.tenant_id), said.property_id)
    premises.check_open()
    if (said.valid_until - said.valid_from).total_seconds() > LONGEST_SHIFT * 3600:
        remedy = f"correct its end: a shift lasts {LONGEST_SHIFT} hours at most"
        raise InvalidInput("data.validUntil", "too long for a shift", remedy)
    return ShiftStart(
        news=_news(event),
        staff=UserId(said.staff_user_id),
        property_id=PropertyId(said.property_id),
        window=StayWindow(said.valid_from, said.valid_until, premises.property.zone),
        scopes=scopes_of(said.scopes, said.role),
        wished=kinds_of(said.kind),
    )


def kinds_of(said: str | None) -> tuple[KeyCredentialKind, ...]:
    """Return the kind that is wished for, if any is."""
    if said is None:
        return ()
    try:
        return (KeyCredentialKind(said),)
    except ValueError:
        raise InvalidInput(
            "kind", "not a kind of key", f"Give one of {', '.join(KeyCredentialKind)}"
        ) from None


def _news(event: "Event") -> ShiftNews:
    return ShiftNews(TenantId(event.tenant_id), ShiftId(event.data.shift_id), event.time, cause_of(event))


async def _start(start: ShiftStart, ledger: Ledger, services: Services) -> tuple[MasterKeyId, ...]:
    known = await find_shift(ledger.documents, start.news.id)
    if known.ended_at is not None:
        await _forgotten(start, ledger, services)
        return known.keys
    if await is_stopped(start.staff, ledger):
        return known.keys
    if known.heard_at is not None and start.news.at <= known.heard_at:
        return await _resumed(known, ledger, services)
    heard = replace(known, heard_at=start.news.at)
    return await _begun(start, heard, ledger, services)


async def _begun(
    start: ShiftStart, shift: ShiftRecord, ledger: Ledger, services: Services
) -> tuple[MasterKeyId, ...]:
    """Bring the keys of a shift to what it is now: first the standing one, then what that does not open."""
    await _passed_on(start, shift, ledger, services)
    held = [key for key in await living_keys(start.staff, ledger) if _is_at(key, start.property_id)]
    standing = next((key for key in held if key.master_key.standing), None)
    scopes = start.scopes
    if standing is not None:
        scopes = lacking(start.scopes, standing.master_key.scopes)
    own = next((key for key in held if _is_of(key, shift.id)), None)
    changed = [] if standing is None else [_on_duty(standing, start, services)]
    if scopes:
        changed.append(_of_shift(own, start, scopes, services))
    elif own is not None:
        await end_master_key(own, ExpiryTrigger.SHIFT_ENDED, ledger, services)
    named = replace(shift, keys=tuple(dict.fromkeys((*shift.keys, *(key.id for key in changed)))))
    for key in changed[:-1]:
        await follow_master_key(key, ledger, services)
    # The shift is noted with the last of its keys: whoever died before begins anew.
    await follow_master_key(changed[-1], ledger, services, beside=[named.write(services.now)])
    return named.keys


async def _passed_on(start: ShiftStart, shift: ShiftRecord, ledger: Ledger, services: Services) -> None:
    """Take a shift that was corrected from whoever had it before, or from the house where it was."""
    for name in shift.keys:
        record = await find_master_key(ledger.documents, name)
        if record is not None and (
            record.master_key.staff != start.staff or not _is_at(record, start.property_id)
        ):
            await _off_duty(replace(record, cause=start.news.cause), shift.id, ledger, services)


async def _forgotten(start: ShiftStart, ledger: Ledger, services: Services) -> None:
    """Take a shift that ended meanwhile out of what a standing key opens in."""
    for record in await living_keys(start.staff, ledger):
        regime = record.master_key.regime
        if isinstance(regime, Standing) and any(duty.shift_id == start.news.id for duty in regime.duties):
            await _off_duty(record, start.news.id, ledger, services)


def _is_at(record: MasterKeyRecord, property_id: PropertyId) -> bool:
    return record.master_key.property_id == property_id


def _is_of(record: MasterKeyRecord, shift: ShiftId) -> bool:
    regime = record.master_key.regime
    return isinstance(regime, PerShift) and regime.shift_id == shift


def _on_duty(record: MasterKeyRecord, start: ShiftStart, services: Services) -> MasterKeyRecord:
    regime = record.master_key.regime
    assert isinstance(regime, Standing)  # noqa: S101 - asked of standing keys only
    duty = Duty(start.news.id, start.window.start, start.window.end)
    key = replace(record.master_key, regime=regime.on_duty(duty, services.now))
    return replace(record, master_key=key, cause=start.news.cause)


def _of_shift(
    own: MasterKeyRecord | None, start: ShiftStart, scopes: tuple[MasterScope, ...], services: Services
) -> MasterKeyRecord:
    if own is not None:
        key = replace(own.master_key, window=start.window, scopes=scopes)
        return replace(own, master_key=key, cause=start.news.cause)
    key = MasterKey(
        id=MasterKeyId.mint(services.ids.ulid()),
        tenant=start.news.tenant,
        property_id=start.property_id,
        staff=start.staff,
        scopes=scopes,
        regime=PerShift(start.news.id),
        window=start.window,
        changed_at=services.now,
        wished=start.wished,
    )
    return MasterKeyRecord(key, start.news.cause)


async def _resumed(shift: ShiftRecord, ledger: Ledger, services: Services) -> tuple[MasterKeyId, ...]:
    """Take up what an earlier delivery left, and make no second key."""
    for name in shift.keys:
        record = await find_master_key(ledger.documents, name)
        if record is not None and record.due is not None and record.due <= services.now:
            await follow_master_key(record, ledger, services)
    return shift.keys


async def _end(news: ShiftNews, ledger: Ledger, services: Services) -> tuple[MasterKeyId, ...]:
    known = await find_shift(ledger.documents, news.id)
    for name in known.keys:
        record = await find_master_key(ledger.documents, name)
        if record is not None:
            await _off_duty(replace(record, cause=news.cause), news.id, ledger, services)
    if known.ended_at is None:
        # Last of all: a delivery that died before is made again, and finds what is left to end.
        await ledger.documents.commit([replace(known, ended_at=news.at).write(services.now)])
    return known.keys


async def _off_duty(record: MasterKeyRecord, shift: ShiftId, ledger: Ledger, services: Services) -> None:
    regime = record.master_key.regime
    if isinstance(regime, PerShift):
        await end_master_key(record, ExpiryTrigger.SHIFT_ENDED, ledger, services)
    elif not record.master_key.over:
        key = replace(record.master_key, regime=regime.off_duty(shift, services.now))
        await follow_master_key(replace(record, master_key=key), ledger, services)
