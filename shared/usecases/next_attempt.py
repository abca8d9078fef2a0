"""What a saga is to try next, as the ledger has it."""

from shared.domain.grant_lifecycle import Residual
from shared.domain.states import Pending, Requested
from shared.ledger.entry import Entry, Work
from shared.ledger.kept_grant import KeptGrant
from shared.ledger.ledger import Ledger
from shared.usecases.office import Office
from shared.usecases.saga_step import DONE, SUPERSEDED, Outcome, StepCall, Verdict, followed


async def next_attempt(call: StepCall, office: Office) -> Verdict:
    """Name the adapter to call, or say that nothing is left to do."""
    ledger = await office.ledger(call.tenant)
    entry = await followed(call, ledger)
    if entry is None:
        return SUPERSEDED
    if entry.saga.kind is Work.ISSUE:
        return _issuing(entry)
    return await _withdrawing(entry, ledger)


def _issuing(entry: Entry) -> Verdict:
    if isinstance(entry.credential.state, Requested | Pending):
        return Verdict(Outcome.ATTEMPT, adapter=entry.credential.core.plan.current.vendor)
    return DONE


async def _withdrawing(entry: Entry, ledger: Ledger) -> Verdict:
    # What is on its way out comes first; what would not go is asked again when nothing else is left.
    leaving = sorted((kept for kept in await ledger.grants(entry) if kept.leaving), key=_stubborn)
    return Verdict(Outcome.ATTEMPT, adapter=leaving[0].grant.vendor) if leaving else DONE


def _stubborn(kept: KeptGrant) -> bool:
    return isinstance(kept.grant.state, Residual)
