"""PINs that nobody else has at a property, and the blind indexes by which that is known."""

from collections.abc import Sequence
from typing import Final

from shared.domain.kinds import KeyCredentialKind
from shared.domain.replacing import replace
from shared.domain.secret import Secret
from shared.keywork.attempt import AttemptContext
from shared.keywork.errand import Errand
from shared.keywork.lock_attempt import IssueAttempt, LockAttempt
from shared.keywork.vendor_session import VendorSession
from shared.ledger.grant_record import GrantRecord, pin_key
from shared.ledger.indexes import WITH_PIN
from shared.ledger.sealed_keys import SealedKeys
from shared.ports.lock import KeyAtLock
from shared.vendor_kit.pins import LONGEST, draw_pin

DRAWN_BEFORE_LONGER: Final = 8
"""So many in a row that somebody has mean a house of very many guests: one digit more serves it."""


async def draw_unique(task: AttemptContext, desk: VendorSession) -> Secret[str]:
    """Draw a PIN that opens nothing at this property, whoever's it would be; no vendor hears of the others.

    Two who draw the same one at the same moment both get it, at odds of one in a million for each two: a lock
    that both want refuses the second, who draws again.
    """
    digits, drawn = desk.binding.policy.pin_digits, 0
    while True:
        pin = draw_pin(task.services.entropy, min(LONGEST, digits + drawn // DRAWN_BEFORE_LONGER))
        indexes = await desk.secrets.pin_indexes(task.entry.credential.core.property_id, pin)
        if not await _taken(task, indexes):
            return pin
        drawn += 1


async def _taken(task: AttemptContext, indexes: Sequence[str]) -> bool:
    for index in indexes:
        if await task.ledger.documents.query(WITH_PIN, {"pin": pin_key(index)}, limit=1):
            return True
    return False


async def with_pin(
    grants: Sequence[GrantRecord], pin: Secret[str] | None, secrets: SealedKeys
) -> tuple[GrantRecord, ...]:
    """Return grants that can be found by their PIN, where they have one that is known."""
    if pin is None or not grants or grants[0].grant.kind is not KeyCredentialKind.PIN_CODE:
        return tuple(grants)
    index = (await secrets.pin_indexes(grants[0].grant.property_id, pin))[0]
    return tuple(replace(kept, grant=replace(kept.grant, pin_index=index)) for kept in grants)


async def attempt_indexed(attempted: IssueAttempt, secrets: SealedKeys) -> IssueAttempt:
    """Return an attempt whose placed grants can be found by what the vendor named, and chose."""
    placings = [await _placing_indexed(each, attempted.secret, secrets) for each in attempted.placings]
    return replace(attempted, placings=tuple(placings))


async def _placing_indexed(
    placing: LockAttempt, told: Secret[str] | None, secrets: SealedKeys
) -> LockAttempt:
    at = placing.outcome
    if not isinstance(at, KeyAtLock):
        return placing
    # What it was told was indexed before the vendor was asked: only another secret is another index.
    chosen = at.secret if at.secret is not None and at.secret != told else None
    return replace(placing, kept=await _at_lock(placing.kept, at, chosen, secrets))


async def errands_indexed(errands: Sequence[Errand], secrets: SealedKeys) -> list[Errand]:
    """Return errands whose grants can be found by what the vendor names them from now on."""
    return [
        each
        if each.at_lock is None
        else replace(each, kept=await _at_lock(each.kept, each.at_lock, each.at_lock.secret, secrets))
        for each in errands
    ]


async def _at_lock(
    kept: GrantRecord, at: KeyAtLock, pin: Secret[str] | None, secrets: SealedKeys
) -> GrantRecord:
    (known,) = await with_pin([kept], pin, secrets)
    index = await secrets.ref_index(kept.grant.property_id, at.vendor_ref)
    return replace(known, grant=replace(known.grant, vendor_ref_index=index))
