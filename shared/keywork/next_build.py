"""Who works on a key first: the present build of its vendor's adapter, or the next one, on trial (A §15.5).

| a saga asks | and | then |
|---|---|---|
| the present build | the share takes the key, and the next one never had this work | noted; ask the next |
| | it was noted by this execution, which asks again: the answer was lost | ask the next |
| | else | it does the work |
| the next build | | one attempt, and when it ended is noted; what is left is for the present one |

So a next build has one chance at each work on a key. One that crashes, hangs or fails costs a wait, and no
guest their key: whoever asks after it is answered by the present build. Where nothing is on trial, this costs
nothing: what a property hands over stands in its premises, which are read anyway. Decision 0190.
"""

import zlib
from dataclasses import replace
from typing import Final

from shared.domain.kinds import VendorCode
from shared.domain.premises import NextBuild
from shared.domain.states import Failed, Revoked
from shared.keywork.services import Services
from shared.keywork.vendor_session import VendorSessions
from shared.keywork.verdicts import StepCall
from shared.ledger.canary import Trial, find_trial, turn_name
from shared.ledger.key_record import KeyRecord, Work
from shared.ports.documents import AlreadyExists, StaleVersion, TenantDocuments

HUNDRED: Final = 100
_OVER: Final = (Revoked, Failed)


async def handed_over(
    entry: KeyRecord, call: StepCall, next_build: NextBuild | None, store: TenantDocuments, services: Services
) -> bool:
    """Say whether the next build is to be asked: then that is noted, for it is asked once."""
    if next_build is None or not takes(next_build, str(entry.id)):
        return False
    name = _name(entry, next_build)
    known = await find_trial(store, name)
    if known is not None:
        return known.ended_at is None and known.execution == call.execution
    trial = Trial(
        name=name,
        of_turn=turn_name(next_build.vendor, next_build.turn),
        key=str(entry.id),
        opens=_what(entry) != "remove",
        at=services.now,
        execution=call.execution,
    )
    try:
        await trial.saved(store)
    except AlreadyExists:
        return False
    return True


async def trial_under_way(call: StepCall, services: Services, desks: VendorSessions) -> Trial | None:
    """Return what the next build was handed with this call, if it was."""
    ledger = services.ledger_of_key(call.tenant)
    entry = await ledger.entry(call.saga_id)
    if entry is None:
        return None
    place = entry.credential.core.property_id
    premises = await services.hotels.premises_of_key(entry.credential.tenant, place)
    on_trial = premises.property.next_build(desks.vendor)
    return None if on_trial is None else await find_trial(ledger.documents, _name(entry, on_trial))


async def note_end(trial: Trial, call: StepCall, services: Services) -> None:
    """Note that the next build answered: whatever it asked of a lock, it asked before."""
    store = services.ledger_of_key(call.tenant).documents
    try:
        await replace(trial, ended_at=services.now).saved(store)
    except StaleVersion:
        return  # the same call, twice: the other noted it


def takes(next_build: NextBuild, key: str) -> bool:
    """Say whether a key is among the share of the next build: whoever asks, and whenever, it is the same."""
    return zlib.crc32(f"{next_build.turn} {key}".encode()) % HUNDRED < next_build.share


def _name(entry: KeyRecord, on_trial: NextBuild) -> str:
    return f"{turn_name(VendorCode(on_trial.vendor), on_trial.turn)}.{entry.id}.{_what(entry)}"


def _what(entry: KeyRecord) -> str:
    if entry.saga.kind is Work.ISSUE:
        return "issue"
    return "remove" if isinstance(entry.credential.state, _OVER) else "change"
