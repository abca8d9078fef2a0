"""A master key is issued, changed or revoked on a person's word (A §12.3).

| ordered | who has a standing key already | who has none |
|---|---|---|
| with a week, or to be opened by shifts | its scopes and its week become those | a standing key |
| for a time | | a key of that time, besides |

Nobody holds two standing keys at one property: one code or one card a person. Ordered twice under one order,
it is done once.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import MasterKeyId, PropertyId, ShiftId, TenantId, UserId
from shared.domain.instants import instant_from_text
from shared.domain.kinds import KeyCredentialKind
from shared.domain.master_key import ExpiryTrigger, MasterKey, PerShift, Regime, Standing
from shared.domain.schedule import WeeklySchedule, WeeklyShift
from shared.domain.scope import MasterScope
from shared.domain.staff_scopes import scopes_of
from shared.domain.window import StayWindow
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.ledger import Ledger
from shared.ledger.master_key_record import MasterKeyRecord, find_master_key
from shared.ledger.shift_record import find_shift
from shared.usecases.staff.event_cause import word_of
from shared.usecases.staff.follow_master_key import end_master_key, follow_master_key
from shared.usecases.staff.hear_shift import kinds_of
from shared.usecases.staff.held_keys import is_stopped, living_keys

STANDS_FOR: Final = timedelta(days=365)
"""A standing key that nobody gave an end to is looked at by somebody once a year."""
DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEK: Final = re.compile(r"([a-z]{3})(?:-([a-z]{3}))? (\d\d:\d\d)-(\d\d:\d\d)")


@dataclass(frozen=True, slots=True)
class IssueMasterKey:
    """Who is to open what, when, on whose word."""

    tenant: TenantId
    property_id: PropertyId
    staff: UserId
    by: UserId
    scopes: tuple[MasterScope, ...]
    starts: datetime | None
    ends: datetime | None
    week: tuple[str, ...] = ()
    standing: bool = False
    wished: tuple[KeyCredentialKind, ...] = ()
    order: str | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        week, scopes = _texts(body, "week"), _texts(body, "scopes")
        starts, ends = (_instant(body, name) for name in ("from", "until"))
        standing = bool(week) or body.get("standing") is True
        if not standing and ends is None:
            raise InvalidInput("until", "missing", "say until when, or give a week for a standing key")
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            PropertyId.parse(body.get("property"), "property"),
            UserId.parse(body.get("staff"), "staff"),
            UserId.parse(body.get("by"), "by"),
            scopes_of(scopes, None),
            starts,
            ends,
            week,
            standing,
            kinds_of(body.get("kind")),
            None if body.get("order") is None else str(body["order"]),
        )

    def window(self, now: datetime, zone: str) -> StayWindow:
        """Return the time that bounds the key, whatever its week says."""
        start = self.starts or now
        return StayWindow(start, self.ends or start + STANDS_FOR, zone)

    def regime(self, zone: str, order: str) -> Regime:
        """Return what the key lives by."""
        if not self.standing:
            return PerShift(ShiftId(order))
        shifts = tuple(shift for said in self.week for shift in weekly(said))
        return Standing(WeeklySchedule(shifts, zone) if shifts else None)


@dataclass(frozen=True, slots=True)
class RevokeMasterKey:
    """Which master key, or whose, and on whose word it ends."""

    tenant: TenantId
    by: UserId
    key: MasterKeyId | None = None
    staff: UserId | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        key, staff = body.get("key"), body.get("staff")
        if (key is None) == (staff is None):
            raise InvalidInput("key", "not given, or beside staff", "name a master key, or a person")
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            UserId.parse(body.get("by"), "by"),
            None if key is None else MasterKeyId.parse(key, "key"),
            None if staff is None else UserId.parse(staff, "staff"),
        )


def weekly(said: str) -> Iterable[WeeklyShift]:
    """Read shifts such as `mon-fri 06:00-14:00`, on the property's clock."""
    match = _WEEK.fullmatch(said.strip().lower())
    try:
        first, last, start, end = match.groups() if match else (None, None, "", "")
        begins, ends = DAYS.index(first or ""), DAYS.index(last or first or "")
        times = time.fromisoformat(start), time.fromisoformat(end)
    except ValueError:
        remedy = "say it as mon-fri 06:00-14:00, or sat 22:00-06:00"
        raise InvalidInput("week", "not a weekly shift", remedy) from None
    days = range(begins, ends + 1 if begins <= ends else ends + 8)
    return [WeeklyShift(day % 7, *times) for day in days]


