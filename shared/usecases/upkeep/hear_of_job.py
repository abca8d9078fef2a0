"""What became of a vendor's job is told by whoever hears of it: a relay, a webhook, a clerk.

1. It is kept on the grants that wait for it, and the key's work is made due, in one commit.
2. Only then is the next execution begun; should that fail, the sweeper begins it.
3. Told twice, too late, or of a job that nobody waits for, it changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import LockError, lock_error_from_dict
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_saga
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from
from shared.ledger.indexes import OF_JOB
from shared.ledger.job_in_hand import JobEnd
from shared.ledger.key_record import KeyRecord
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import StorageFull
from shared.ports.trouble import ServiceTrouble


@dataclass(frozen=True, slots=True)
class JobHeard:
    """Which job of which vendor has ended, and with which error, if it failed; no secret is told."""

    tenant: TenantId
    vendor: VendorCode
    job: str
    error: LockError | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command: `error` is a LockError as it crosses the wire, left out where all went well."""
        tenant, vendor = TenantId.parse(body.get("tenant"), "tenant"), VendorCode(body.get("vendor"))
        job, error = body.get("job"), body.get("error")
        if not isinstance(job, str) or not job:
            raise InvalidInput("job", "missing or not a text", "give the name that the vendor gave the job")
        if error is not None and not isinstance(error, Mapping):
            raise InvalidInput("error", "not an error", "give a LockError's code and cause, or leave it out")
        return cls(tenant, vendor, job, None if error is None else lock_error_from_dict(error))

    @property
    def name(self) -> str:
        """The name by which grants that wait for it are found."""
        return f"{self.vendor}:{self.job}"


async def hear_of_job(heard: JobHeard, services: Services) -> dict[str, Any]:
    """Keep a job's end, begin the work that waits for it, and say of which keys it was."""
    ledger = await services.ledger(heard.tenant)
    keys = await retry_on_conflict(lambda: _kept(heard, ledger, services))
    for entry in keys:
        if entry.saga.execution is None:
            await _begun(entry, heard, ledger, services)
    return {"keys": [str(entry.id) for entry in keys]}


async def _kept(heard: JobHeard, ledger: Ledger, services: Services) -> list[KeyRecord]:
    found = await ledger.documents.query(OF_JOB, {"job": heard.name}, limit=MOST_GRANTS)
    grants = [kept for kept in map(grant_from, found) if kept.in_hand and kept.in_hand.end is None]
    keys = []
    for credential in dict.fromkeys(str(kept.grant.credential_id) for kept in grants):
        entry = await ledger.entry(credential)
        if entry is not None:
            of_key = [kept for kept in grants if str(kept.grant.credential_id) == credential]
            keys.append((await ledger.save(_change(entry, of_key, heard, services))).entry)
    return keys


def _change(entry: KeyRecord, grants: Sequence[GrantRecord], heard: JobHeard, services: Services) -> Change:
    """Return the grants with the job's end, and the key's work, which goes on at once if it was parked."""
    now, end = services.now, JobEnd.of(heard.error, services.now)
    ended = tuple(replace(kept, in_hand=kept.in_hand.ended(end)) for kept in grants if kept.in_hand)
    if entry.saga.parked:
        again = replace(entry, saga=entry.saga.next_generation()).due_in(STARTED_WITHIN, now)
        return Change(again, grants=ended)
    # An execution that is at work sees it by itself; else the sweeper comes now.
    return Change(replace(entry, due=min(entry.due or now, now)), grants=ended)


async def _begun(entry: KeyRecord, heard: JobHeard, ledger: Ledger, services: Services) -> None:
    try:
        await begin_saga(entry, heard.vendor, ledger, services)
    except (ServiceTrouble, StorageFull) as trouble:
        # What was heard is kept, and the work is due: the sweeper begins it.
        services.log.failure("the end of a vendor's job is kept, and its key's work could not begin", trouble)
