"""The keys of a stay as its guest may see them; a secret is opened for a key that works, and for no other.

| the key | its guest sees |
|---|---|
| requested, pending | that it is being made |
| active | its secret, its doors and its times |
| at rest | that it rests, and to ask the desk |
| ended, failed, over by its time | nothing of it |
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from shared.domain.ids import ReservationId, TenantId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.lifecycle import name_of
from shared.domain.secret import Secret
from shared.domain.states import Active, Failed, Revoked, Suspended
from shared.domain.window import StayWindow
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ledger.reservation import ref_of as stay_at
from shared.ledger.reservation import reservation_from
from shared.ledger.sealed_keys import SealedKeys, SecretName
from shared.usecases.guests.services import GuestServices

MOST_KEYS: Final = 20


class KeyStanding(StrEnum):
    """How a key stands, as far as its guest is told."""

    WORKS = "works"
    MAKING = "making"
    RESTS = "rests"


class Turn(StrEnum):
    """Which way a key opens on over the turn of two stays; each names a text of the page."""

    ON = "goes_on"
    FROM = "went_on"


@dataclass(frozen=True, slots=True)
class ShownKey:
    """One key, for the eyes of its guest: when it opens, and of that the time of the stay that is shown."""

    id: str
    kind: KeyCredentialKind
    standing: KeyStanding
    hotel: str
    doors: tuple[str, ...]
    window: StayWindow
    stay: StayWindow
    property_id: str
    turn: Turn | None = None
    secret: Secret[str] | None = field(default=None, repr=False)


async def keys_of_stay(
    tenant: TenantId, reservation: ReservationId, on: GuestServices
) -> tuple[KeyRecord, ...]:
    """Return a stay's keys that are not over, as its own record names them."""
    store = on.documents.tenant(tenant)
    found = await store.get(stay_at(reservation))
    named = () if found is None else reservation_from(found).credentials[:MOST_KEYS]
    kept = [each for name in named if (each := await store.get(ref_of(name))) is not None]
    return tuple(entry for each in kept if not over(entry := key_record_from(each), on))


def over(entry: KeyRecord, on: GuestServices) -> bool:
    """Say whether a key opens no more, and never will."""
    ended = isinstance(entry.credential.state, Revoked | Failed)
    return ended or window_of(entry).end <= on.now


def window_of(entry: KeyRecord) -> StayWindow:
    """Return when a key opens: as its locks have it, where they said so."""
    state = entry.credential.state
    if isinstance(state, Active | Suspended):
        return state.key.effective
    return entry.credential.core.window


async def shown_keys(
    entries: Sequence[KeyRecord], stay: ReservationId, on: GuestServices
) -> tuple[ShownKey, ...]:
    """Return a stay's keys as their guest may see them, and note that they were shown."""
    shown = tuple([await _shown(entry, stay, on) for entry in entries])
    for entry, key in zip(entries, shown, strict=True):
        if key.secret is not None:
            on.log.info("a guest was shown a key", keyCredentialId=key.id, tenant=entry.credential.tenant)
    return shown


def turn_of(entry: KeyRecord, stay: ReservationId) -> tuple[StayWindow, Turn | None]:
    """Return the time of a stay of which a key is, and which way it opens on beyond that."""
    window = window_of(entry)
    if entry.amends is not None:
        return window, None  # its locks are yet to follow: what they have is told
    past = entry.before(entry.stays[0]) if entry.stays else None
    if past is not None and past.reservation == stay:
        return past.window, Turn.ON
    if entry.before(stay) is not None:
        return entry.times_of(stay), Turn.FROM
    return (window, None) if entry.then is None else (entry.times_of(stay), Turn.ON)


async def _shown(entry: KeyRecord, stay: ReservationId, on: GuestServices) -> ShownKey:
    core, state = entry.credential.core, entry.credential.state
    premises = await on.hotels.premises_of_key(core.tenant, core.property_id)
    doors = premises.doors(core.rooms, core.scope)
    own, turn = turn_of(entry, stay)
    return ShownKey(
        id=core.id,
        kind=_kind(entry),
        standing=_STANDINGS[name_of(type(state))],
        hotel=premises.property.name,
        doors=tuple(door.label for door in doors) or tuple(core.rooms),
        window=window_of(entry),
        stay=own,
        property_id=core.property_id,
        turn=turn,
        secret=await secret_of(entry, on),
    )


async def secret_of(entry: KeyRecord, on: GuestServices) -> Secret[str] | None:
    """Open the guest's part of a key that works; None of any other, and of a card, which has none."""
    state = entry.credential.state
    if not isinstance(state, Active) or over(entry, on):
        return None
    sealed = SealedKeys(on.sealed.tenant(entry.credential.tenant), on.cipher, state.key.vendor)
    return await sealed.artifact(SecretName(entry.id, state.key.kind, entry.secret_try))


def _kind(entry: KeyRecord) -> KeyCredentialKind:
    state = entry.credential.state
    if isinstance(state, Active | Suspended):
        return state.key.kind
    return entry.credential.core.plan.current.kind


_STANDINGS: Final = {
    "requested": KeyStanding.MAKING,
    "pending": KeyStanding.MAKING,
    "active": KeyStanding.WORKS,
    "suspended": KeyStanding.RESTS,
}