async def issue_master_key(command: IssueMasterKey, services: Services) -> dict[str, Any]:
    """Issue a master key, or change the standing one that its holder has; return which that is."""
    ledger = await services.ledger(command.tenant)
    premises = await services.hotels.premises(command.tenant, command.property_id)
    premises.check_open()
    order = f"order-{command.order or services.ids.ulid()}"
    record = await retry_on_conflict(lambda: _issue(command, order, premises, ledger, services))
    key = record.master_key
    services.log.info("a master key was issued by hand", masterKeyId=key.id, by=command.by, staff=key.staff)
    return {"masterKey": key.id, "state": key.state, "credentials": list(key.credentials)}


async def revoke_master_key(command: RevokeMasterKey, services: Services) -> dict[str, Any]:
    """End a master key, or all of a person; return which ones those were."""
    ledger = await services.ledger(command.tenant)
    ended = await retry_on_conflict(lambda: _revoke(command, ledger, services))
    services.log.info("master keys were revoked by hand", masterKeys=ended, by=command.by)
    return {"revoked": ended}


async def _issue(
    command: IssueMasterKey, order: str, premises: HotelSetup, ledger: Ledger, services: Services
) -> MasterKeyRecord:
    if await is_stopped(command.staff, ledger):
        raise InvalidInput("staff", "lost their account", "give it back first, where people are kept")
    shift = await find_shift(ledger.documents, ShiftId(order))
    if shift.keys and (known := await find_master_key(ledger.documents, shift.keys[0])) is not None:
        return known
    record = await _record(command, order, premises, ledger, services)
    noted = replace(shift, keys=(record.id,), heard_at=services.now).write(services.now)
    return await follow_master_key(record, ledger, services, beside=[noted], by=command.by)


async def _record(
    command: IssueMasterKey, order: str, premises: HotelSetup, ledger: Ledger, services: Services
) -> MasterKeyRecord:
    zone = premises.property.zone
    window, regime = command.window(services.now, zone), command.regime(zone, order)
    if window.end <= services.now:
        raise InvalidInput("until", "in the past", "give an end that is yet to come")
    _check_rooms(command.scopes, premises)
    held = await living_keys(command.staff, ledger) if command.standing else []
    for known in held:
        if known.master_key.standing and known.master_key.property_id == command.property_id:
            key = replace(known.master_key, scopes=command.scopes, regime=regime, window=window)
            return replace(known, master_key=key, cause=word_of(services))
    key = MasterKey(
        id=MasterKeyId.mint(services.ids.ulid()),
        tenant=command.tenant,
        property_id=command.property_id,
        staff=command.staff,
        scopes=command.scopes,
        regime=regime,
        window=window,
        changed_at=services.now,
        wished=command.wished,
    )
    return MasterKeyRecord(key, word_of(services), command.by)


def _check_rooms(scopes: Iterable[MasterScope], premises: HotelSetup) -> None:
    for scope in scopes:
        if str(scope).startswith("room:") and scope.target not in premises.rooms:
            raise InvalidInput("scopes", "a room without a lock", "map a lock to it, or correct the room")


async def _revoke(command: RevokeMasterKey, ledger: Ledger, services: Services) -> list[MasterKeyId]:
    if command.key is not None:
        found = await find_master_key(ledger.documents, command.key)
        if found is None:
            raise InvalidInput("key", "no such master key", "name one that keyfleet staff show lists")
        held = [found]
    elif command.staff is not None:
        held = await living_keys(command.staff, ledger)
    else:
        held = []
    for record in held:
        await end_master_key(record, ExpiryTrigger.OPERATOR, ledger, services, by=command.by)
    return [record.id for record in held]


def _texts(body: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = body.get(field) or []
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InvalidInput(field, "not a list of texts", f"give {field} as a list")
    return tuple(value)


def _instant(body: Mapping[str, Any], field: str) -> datetime | None:
    value = body.get(field)
    return None if value is None else instant_from_text(value, field)
