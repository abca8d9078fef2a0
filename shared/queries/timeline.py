"""All that happened to a booking or a key, in order: what was heard, told, tried, and done at each lock.

Every line is made of ids, states, codes and times that are named here one by one, so that nothing which
opens a door can come along.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final, Protocol

from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.grant_lifecycle import Placement
from shared.domain.ids import minted_at
from shared.domain.instants import instant, instant_from_text, instant_to_text
from shared.domain.lifecycle import name_of
from shared.domain.plan import MAX_ATTEMPTS, AttemptMade
from shared.ledger.key_record import KeyRecord
from shared.ledger.master_key_record import MasterKeyRecord, find_master_key
from shared.ledger.reservation import Reservation, reservation_from
from shared.ledger.reservation import ref_of as stay_ref
from shared.ports.documents import Ref, TenantDocuments
from shared.ports.lock_causes import NEVER_ASKED, LockCause
from shared.queries.grants import moment, shown_grants
from shared.queries.hotels import Cell, Unknown, zones
from shared.queries.keys import key_of, keys_of_stay, whose
from shared.streams.telling import OUTBOX

Json = Mapping[str, Any]
MANUAL_TASKS: Final = "manual_tasks"
PLACEMENTS: Final = frozenset(Placement)
UNHEARD: Final = "nothing was heard yet, perhaps it was not asked"
OUR_OWN: Final = frozenset(
    {LockCause.CIRCUIT_OPEN, LockCause.IN_OUR_LINE, LockCause.ACCOUNT_MISSING, LockCause.NO_CONNECTION}
)
"""Answers that no vendor gives; others that let a call wait are ours where nothing went over the wire."""
CONCLUSIVE: Final = ("issued", "failed", "revoke_settled")


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that happened: when, by whose account, of which sort, to what."""

    at: str
    source: str
    kind: str
    about: str
    what: str
    branch: str = ""


class Executions(Protocol):
    """The platform's account of the executions that worked on a key."""

    def of_key(self, record: KeyRecord) -> AsyncIterator[Line]:
        """Go through what happened in them."""


class _NoExecutions:
    """The account of nobody: people at a desk are told what happened, and not in which run of what."""

    async def of_key(self, _record: KeyRecord) -> AsyncIterator[Line]:
        """Go through nothing."""
        for line in tuple[Line, ...]():
            yield line


NO_EXECUTIONS: Final[Executions] = _NoExecutions()


@dataclass(frozen=True, slots=True)
class _Whose:
    store: TenantDocuments
    stay: Reservation | None
    keys: Sequence[KeyRecord]
    staffs: MasterKeyRecord | None = None


async def timeline(cell: Cell, executions: Executions, identity: str, tenant: str | None) -> dict[str, Any]:
    """Return everything that is known to have happened to a booking or a key."""
    whose = await _found(cell, identity, tenant)
    lines = [] if whose.stay is None else list(_heard(whose.stay))
    lines += [line async for line in _of_staff(whose)]
    for record in whose.keys:
        lines += [line async for line in _of_key(whose.store, executions, record)]
    # Sorting keeps what is of one instant as its account has it, and the accounts from cause to effect.
    lines.sort(key=lambda line: _when(line.at))
    shown = [{**asdict(line), "at": moment(_when(line.at))} for line in lines]
    keys = [record.id for record in whose.keys]
    known = {"id": identity, "tenant": whose.store.tenant, "credentials": keys, "zone": await _zone(whose)}
    return {**known, "standing": [_key_standing(record) for record in whose.keys], "timeline": shown}


async def _zone(whose: _Whose) -> str | None:
    """Return the clock on the wall of the hotel, as far as anybody knows which it is."""
    for record in whose.keys:
        return record.credential.core.window.zone
    if whose.staffs is not None:
        return whose.staffs.master_key.window.zone
    house = None if whose.stay is None else whose.stay.property_id
    return None if house is None else (await zones(whose.store)).get(house)


def _key_standing(record: KeyRecord) -> dict[str, Any]:
    state = record.credential.state
    how = {"id": record.id, "state": name_of(type(state)), "reason": getattr(state, "reason", None)}
    return {**how, **whose(record)}


def _when(text: str) -> datetime:
    return instant_from_text(text, "at")


async def _found(cell: Cell, identity: str, tenant: str | None) -> _Whose:
    found = [await _of_tenant(store, identity) for store in await cell.asked(tenant)]
    known = [each for each in found if each.stay or each.keys or each.staffs]
    if not known:
        remedy = f"see keyfleet credentials, and keyfleet dead-letter list --reservation {identity[:80]}"
        raise Unknown(f"no booking and no key {identity[:80]!r}: {remedy}")
    if len(known) > 1:
        named = ", ".join(each.store.tenant for each in known)
        raise InvalidInput("id", "known to several tenants", f"name one with --tenant: {named}")
    return known[0]


