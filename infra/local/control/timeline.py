"""All that happened to a booking or a key, in order: what was heard, told, tried, and done at each lock.

Every line is made of ids, states, codes and times that are named here one by one, so that nothing which
opens a door can come along.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from infra.local.control.boot_log import Starts
from infra.local.control.credentials import credential_in, shown_grants
from infra.local.control.records import (
    CREDENTIALS,
    MANUAL_TASKS,
    RESERVATIONS,
    Json,
    Records,
    UnknownRecord,
    Wanted,
)
from infra.local.delivery.instants import micros, rfc3339
from infra.local.sagas.history import history
from infra.local.sagas.journal import Kept
from infra.local.sagas.service import LocalSagas
from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.grant_lifecycle import Placement
from shared.domain.ids import TenantId
from shared.domain.instants import instant_from_text, instant_to_text
from shared.domain.plan import MAX_ATTEMPTS, AttemptMade
from shared.ports.sagas import ExecutionState

MOST_KEYS: Final = 100
PLACEMENTS: Final = frozenset(Placement)
_AS_DIGITS: Final = str.maketrans("ABCDEFGHJKMNPQRSTVWXYZ", "abcdefghijklmnopqrstuv")
"""From the digits of a ULID to Python's, of the same base."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened: when, by whose account, of which sort, to what."""

    at: str
    source: str
    kind: str
    about: str
    what: str
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Archive:
    """Where the accounts are kept."""

    records: Records
    sagas: LocalSagas
    starts: Starts
    now: datetime


async def timeline(archive: Archive, identity: str, tenant: str | None) -> dict[str, Any]:
    """Return everything that is known to have happened to a booking or a key."""
    whose, booking, kept = _found(archive.records, identity, tenant)
    lines = [] if booking is None else list(_heard(identity, booking))
    for each in kept:
        lines += [line async for line in _of_key(archive, each)]
    # Sorting keeps what is of one instant as its account has it, and the accounts from cause to effect.
    lines.sort(key=lambda line: _when(line.at))
    keys = [credential_in(each).id for each in kept]
    shown = [{**asdict(line), "at": _instant(line.at)} for line in lines]
    return {"id": identity, "tenant": whose, "credentials": keys, "timeline": shown}


def _when(text: str) -> datetime:
    return instant_from_text(text, "at")


def _instant(text: str) -> str:
    return rfc3339(micros(_when(text)))


def _found(records: Records, identity: str, tenant: str | None) -> tuple[TenantId, Json | None, list[Json]]:
    tenants = records.tenants() if tenant is None else [TenantId(tenant)]
    found = [(each, *_kept(records, each, identity)) for each in tenants]
    known = [each for each in found if each[1] is not None or each[2]]
    if not known:
        remedy = f"see keyfleet credentials, and keyfleet dead-letter list --reservation {identity[:80]}"
        raise UnknownRecord(f"no booking and no key {identity[:80]!r}: {remedy}")
    if len(known) > 1:
        named = ", ".join(each[0] for each in known)
        raise InvalidInput("id", "known to several tenants", f"name one with --tenant: {named}")
    return known[0]


def _kept(records: Records, tenant: TenantId, identity: str) -> tuple[Json | None, list[Json]]:
    key = records.one(tenant, CREDENTIALS, identity)
    if key is not None:
        return None, [key]
    of_booking = Wanted(tenant=tenant, reservation=identity, limit=MOST_KEYS)
    return records.one(tenant, RESERVATIONS, identity), [*records.credentials(of_booking)][::-1]


def _heard(identity: str, booking: Json) -> Iterator[Line]:
    for event in booking["heard"]:
        # Who sent it may have another clock than ours: it stands where we heard it.
        version = "" if event["version"] is None else f"version {event['version']}, "
        because = f": {event['because']}" if event.get("because") else ""
        what = f"{event['subject']} ({event['event_id']}, {version}of {event['time']}){because}"
        yield Line(event.get("at") or event["time"], "booking", event["outcome"], identity, what)


async def _of_key(archive: Archive, kept: Json) -> AsyncIterator[Line]:
    credential, records = credential_in(kept), archive.records
    events = list(_events(records, credential, kept["announced"]))
    for line in (*(each for each in events if not _conclusive(each)), *_attempts(credential)):
        yield line
    for execution in archive.sagas.working_on(credential.id, _time_in(credential.id)):
        async for line in _saga(archive, credential.id, execution):
            yield line
    for line in (*_locks(records, credential), *filter(_conclusive, events), *_tasks(records, credential)):
        yield line


def _conclusive(event: Line) -> bool:
    """Say whether an event tells what came of the calls to locks, and not what set them going."""
    return any(f".credential.{word}." in event.what for word in ("issued", "failed", "revoke_settled"))


