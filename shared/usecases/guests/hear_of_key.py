"""What is told of a key becomes a notice for its guest, once for each event, and its delivery begins.

| the event | the guest is told |
|---|---|
| issued | that the key is ready, by its kind; of a PIN after one that was told, that it has changed |
| updated | its other times, unless it is as they were told before |
| suspended | that it rests |
| unsuspended | what they were to be told before it rested, and were not |
| revoked | that it has ended, unless another stands in for it |

Staff have no guest's ways, ever. A hotel that has set up no messages tells nobody.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from shared.domain.core import Guest
from shared.domain.ids import TenantId
from shared.domain.kinds import KeyCredentialKind, SetRole
from shared.events.idempotency import claim_key
from shared.keywork.services import retry_on_conflict
from shared.ledger.hotel_directory import HotelDirectory
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ledger.message_settings import MessageSettings, message_settings
from shared.ledger.notices import Notice, notice_at, notice_from
from shared.messages.kinds import TOLD_WHEN_ISSUED, MessageKind
from shared.ports.ambient import Clock
from shared.ports.documents import AlreadyExists, TenantDocuments
from shared.ports.sagas import Sagas
from shared.usecases.guests.ladder import CLAIMED_FOR, planned
from shared.usecases.guests.told_before import is_given_back, only_handed_over, told_of_stay

WORKFLOW: Final = "deliver_key"
_KINDS: Final = {
    "updated": MessageKind.KEY_TIMES_CHANGED,
    "suspended": MessageKind.KEY_RESTS,
    "revoked": MessageKind.KEY_ENDED,
}
_PINS: Final = (MessageKind.PIN_CODE_DELIVERED, MessageKind.PIN_CODE_CHANGED)


@dataclass(frozen=True, slots=True)
class Hearing:
    """What hearing of a key works with."""

    hotels: HotelDirectory
    sagas: Sagas
    clock: Clock


async def hear_of_key(event: Any, on: Hearing) -> str | None:
    """Keep what a guest is to be told, and begin to deliver it; return the notice's name, if there is one."""
    kind, wakes = kind_of(event), _word(event) == "unsuspended"
    if kind is None and not wakes:
        return None
    store = await on.hotels.admit(event.tenant_id)
    # A hotel that writes to nobody pays for no more than that question.
    settings = await message_settings(store, event.data.property_id or "tenant")
    entry = None if settings is None else await _entry(event.data.key_credential_id, store)
    if settings is None or entry is None or not isinstance(entry.credential.core.holder, Guest):
        return None
    if kind is None:
        return await _told_after_its_rest(entry, settings, store, on)
    if kind is MessageKind.KEY_TIMES_CHANGED:
        stay = entry.credential.core.holder.reservation_id
        if await is_given_back(event.data.changes, entry, stay, store):
            return None
    if kind is MessageKind.PIN_CODE_DELIVERED and await _follows_another(entry, store):
        kind = MessageKind.PIN_CODE_CHANGED
    notice = _notice(event, kind, entry)
    now, arrives = on.clock.now(), entry.credential.core.window.start
    ways: dict[str, Any] = dict(planned(kind, settings, arrives, notice.zone, now))
    # Who delivers it begins at once; if nobody comes to that, the sweeper does.
    made = replace(notice, due=now + CLAIMED_FOR, **ways)
    try:
        await store.commit([made.write()])
    except AlreadyExists:
        return notice.id
    await begin_delivery(store.tenant, notice.id, on.sagas)
    return notice.id


async def _told_after_its_rest(
    entry: KeyRecord, settings: MessageSettings, store: TenantDocuments, on: Hearing
) -> str | None:
    """Go on with what a guest was to be told of a key before it rested; return the notice's name, if any."""
    core = entry.credential.core
    assert isinstance(core.holder, Guest)  # noqa: S101 - the caller looked
    told = await told_of_stay(core.holder.reservation_id, store)
    waits = [
        each for each in told if (each.credential, each.tells, each.outcome) == (core.id, "issued", None)
    ]

    async def planned_anew(name: str) -> None:
        found = await store.get(notice_at(name))
        notice = None if found is None else notice_from(found)
        if notice is None or not _is_yet_to_be_told(notice) or any(way.tries for way in notice.ways.values()):
            return  # it is over by now; or the ladder goes on from the way that was tried before the rest
        now = on.clock.now()
        ways: dict[str, Any] = dict(planned(notice.kind, settings, core.window.start, notice.zone, now))
        await store.commit([replace(notice, due=now + CLAIMED_FOR, **ways).write()])

    for each in waits:
        await retry_on_conflict(partial(planned_anew, each.id))
        await begin_delivery(store.tenant, each.id, on.sagas)
    return waits[0].id if waits else None


def _is_yet_to_be_told(notice: Notice) -> bool:
    return notice.tells == "issued" and notice.outcome is None


async def begin_delivery(tenant: TenantId, notice: str, sagas: Sagas) -> None:
    """Begin to deliver a notice; twice does no harm, for each way is claimed before it is taken."""
    await sagas.start(WORKFLOW, {"tenant": str(tenant), "notice": notice})


def kind_of(event: Any) -> MessageKind | None:
    """Return what a guest is told of an event, or None."""
    word = _word(event)
    if word == "issued":
        if event.data.holder_kind != "guest":
            return None
        kind = KeyCredentialKind(event.data.kind)
        replaces = event.data.replaces is not None and kind is KeyCredentialKind.PIN_CODE
        return MessageKind.PIN_CODE_CHANGED if replaces else TOLD_WHEN_ISSUED[kind]
    if word == "revoked" and event.data.replaced_by is not None:
        return None
    if word == "updated" and only_handed_over(event.data.changes):
        return None
    return _KINDS.get(word)


async def _follows_another(entry: KeyRecord, store: TenantDocuments) -> bool:
    """Say whether a key of a stay that was changed takes over from one whose PIN its guest was told."""
    core = entry.credential.core
    assert isinstance(core.holder, Guest)  # noqa: S101 - the caller looked
    first = claim_key("issue", reservation_id=core.holder.reservation_id, incarnation=1)
    if core.role is not SetRole.FIRST or core.claim == first:
        return False
    told = await told_of_stay(core.holder.reservation_id, store)
    return any(each.kind in _PINS and each.credential != core.id for each in told)


def _word(event: Any) -> str:
    return str(event.subject).split(".")[-2]


async def _entry(credential: str, store: TenantDocuments) -> KeyRecord | None:
    found = await store.get(ref_of(credential))
    return None if found is None else key_record_from(found)


def _notice(event: Any, kind: MessageKind, entry: KeyRecord) -> Notice:
    core = entry.credential.core
    assert isinstance(core.holder, Guest)  # noqa: S101 - the caller looked
    return Notice(
        id=event.id,
        kind=kind,
        tells=_word(event),
        credential=core.id,
        reservation=core.holder.reservation_id,
        property_id=core.property_id,
        made=event.time,
        arrives=core.window.start,
        ends=core.window.end,
        zone=core.window.zone,
    )