async def _of_tenant(store: TenantDocuments, identity: str) -> _Whose:
    key = await key_of(store, identity)
    if key is not None:
        return _Whose(store, None, (key,))
    staffs = await find_master_key(store, identity)
    if staffs is not None:
        made = [await key_of(store, name) for name in staffs.master_key.credentials]
        return _Whose(store, None, tuple(each for each in made if each is not None), staffs)
    stay = await store.get(stay_ref(identity))
    keys = await keys_of_stay(store, identity)
    return _Whose(store, None if stay is None else reservation_from(stay), keys)


def _heard(stay: Reservation) -> Iterator[Line]:
    for event in stay.heard:
        # Who sent it may have another clock than ours: it stands where we heard it.
        sent = instant_to_text(event.standing.time)
        version = "" if event.standing.version is None else f"version {event.standing.version}, "
        because = f": {event.because}" if event.because else ""
        what = f"{event.subject} ({event.event_id}, {version}of {sent}){because}"
        at = sent if event.at is None else instant_to_text(event.at)
        yield Line(at, "booking", event.outcome, stay.id, what)
        if event.differs is not None:
            again = f"{event.event_id} came again with other content, which was not heeded"
            yield Line(instant_to_text(event.differs), "booking", "reused", stay.id, again)


async def _of_staff(whose: _Whose) -> AsyncIterator[Line]:
    """Go through what was told of a master key; each key that carries it is told of as any key is."""
    if whose.staffs is not None:
        last, announced = whose.staffs.master_key.version - 1, whose.staffs.announced
        async for line in _events(whose.store, whose.staffs.id, last, announced):
            yield line


async def _of_key(store: TenantDocuments, executions: Executions, record: KeyRecord) -> AsyncIterator[Line]:
    last, announced = record.credential.sequence, record.announced
    events = [line async for line in _events(store, record.id, last, announced)]
    for line in (*(each for each in events if not _conclusive(each)), *_attempts(record.credential)):
        yield line
    async for line in executions.of_key(record):
        yield line
    for grant in await shown_grants(store, record.id):
        for line in _at_lock(grant):
            yield line
    for line in filter(_conclusive, events):
        yield line
    async for line in _task(store, record):
        yield line


def _conclusive(event: Line) -> bool:
    """Say whether an event tells what came of the calls to locks, and not what set them going."""
    return any(f".credential.{word}." in event.what for word in CONCLUSIVE)


async def _events(store: TenantDocuments, id_: str, last: int, announced: int) -> AsyncIterator[Line]:
    for sequence in range(1, last + 1):
        found = await store.get(Ref(OUTBOX, f"{id_}.{sequence:06d}"))
        if found is None:  # a row that was never kept is a loss, and doctor's to tell
            continue
        row, audit = found.data, found.data["audit"]
        kind = "published" if row["sequence"] <= announced else "unpublished"
        reason = f", {audit['reason']}" if audit["reason"] else ""
        what = f"{row['sequence']}. {row['subject']} ({row['eventId']}){reason}, by {audit['operatorId']}"
        yield Line(audit["time"], "event", kind, id_, what)


def _attempts(credential: KeyCredential) -> Iterator[Line]:
    plan = credential.core.plan
    most = max(MAX_ATTEMPTS, plan.attempts)
    for number, made in enumerate(plan.made, 1):
        kind, which = "refused" if made.problem else "made", f"attempt {number} of {most}"
        yield Line(instant_to_text(made.at), "attempt", kind, credential.id, _attempt(which, made))


def _attempt(which: str, made: AttemptMade) -> str:
    problem = f": {made.problem}" if made.problem else ""
    return f"{which}, {made.choice.kind} at {made.choice.vendor}{problem}"


def _at_lock(grant: Json) -> Iterator[Line]:
    where = f"{grant['kind']} at {grant['label'] or grant['device']}"
    written = moment(instant(minted_at(grant["id"])))
    yield Line(str(written), "lock", "intended", grant["id"], f"{where}: written down, to be placed")
    yield from _asked(grant, where)
    if grant["state"] not in {"intended", "placed"}:
        yield from _placed_before(grant, where)
    if grant["state"] != "intended":
        said = f"{where}: {_standing(grant)}"
        yield Line(grant["changed_at"], "lock", grant["state"], grant["id"], said)


def _asked(grant: Json, where: str) -> Iterator[Line]:
    for call in grant["calls"]:
        for said in call["said"]:
            what = f"{grant['vendor']} {said['asked']}: {said['answer']}"
            yield Line(said["at"], "vendor", "call", grant["id"], what)
        what = f"{grant['vendor']} {_asking(call)} {call['asked']} {where}: {call['answer'] or UNHEARD}"
        yield Line(_heard_at(call), "vendor", call["asked"], grant["id"], what)


def _asking(call: Json) -> str:
    """Say whether a vendor was asked at all: of many doors, the last wait for their turn."""
    answer = call["answer"]
    if answer is None:
        return "was to"
    ours = answer in OUR_OWN or (answer in NEVER_ASKED and not call["said"])
    return "was not asked to" if ours else "was asked to"


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


async def _task(store: TenantDocuments, record: KeyRecord) -> AsyncIterator[Line]:
    task = await store.get(Ref(MANUAL_TASKS, record.id))
    if task is not None:
        what = f"a task for the desk: {task.data['reason']}"
        yield Line(task.data["raised_at"], "task", "raised", record.id, what)