def _events(records: Records, credential: KeyCredential, announced: int) -> Iterator[Line]:
    for row in records.events(credential.tenant, credential.id):
        audit = row["audit"]
        kind = "published" if row["sequence"] <= announced else "unpublished"
        reason = f", {audit['reason']}" if audit["reason"] else ""
        what = f"{row['sequence']}. {row['subject']} ({row['eventId']}){reason}, by {audit['operatorId']}"
        yield Line(audit["time"], "event", kind, credential.id, what)


def _attempts(credential: KeyCredential) -> Iterator[Line]:
    for number, made in enumerate(credential.core.plan.made, 1):
        kind = "refused" if made.problem else "made"
        yield Line(instant_to_text(made.at), "attempt", kind, credential.id, _attempt(number, made))


def _attempt(number: int, made: AttemptMade) -> str:
    problem = f": {made.problem}" if made.problem else ""
    return f"attempt {number} of {MAX_ATTEMPTS}, {made.choice.kind} at {made.choice.vendor}{problem}"


def _locks(records: Records, credential: KeyCredential) -> Iterator[Line]:
    for grant in shown_grants(records, credential.tenant, credential.id):
        where = f"{grant['kind']} at {grant['label'] or grant['device']}"
        written = rfc3339(named_at(grant["id"]) * 1000)
        yield Line(written, "lock", "intended", grant["id"], f"{where}: written down, to be placed")
        yield from _asked(grant, where)
        if grant["state"] not in {"intended", "placed"}:
            yield from _placed_before(grant, where)
        if grant["state"] != "intended":
            yield Line(
                grant["changed_at"], "lock", grant["state"], grant["id"], f"{where}: {_standing(grant)}"
            )


def _asked(grant: Json, where: str) -> Iterator[Line]:
    for call in grant["calls"]:
        for said in call["said"]:
            what = f"{grant['vendor']} {said['asked']}: {said['answer']}"
            yield Line(said["at"], "vendor", "call", grant["id"], what)
        answer = call["answer"] or "nothing was heard"
        what = f"{grant['vendor']} was asked to {call['asked']} {where}: {answer}"
        yield Line(_heard_at(call), "vendor", call["asked"], grant["id"], what)


def _placed_before(grant: Json, where: str) -> Iterator[Line]:
    # A grant tells of the present alone, and its calls of when a key that is to go had come.
    placed = (call for call in grant["calls"] if call["asked"] == "place" and call["answer"] in PLACEMENTS)
    if call := next(placed, None):
        yield Line(_heard_at(call), "lock", "placed", grant["id"], f"{where}: placed ({call['answer']})")


def _heard_at(call: Json) -> str:
    at: str = call["answered_at"] or call["at"]
    return at


def _standing(grant: Json) -> str:
    detail = f" ({grant['detail']})" if grant["detail"] else ""
    exposed = f", may open until {grant['exposure_until']}" if grant["state"] == "residual" else ""
    return f"{grant['state']}{detail}{exposed}"


def named_at(identity: str) -> int:
    """Return the milliseconds in an id of ours, which is minted when the thing begins."""
    return int(_time_in(identity).translate(_AS_DIGITS), 32)


def _tasks(records: Records, credential: KeyCredential) -> Iterator[Line]:
    task = records.one(credential.tenant, MANUAL_TASKS, credential.id)
    if task is not None:
        what = f"a task for the desk: {task['reason']}"
        yield Line(task["raised_at"], "task", "raised", credential.id, what)


async def _saga(archive: Archive, key: str, kept: Kept) -> AsyncIterator[Line]:
    execution, argument = kept.execution, kept.argument
    what = f"{execution.workflow} {execution.id} started, generation {argument.get('generation')}, for {key}"
    yield Line(kept.started_at, "saga", "started", execution.id, what)
    for start in archive.starts.between(datetime.fromisoformat(kept.started_at), _over(archive, kept)):
        what = "a fleet started and went on with it, asking again what had no answer"
        yield Line(instant_to_text(start), "saga", "resumed", execution.id, what)
    for happening in (await history(archive.sagas, execution.id))[1]:
        what = happening.what.replace(f"{kept.environment.get('FLEET_URL')}/", "/")
        yield Line(happening.at, "saga", happening.kind, execution.id, what, happening.branch)
    if kept.ended_at is not None:
        state = execution.state.value
        yield Line(kept.ended_at, "saga", state.lower(), execution.id, f"{execution.workflow} {state}")


def _over(archive: Archive, kept: Kept) -> datetime:
    if kept.ended_at is None or kept.execution.state is ExecutionState.ACTIVE:
        return archive.now
    return datetime.fromisoformat(kept.ended_at)


def _time_in(identity: str) -> str:
    # Ids of ours end in a ULID, and a ULID begins with its time.
    return identity[-26:-16]
