"""Whose adapter a key's saga is to call, as the ledger has it."""

from collections.abc import Iterable

from shared.domain.grant_lifecycle import Residual
from shared.domain.kinds import VendorCode
from shared.domain.states import Pending, Requested
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import KeyRecord, Work


def whom_to_ask(entry: KeyRecord, grants: Iterable[GrantRecord]) -> VendorCode | None:
    """Return the vendor whose turn it is, or None if nothing is left to do."""
    if entry.saga.kind is Work.ISSUE:
        return _maker(entry)
    leaving = [kept for kept in grants if kept.leaving]
    # What is on its way out comes first; what would not go is asked again when nothing else is left.
    hopeful = [kept for kept in leaving if not isinstance(kept.grant.state, Residual)]
    vendors = sorted({kept.grant.vendor for kept in hopeful or leaving})
    # One vendor that is always in trouble must not keep the others from being asked.
    turn = entry.saga.generation + entry.saga.lost
    return vendors[turn % len(vendors)] if vendors else None


def _maker(entry: KeyRecord) -> VendorCode | None:
    wanted = isinstance(entry.credential.state, Requested | Pending)
    return entry.credential.core.plan.current.vendor if wanted else None
