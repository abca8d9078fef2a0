"""Keys over HTTP: found, told of, ended, replaced, put to rest and asked for again, on somebody's word."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from functions.lock_api.places import (
    as_state,
    cell_of,
    key_at,
    property_asked,
    property_or,
    stay_at,
    store_of,
)
from functions.lock_api.shown import (
    AtLock,
    Credential,
    CredentialWhole,
    Happened,
    KeyId,
    KeyState,
    Paged,
    Timeline,
    shown,
)
from shared.domain.kinds import RevokeReason, SuspendReason
from shared.domain.permissions import Permission
from shared.events.wire import Maybe, PropertyId, Published, ReservationId
from shared.queries.found import KeyPage, keys_at_paged, keys_of_stay_paged
from shared.queries.keys import key_of, shown_key
from shared.queries.pages import Place
from shared.queries.timeline import NO_EXECUTIONS, timeline
from shared.runtime.asked import Answered, Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.upkeep.end_one_key import KeyOrder, end_one_key, replace_key
from shared.usecases.upkeep.rest_one_key import RestKey, rest_one_key, wake_one_key
from shared.usecases.upkeep.retry_keys import RetryKeys, retry_keys

LOOKED_AT: Final = 5
"""So many pages are looked through for one of a state; then comes the cursor, be the page empty."""


class CredentialsWanted(Paged):
    """Which keys: those of a stay, or of a property; the newest first."""

    property: Annotated[Maybe[PropertyId], property_or("reservation")] = None
    reservation: Maybe[ReservationId] = None
    state: Maybe[KeyState] = None


class Credentials(Published):
    """Keys, the newest first; while there is a cursor there may be more."""

    credentials: tuple[Credential, ...]
    cursor: Maybe[str] = None


class Ending(Published):
    """Why a key ends on a person's word."""

    reason: Literal["lost", "security"] = "lost"


class Resting(Published):
    """Why a key rests."""

    reason: Literal["no_show", "fraud_review", "overdue_payment", "manual"] = "manual"


class Replaced(Published):
    """A key that ended, and the one in its place."""

    key: KeyId
    replaced_by: KeyId


class Retried(Published):
    """A key whose vendor is asked again, and the keys that are made in its place, if it had failed."""

    key: KeyId
    work: Literal["issue", "settle"]
    vendor: Annotated[str, Field(max_length=64)]
    anew: tuple[KeyId, ...]


async def list_credentials(asked: Asked, on: Platform) -> Credentials:
    """Return keys of a stay, or of a property."""
    wanted: CredentialsWanted = asked.query
    found, place = list[Credential](), wanted.place
    for _ in range(LOOKED_AT):
        page = await _page(wanted, place, asked, on)
        found += [shown(Credential, each) for each in page.keys if _is_wanted(each, wanted, asked)]
        place = Place(page.cursor, wanted.limit)
        if page.cursor is None or found:
            break
    return Credentials(credentials=tuple(found), cursor=place.cursor)


async def _page(wanted: CredentialsWanted, place: Place, asked: Asked, on: Platform) -> KeyPage:
    if wanted.reservation is not None:
        asked.where()
        return await keys_of_stay_paged(store_of(asked, on), wanted.reservation, place)
    where = await property_asked(wanted.property, asked, on)
    return await keys_at_paged(store_of(asked, on), where, place)


def _is_wanted(key: Mapping[str, Any], wanted: CredentialsWanted, asked: Asked) -> bool:
    here = asked.principal.works_at(key["property"]) and wanted.property in (None, key["property"])
    return here and wanted.state in (None, key["state"])


async def get_credential(asked: Asked, on: Platform) -> Answered:
    """Return a key, with how it stands at each lock."""
    await key_at(asked, on)
    return await _as_it_is_now(asked, on)


async def _as_it_is_now(asked: Asked, on: Platform) -> Answered:
    store = store_of(asked, on)
    record = await key_of(store, asked.ids["keyCredentialId"])
    if record is None:
        raise NotThere("no such key")
    told = await shown_key(store, record)
    grants = tuple(shown(AtLock, each) for each in told["grants"])
    return Answered(shown(CredentialWhole, {**told, "grants": grants}), version=record.version)


async def credential_timeline(asked: Asked, on: Platform) -> Timeline:
    """Tell all that happened to a key."""
    return await _told((await key_at(asked, on)).id, asked, on)


