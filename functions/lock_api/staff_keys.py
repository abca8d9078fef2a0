"""What staff may open, over HTTP: their master keys listed, issued for a time or as standing, and ended."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from functions.lock_api.places import as_state, property_asked, property_or, store_of
from functions.lock_api.shown import At, KeyId, Paged, Text, shown
from shared.domain.ids import MasterKeyId, UserId
from shared.domain.permissions import Permission
from shared.events.wire import Instant, KeyKind, Maybe, Published, RoomId, text
from shared.events.wire import MasterKeyId as NamedKey
from shared.events.wire import PropertyId as InProperty
from shared.events.wire import UserId as OfUser
from shared.queries.pages import Place
from shared.queries.staff import (
    FoundMasterKey,
    find_shown_master_key,
    living_master_keys,
    master_keys_paged,
)
from shared.runtime.asked import Answered, Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.staff.issue_master_key import (
    IssueMasterKey,
    RevokeMasterKey,
    issue_master_key,
    revoke_master_key,
)

Scope = Annotated[str, text(64)]
Shift = Annotated[str, Field(pattern="^[A-Za-z]{3}(-[A-Za-z]{3})? [0-9]{2}:[0-9]{2}-[0-9]{2}:[0-9]{2}$")]


class StaffKeysWanted(Paged):
    """Whose master keys: a person's that are not over, or all that a property ever had."""

    property: Annotated[Maybe[InProperty], property_or("staff")] = None
    staff: Maybe[OfUser] = None


class Regime(Published):
    """What a master key lives by: one shift or order, or a week of shifts."""

    kind: Literal["per_shift", "standing"]
    shift: Maybe[str] = None
    week: tuple[str, ...] = ()
    shifts: tuple[str, ...] = ()


class StaffCredential(Published):
    """One of the credentials that carry a master key."""

    id: KeyId
    state: str
    begins: Annotated[Maybe[At], Field(alias="from")] = None
    until: Maybe[At] = None
    rooms: tuple[RoomId, ...]


class StaffKey(Published):
    """What a member of staff may open at one property, and how its credentials stand."""

    id: NamedKey
    property: InProperty
    staff: OfUser
    state: str
    scopes: tuple[str, ...]
    regime: Regime
    begins: Annotated[At, Field(alias="from")]
    until: At
    zone: str
    kind: Maybe[KeyKind] = None
    by: Text
    credentials: tuple[StaffCredential, ...]


class StaffKeys(Published):
    """Master keys; while there is a cursor there may be more."""

    master_keys: tuple[StaffKey, ...]
    cursor: Maybe[str] = None


class StaffKeyWanted(Published):
    """Who is to open what: until a time, or as a standing key that a week or shifts open."""

    staff: OfUser
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1, max_length=100)]
    week: Annotated[tuple[Shift, ...], Field(max_length=28)] = ()
    standing: bool = False
    begins: Annotated[Maybe[Instant], Field(alias="from")] = None
    until: Maybe[Instant] = None
    kind: Maybe[KeyKind] = None


class StaffKeysEnded(Published):
    """Which master keys are over now."""

    revoked: tuple[NamedKey, ...]


async def list_master_keys(asked: Asked, on: Platform) -> StaffKeys:
    """Return a person's master keys where the caller works, or those of a property."""
    wanted, store = asked.query, store_of(asked, on)
    if wanted.staff is None:
        where = await property_asked(wanted.property, asked, on)
        found, cursor = await master_keys_paged(store, where, Place(wanted.cursor, wanted.limit))
        return StaffKeys(master_keys=tuple(map(_shown, found)), cursor=cursor)
    mine = asked.where()
    living = await living_master_keys(store, wanted.staff)
    here = [each for each in living if mine is None or each["property"] in mine]
    meant = [each for each in here if wanted.property in (None, each["property"])]
    return StaffKeys(master_keys=tuple(map(_shown, meant)))


async def get_master_key(asked: Asked, on: Platform) -> Answered:
    """Return a master key, with how its credentials stand."""
    return _answered(await _there(asked, on))


