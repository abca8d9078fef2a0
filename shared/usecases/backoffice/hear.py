"""What becomes of each event that the backoffice hears (C §15): one table, and one commit an event.

1. The event's id is written down, for a day: whoever hears it again does nothing.
2. In the same commit: sessions closed, entries that wait or are gone, tasks, and what desktops are told.
3. Afterwards what is to be told of closed sessions is published; the sweeper does what a crash left.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from shared.domain.ids import PropertyId, ReservationId, TenantId, UserId
from shared.events.backoffice.heard import HeardEvent
from shared.events.backoffice.heard_subjects import ROOT
from shared.keywork.services import retry_on_conflict
from shared.ports.documents import Create, Delete, Ref, TenantDocuments, Update, Write
from shared.usecases.backoffice.console_sessions import ending
from shared.usecases.backoffice.feed import feed_of
from shared.usecases.backoffice.inbox import ALERTS, SUGGESTIONS, Source, Waiting, entry_id, waiting_of
from shared.usecases.backoffice.presence import Presence, presence_of
from shared.usecases.backoffice.sessions import Session, open_sessions
from shared.usecases.backoffice.sign_in import closing
from shared.usecases.telemetry.tell import Teller
from shared.usecases.telemetry.untold import Untold, kept

HEARD: Final = "backoffice_heard"
REMEMBERED_FOR: Final = timedelta(hours=24)
TASKS, PREFERENCES = "backoffice_tasks", "backoffice_preferences"
TASKS_KEPT_FOR: Final = timedelta(days=14)
STALE, FORCE_LOGOUT = "view.stale", "forceLogout"
EVERY_HOUSE: Final = "all"


@dataclass(slots=True)
class Effect:
    """What is to be written, told to desktops, and published, because of one event."""

    store: TenantDocuments
    teller: Teller
    event: HeardEvent
    writes: list[Write] = field(default_factory=list)
    feeds: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    told: list[Untold] = field(default_factory=list)

    @property
    def tenant(self) -> TenantId:
        """Whose it is."""
        return self.store.tenant

    def tell(self, place: str | None, word: str, about: str) -> None:
        """Have the desktops of a hotel or a person told a word; where no hotel is named, of every one."""
        self.feeds.setdefault(place or EVERY_HOUSE, []).append((word, about))

    async def close(self, sessions: Iterable[Session]) -> None:
        """Close sessions that identity takes back, and have their desktops leave."""
        request = f"req_{self.teller.ids.ulid()}"
        for each in sessions:
            write, told = await closing(
                each, "revoked", self.tenant, request, self.teller, _cause(self.event.id)
            )
            self.writes.append(write)
            self.told += told
            self.tell(each.operator, FORCE_LOGOUT, each.id)


def _cause(event: str) -> str:
    return event


Hears = Callable[[Effect, Any], Awaitable[None]]


async def hear(event: HeardEvent, store: TenantDocuments, teller: Teller) -> frozenset[str]:
    """Let an event have its effect, once a day at most; return where desktops have something to hear."""

    async def once() -> Effect | None:
        if await store.get(Ref(HEARD, event.id)) is not None:
            return None
        effect = Effect(store, teller, event)
        await EFFECTS[event.subject](effect, event.told)
        await store.commit(
            [_remembered(event, teller), *effect.writes, *await _fed(effect), *kept(effect.told)]
        )
        return effect

    had = await retry_on_conflict(once)
    if had is None:
        return frozenset()
    await teller.tell(had.told)
    return frozenset(had.feeds)


def _remembered(event: HeardEvent, teller: Teller) -> Create:
    data = {"schema_version": 1, "subject": event.subject}
    return Create(Ref(HEARD, event.id), data, teller.clock.now() + REMEMBERED_FOR)


async def _fed(effect: Effect) -> list[Write]:
    now = effect.teller.clock.now()
    writes: list[Write] = []
    for place, words in effect.feeds.items():
        feed = await feed_of(place, effect.store)
        for word, about in words:
            feed = feed.told(word, about, now)
        writes.append(feed.write())
    return writes


async def _session_revoked(effect: Effect, told: Any) -> None:
    sessions = [] if told.user_id is None else await open_sessions(UserId(told.user_id), effect.store)
    if told.session_id is not None:
        named = await _session(told.session_id, effect.store)
        sessions = [] if named is None or named.closed_at is not None else [named]
    if told.user_id is not None and told.session_id is None:
        ends = await ending(UserId(told.user_id), effect.event.time, effect.store)
        effect.writes.append(ends)
    # A sign-in that came after what was revoked is another one.
    await effect.close(each for each in sessions if each.opened_at <= effect.event.time)


async def _session(name: str, store: TenantDocuments) -> Session | None:
    from shared.usecases.backoffice.sessions import SESSIONS, session_from

    found = await store.get(Ref(SESSIONS, name))
    return None if found is None else session_from(found)


async def _user_disabled(effect: Effect, told: Any) -> None:
    if told.user_id is not None:
        await effect.close(await open_sessions(UserId(told.user_id), effect.store))


async def _suggested(effect: Effect, told: Any) -> None:
    since = told.created_at or effect.event.time
    known = await waiting_of(SUGGESTIONS, told.suggestion_id, effect.store)
    if known is None:
        source = Source(**told.provenance.model_dump())
        waiting = _waiting(SUGGESTIONS, told.suggestion_id, told, since, source)
        effect.writes.append(waiting.write())
        effect.tell(told.property_id, "ai.new", waiting.id)


async def _suggestion_gone(effect: Effect, told: Any) -> None:
    await _gone(effect, SUGGESTIONS, told.suggestion_id, "ai.removed")


async def _alerted(effect: Effect, told: Any) -> None:
    since = told.raised_at or effect.event.time
    known = await waiting_of(ALERTS, told.alert_id, effect.store)
    if known is None:
        waiting = _waiting(ALERTS, told.alert_id, told, since)
        effect.writes.append(waiting.write())
        effect.tell(told.property_id, "alerts.new", waiting.id)


async def _alert_gone(effect: Effect, told: Any) -> None:
    await _gone(effect, ALERTS, told.alert_id, "alerts.removed")


def _waiting(kind: str, about: str, told: Any, since: Any, source: Source | None = None) -> Waiting:
    return Waiting(
        id=entry_id(kind, about, since),
        about=about,
        property_id=PropertyId(told.property_id),
        category=told.category,
        severity=told.severity,
        since=since,
        source=source,
        kind=kind,
    )


async def _gone(effect: Effect, kind: str, about: str, word: str) -> None:
    now = effect.teller.clock.now()
    known = await waiting_of(kind, about, effect.store)
    if known is None:
        unheard = Waiting(id=entry_id(kind, about, now), about=about, since=now, kind=kind)
        effect.writes.append(unheard.gone(now).write())
    elif known.gone_at is None:
        effect.writes.append(known.gone(now).write())
        effect.tell(known.property_id, word, known.id)


def _stale(*views: str) -> Hears:
    async def says(effect: Effect, told: Any) -> None:
        for view in views:
            effect.tell(told.property_id, STALE, view)

    return says


def _word_of_reception(says: Callable[[Presence, Effect, Any], Presence | None], *views: str) -> Hears:
    async def heard(effect: Effect, told: Any) -> None:
        before = await presence_of(ReservationId(told.reservation_id), effect.store)
        after = says(before, effect, told)
        if after is not None:
            effect.writes.append(after.write())
        await _stale("dashboard", *views, "in_house")(effect, told)

    return heard


def _came(before: Presence, effect: Effect, told: Any) -> Presence | None:
    house = None if told.property_id is None else PropertyId(told.property_id)
    return before.came(house, effect.event.time)


def _went(before: Presence, effect: Effect, _: Any) -> Presence | None:
    return before.went(effect.event.time)


def _task(board: str) -> Hears:
    async def keep(effect: Effect, told: Any) -> None:
        ref = Ref(TASKS, f"{board}.{told.task_id}")
        found = await effect.store.get(ref)
        at = effect.event.time.isoformat()
        before: Mapping[str, Any] = {} if found is None else found.data
        if before.get("at", "") <= at:
            news = {"room": told.room, "status": told.status, "property_id": told.property_id}
            said = {name: value for name, value in news.items() if value is not None}
            data = {**before, **said, "schema_version": 1, "at": at, "board": board}
            data["board_at"] = f"{board}@{data.get('property_id')}"
            goes = effect.event.time + TASKS_KEPT_FOR
            written = Create(ref, data, goes) if found is None else Update(ref, data, found.version, goes)
            effect.writes.append(written)
        effect.tell(told.property_id or before.get("property_id"), STALE, board)

    return keep


async def _role_updated(effect: Effect, told: Any) -> None:
    if told.user_id is None:
        return
    found = await effect.store.get(Ref(PREFERENCES, told.user_id))
    if found is not None:
        effect.writes.append(Delete(found.ref, found.version))
    effect.tell(told.user_id, STALE, "preferences")
    # A console knows the roles of its sign-in; a desktop shows them anew with each request.
    effect.writes.append(await ending(UserId(told.user_id), effect.event.time, effect.store))


HOUSEKEEPING, MAINTENANCE = "housekeeping_board", "maintenance_board"
EFFECTS: Final[Mapping[str, Hears]] = {
    f"{ROOT}iam.session.revoked.v1": _session_revoked,
    f"{ROOT}iam.user.disabled.v1": _user_disabled,
    f"{ROOT}ai.suggestion.created.v1": _suggested,
    f"{ROOT}ai.suggestion.invalidated.v1": _suggestion_gone,
    f"{ROOT}alert.raised.v1": _alerted,
    f"{ROOT}alert.resolved.v1": _alert_gone,
    f"{ROOT}theme.published.v1": _stale("shortcuts"),
    f"{ROOT}reservation.checked_in.v1": _word_of_reception(_came, "arrivals"),
    f"{ROOT}reservation.checked_out.v1": _word_of_reception(_went, "departures"),
    f"{ROOT}housekeeping.task.created.v1": _task(HOUSEKEEPING),
    f"{ROOT}housekeeping.task.transitioned.v1": _task(HOUSEKEEPING),
    f"{ROOT}maintenance.workorder.opened.v1": _task(MAINTENANCE),
    f"{ROOT}maintenance.workorder.transitioned.v1": _task(MAINTENANCE),
    f"{ROOT}tenant.operator_role.updated.v1": _role_updated,
}
"""What each of the fourteen does."""
