"""A service redeems an event's `tk_` handle, for a guest who has a session of the stay (A §10.3).

Who asks is a service of the tenant with the permission for it; a guest never does. The first *no* ends it,
and all sound alike: no such key, another handle, no session of this stay, a key that does not work, redeemed
before. That it was redeemed is kept, created once, before the secret is opened: of two, one wins. The same
session may repeat itself for two minutes, for an answer may be lost on a hotel's network.
"""

import contextlib
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.core import Guest
from shared.domain.documents import to_document
from shared.domain.ids import CredentialId, PropertyId, ReservationId, TenantId
from shared.domain.secret import Secret
from shared.domain.states import Active
from shared.ledger.guest_tokens import (
    GuestSession,
    GuestSessions,
    Redeemed,
    digest_of,
    draw_token,
    redeemed_at,
)
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ledger.reading import read_stored
from shared.ledger.reservation import Status, reservation_from
from shared.ledger.reservation import ref_of as stay_at
from shared.ledger.stay import Stay
from shared.ports.documents import AlreadyExists, Create
from shared.usecases.guests.services import GuestServices, NothingGiven
from shared.usecases.guests.shown_keys import ShownKey, over, shown_keys

AGAIN_WITHIN: Final = timedelta(minutes=2)
REMEMBERED_AFTER: Final = timedelta(days=60)
"""Claims live until the stay's end and so long beyond it."""


@dataclass(frozen=True, slots=True)
class Redemption:
    """Which key's handle is shown, and by whose session."""

    tenant: TenantId
    credential: CredentialId
    handle: Secret[str]
    session: Secret[str]


async def key_at(
    tenant: TenantId, credential: CredentialId, on: GuestServices
) -> tuple[KeyRecord, PropertyId]:
    """Return a guest's key and where it is, or raise NothingGiven."""
    found = await on.documents.tenant(tenant).get(ref_of(credential))
    entry = None if found is None else key_record_from(found)
    if entry is None or not isinstance(entry.credential.core.holder, Guest):
        raise NothingGiven
    return entry, entry.credential.core.property_id


async def redeem(asked: Redemption, entry: KeyRecord, on: GuestServices) -> ShownKey:
    """Return what a handle stands for, once."""
    holder = entry.credential.core.holder
    if not isinstance(holder, Guest) or not _is_its_handle(asked.handle, entry):
        raise NothingGiven
    sessions = GuestSessions(on.documents.tenant(asked.tenant))
    if not await sessions.of_stay(asked.session, holder.reservation_id, on.now):
        raise NothingGiven
    if not isinstance(entry.credential.state, Active) or over(entry, on):
        raise NothingGiven
    await _redeemed(asked, entry, on)
    (shown,) = await shown_keys([entry], holder.reservation_id, on)
    return shown


def _is_its_handle(handle: Secret[str], entry: KeyRecord) -> bool:
    return entry.artifact is not None and hmac.compare_digest(digest_of(handle), entry.artifact)


async def _redeemed(asked: Redemption, entry: KeyRecord, on: GuestServices) -> None:
    """Keep that a handle was redeemed, or find that it was."""
    store, ref = on.documents.tenant(asked.tenant), redeemed_at(asked.handle)
    mine = Redeemed(session=digest_of(asked.session), at=on.now)
    until = max(entry.credential.core.window.end, on.now) + REMEMBERED_AFTER
    with contextlib.suppress(AlreadyExists):
        await store.commit([Create(ref, to_document(mine), until)])
        return
    found = await store.get(ref)
    before = None if found is None else read_stored(Redeemed, found)
    if before is None or before.session != mine.session or on.now >= before.at + AGAIN_WITHIN:
        on.log.warning("a key's handle was redeemed again", tenant=asked.tenant, keyCredentialId=entry.id)
        raise NothingGiven


async def stay_of(tenant: TenantId, reservation: ReservationId, on: GuestServices) -> Stay:
    """Return a stay that is confirmed and not over, or raise NothingGiven."""
    found = await on.documents.tenant(tenant).get(stay_at(reservation))
    kept = None if found is None else reservation_from(found)
    if kept is None or kept.stay is None or kept.status is not Status.CONFIRMED or kept.stay.end <= on.now:
        raise NothingGiven
    return kept.stay


async def begin_session(
    tenant: TenantId, reservation: ReservationId, stay: Stay, on: GuestServices
) -> tuple[Secret[str], datetime]:
    """Begin a session until a stay's end; the tenant's own service has proven its guest."""
    session = draw_token(on.entropy)
    kept = GuestSession(reservation=reservation, expires=stay.end)
    await GuestSessions(on.documents.tenant(tenant)).begin(session, kept)
    on.log.info("a guest's session was begun by a service", tenant=tenant, reservation=reservation)
    return session, stay.end