async def give_master_key(asked: Asked, on: Platform) -> Answered:
    """Issue a master key, or change the standing one that its holder has here."""
    said = asked.body.model_dump(mode="json", by_alias=True, exclude_none=True)
    about = {"tenant": asked.principal.tenant, "property": asked.ids["propertyId"]}
    # Asked for again by its Idempotency-Key it is the same order, and makes no second key.
    command = IssueMasterKey.of({**said, **about, "by": asked.by, "order": str(asked.event_id)})
    with as_state():
        told = await issue_master_key(command, services_of(on))
    return _answered(await _named(told["masterKey"], asked, on))


async def revoke_master_keys(asked: Asked, on: Platform) -> StaffKeysEnded:
    """End one master key at once; its locks follow."""
    found = await _there(asked, on)
    asked.expects(found.version)
    return StaffKeysEnded(revoked=tuple(await _ended([MasterKeyId(found.told["masterKey"])], asked, on)))


async def revoke_staff(asked: Asked, on: Platform) -> StaffKeysEnded:
    """End whatever a person may open where the caller works; what they open elsewhere stays."""
    mine, person = asked.where(), UserId(asked.ids["userId"])
    living = await living_master_keys(store_of(asked, on), person)
    here = [MasterKeyId(each["masterKey"]) for each in living if mine is None or each["property"] in mine]
    return StaffKeysEnded(revoked=tuple(await _ended(here, asked, on)))


async def _ended(keys: list[MasterKeyId], asked: Asked, on: Platform) -> list[str]:
    ended = list[str]()
    for key in keys:
        command = RevokeMasterKey(asked.principal.tenant, asked.by, key)
        ended += (await revoke_master_key(command, services_of(on)))["revoked"]
    return ended


async def _there(asked: Asked, on: Platform) -> FoundMasterKey:
    found = await _named(asked.ids["masterKeyId"], asked, on)
    asked.at(found.property_id)
    return found


async def _named(name: str, asked: Asked, on: Platform) -> FoundMasterKey:
    found = await find_shown_master_key(store_of(asked, on), name)
    if found is None:
        raise NotThere("no such master key")
    return found


def _answered(found: FoundMasterKey) -> Answered:
    return Answered(_shown(found.told), version=found.version)


def _shown(told: Mapping[str, Any]) -> StaffKey:
    parts = {
        "id": told["masterKey"],
        "regime": shown(Regime, told["regime"]),
        "credentials": tuple(shown(StaffCredential, each) for each in told["credentials"]),
    }
    return shown(StaffKey, {**told, **parts})


_P: Final = Permission
_ONE: Final = "/lock/v1/master-keys/{masterKeyId}"
ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/master-keys",
        summary="Staff's keys, of a person or a property",
        use_case=list_master_keys,
        query=StaffKeysWanted,
        answer=StaffKeys,
        permission=_P.MASTER_KEY_READ,
    ),
    Route(
        method="GET",
        path=_ONE,
        summary="A staff's key, and how its credentials stand",
        use_case=get_master_key,
        answer=StaffKey,
        permission=_P.MASTER_KEY_READ,
    ),
    Route(
        method="POST",
        path="/lock/v1/properties/{propertyId}/master-keys",
        summary="Give staff a key, for a time or by a week",
        use_case=give_master_key,
        request=StaffKeyWanted,
        answer=StaffKey,
        permission=_P.MASTER_KEY_ISSUE,
        status=202,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/revoke",
        summary="Take a staff's key back at once; its locks follow",
        use_case=revoke_master_keys,
        answer=StaffKeysEnded,
        permission=_P.MASTER_KEY_REVOKE,
    ),
    Route(
        method="POST",
        path="/lock/v1/staff/{userId}/revoke",
        summary="Take back all that a person may open here",
        use_case=revoke_staff,
        answer=StaffKeysEnded,
        permission=_P.MASTER_KEY_REVOKE,
    ),
)