async def stay_timeline(asked: Asked, on: Platform) -> Timeline:
    """Tell all that happened to a stay and its keys."""
    return await _told((await stay_at(asked, on)).id, asked, on)


async def _told(id_: str, asked: Asked, on: Platform) -> Timeline:
    told = await timeline(cell_of(on), NO_EXECUTIONS, id_, asked.principal.tenant)
    happened = tuple(shown(Happened, each) for each in told["timeline"])
    return shown(Timeline, {**told, "timeline": happened})


async def revoke_credential(asked: Asked, on: Platform) -> Answered:
    """End a key at once; its locks follow."""
    order = await _ordered(asked, on)
    await end_one_key(order, services_of(on))
    return await _as_it_is_now(asked, on)


async def replace_credential(asked: Asked, on: Platform) -> Replaced:
    """End a key, and request another of the same stay in its place."""
    order = await _ordered(asked, on)
    with as_state():
        told = await replace_key(order, services_of(on))
    return Replaced(key=told["key"], replaced_by=told["replacedBy"])


async def _ordered(asked: Asked, on: Platform) -> KeyOrder:
    record = await key_at(asked, on)
    asked.expects(record.version)
    return KeyOrder(asked.principal.tenant, record.id, asked.by, RevokeReason(asked.body.reason))


async def suspend_credential(asked: Asked, on: Platform) -> Answered:
    """Let a key rest for a reason."""
    with as_state():
        await rest_one_key(await _resting(asked, on), services_of(on))
    return await _as_it_is_now(asked, on)


async def unsuspend_credential(asked: Asked, on: Platform) -> Answered:
    """Take a reason to rest away; a key that no other holds wakes."""
    with as_state():
        await wake_one_key(await _resting(asked, on), services_of(on))
    return await _as_it_is_now(asked, on)


async def _resting(asked: Asked, on: Platform) -> RestKey:
    record = await key_at(asked, on)
    asked.expects(record.version)
    return RestKey(asked.principal.tenant, record.id, asked.by, SuspendReason(asked.body.reason))


async def retry_credential(asked: Asked, on: Platform) -> Retried:
    """Have a key's vendor asked again now, or another key requested in place of one that failed."""
    record = await key_at(asked, on)
    with as_state():
        told = await retry_keys(RetryKeys(asked.principal.tenant, record.id), services_of(on))
    return shown(Retried, told["retried"][0])


_P: Final = Permission
_ALL, _ONE = "/lock/v1/credentials", "/lock/v1/credentials/{keyCredentialId}"
ROUTES: Final = (
    Route(
        method="GET",
        path=_ALL,
        summary="Keys of a stay or a property",
        use_case=list_credentials,
        query=CredentialsWanted,
        answer=Credentials,
        permission=_P.KEY_READ,
    ),
    Route(
        method="GET",
        path=_ONE,
        summary="A key, and how it stands at each lock",
        use_case=get_credential,
        answer=CredentialWhole,
        permission=_P.KEY_READ,
    ),
    Route(
        method="GET",
        path=f"{_ONE}/timeline",
        summary="All that happened to a key",
        use_case=credential_timeline,
        answer=Timeline,
        permission=_P.KEY_READ,
    ),
    Route(
        method="GET",
        path="/lock/v1/stays/{reservationId}/timeline",
        summary="All that happened to a stay and its keys",
        use_case=stay_timeline,
        answer=Timeline,
        permission=_P.KEY_READ,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/revoke",
        summary="End a key at once; its locks follow",
        use_case=revoke_credential,
        request=Ending,
        answer=CredentialWhole,
        permission=_P.KEY_REVOKE,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/replace",
        summary="End a key, and make another in its place",
        use_case=replace_credential,
        request=Ending,
        answer=Replaced,
        permission=_P.KEY_REPLACE,
        status=202,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/suspend",
        summary="Let a key rest",
        use_case=suspend_credential,
        request=Resting,
        answer=CredentialWhole,
        permission=_P.KEY_SUSPEND,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/unsuspend",
        summary="Wake a key, unless something else holds it",
        use_case=unsuspend_credential,
        request=Resting,
        answer=CredentialWhole,
        permission=_P.KEY_SUSPEND,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/retry",
        summary="Have the vendor asked again now",
        use_case=retry_credential,
        answer=Retried,
        permission=_P.KEY_ASK_AGAIN,
        status=202,
    ),
)
