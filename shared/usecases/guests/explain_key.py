"""Why a guest's code may not open a door now: what the ledger knows, in the order in which it helps.

| what is known | what the guest is told | a new code |
|---|---|---|
| its time has not come | from when it works | no |
| a lock has not taken it, or is yet to follow a change | to ask the desk, for the lock is behind | no |
| a lock's clock is far off, or its battery nearly empty | to ask the desk, for it may be the lock | no |
| every lock has it | how to type it | where the hotel lets guests have one, once a day |

A lock that is out of reach would hear of a new code no sooner than of this one, and the old one would end: so
there is none to be had then.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import ClassVar, Final

from shared.domain.documents import to_document
from shared.domain.grant_lifecycle import Placed, Removed
from shared.domain.ids import CredentialId
from shared.domain.instants import Moment
from shared.domain.kinds import KeyCredentialKind
from shared.domain.states import Active
from shared.ledger.device_record import kept_of
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Ledger
from shared.ledger.reading import read_stored
from shared.ports.documents import AlreadyExists, Create, Ref
from shared.usecases.guests.services import GuestServices
from shared.usecases.guests.shown_keys import window_of

RENEWALS: Final = "guest_renewals"
RENEWED_AGAIN_AFTER: Final = timedelta(days=1)


class Trouble(StrEnum):
    """What a guest is told whose code does not work; each names a text of the page."""

    EARLY = "early"
    UNREACHED = "unreached"
    LOCK = "lock"
    FINE = "fine"


async def explain(entry: KeyRecord, on: GuestServices) -> Trouble:
    """Return why a code that works by the ledger may not open, and note that it was asked."""
    trouble = await _trouble(entry, on)
    named = {"tenant": entry.credential.tenant, "keyCredentialId": entry.id}
    on.log.warning("a guest says that a code does not work", found=trouble.value, **named)
    return trouble


async def _trouble(entry: KeyRecord, on: GuestServices) -> Trouble:
    if on.now < window_of(entry).start:
        return Trouble.EARLY
    store = on.documents.tenant(entry.credential.tenant)
    grants = await Ledger(store, on.ids).grants(entry)
    if entry.amends is not None or not all(_is_settled(each) for each in grants):
        return Trouble.UNREACHED
    locks = [await kept_of(store, each.grant.device_id) for each in grants if each.stands]
    doubtful = any(lock is not None and lock.condition.doubtful for lock in locks)
    return Trouble.LOCK if doubtful else Trouble.FINE


def _is_settled(kept: GrantRecord) -> bool:
    return isinstance(kept.grant.state, Placed | Removed)


def renewable(entry: KeyRecord, trouble: Trouble, *, allowed: bool) -> bool:
    """Say whether a guest may have another code."""
    state = entry.credential.state
    is_pin = isinstance(state, Active) and state.key.kind is KeyCredentialKind.PIN_CODE
    return allowed and is_pin and trouble is Trouble.FINE


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """A new code that a guest asked for: one a stay and day."""

    schema_version: ClassVar[int] = 1

    credential: CredentialId
    at: Moment


async def claim_renewal(entry: KeyRecord, reservation: str, on: GuestServices) -> bool:
    """Keep that a guest asked for another code; return whether this key's is the one of the day.

    A key that was asked about before and counts still was not replaced yet: its order may be lost.
    """
    store, kept = on.documents.tenant(entry.credential.tenant), Renewal(credential=entry.id, at=on.now)
    ref, until = Ref(RENEWALS, reservation), on.now + RENEWED_AGAIN_AFTER
    try:
        await store.commit([Create(ref, to_document(kept), until)])
    except AlreadyExists:
        found = await store.get(ref)
        return found is not None and read_stored(Renewal, found).credential == entry.id
    return True
