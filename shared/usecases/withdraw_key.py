"""A key ends in the ledger, whatever its state; what it has at the locks is on its way out."""

from dataclasses import replace

from shared.domain.ids import CredentialId
from shared.domain.kinds import ClaimKey, RevokeReason
from shared.domain.reactions import withdrawal
from shared.events.idempotency import claim_key
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.entry import Work
from shared.ledger.ledger import Change, Ledger
from shared.usecases.booking import BookingEvent
from shared.usecases.office import Office


async def withdraw_key(
    credential: CredentialId, reason: RevokeReason, booking: BookingEvent, ledger: Ledger, office: Office
) -> Change | None:
    """Return what ends a key, to be saved; None if it is over already."""
    entry = await ledger.entry(credential)
    if entry is None:
        return None
    now = office.now
    command = withdrawal(entry.credential, reason, at=now)
    if command is None:
        return None
    grants = tuple(grant.withdrawn(now) for grant in await ledger.grants(entry) if not grant.over)
    ended, facts = entry.credential.apply(command)
    claim = ClaimKey(claim_key("revoke", event_id=booking.id, key_credential_id=str(entry.id)))
    turned = replace(
        entry,
        credential=ended,
        saga=entry.saga.turned(Work.WITHDRAW, claim),
        cause=booking.cause,
        due=now + STARTED_WITHIN,
    )
    return Change(turned, facts, grants)
