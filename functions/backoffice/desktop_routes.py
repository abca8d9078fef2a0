"""Desktops that synchronise: their handshake, their heartbeat, how far each has caught up (C §11 to §13)."""

from datetime import datetime, timedelta
from typing import Annotated, Final, Literal

from pydantic import Field

from functions.backoffice.desk import PROOF, Desk, at_desk, desk_of
from functions.backoffice.session_routes import ROOT, P
from shared.domain.ids import PropertyId
from shared.events.backoffice.boundary import their_property
from shared.events.backoffice.devices import OutboxHint
from shared.events.backoffice.vocabulary import AppVersion, Capability, Cursor, Load
from shared.events.backoffice.vocabulary import Platform as AppPlatform
from shared.events.wire import Count, Flag, Maybe, Published
from shared.keywork.services import retry_on_conflict
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.routes import Route, asking
from shared.usecases.backoffice.sessions import session_from
from shared.usecases.backoffice.sign_in import close, doing_of

SPOKEN: Final = frozenset({"bulk-pull-v1", "push-batched-v1", "resumable-v1"})
"""What we understand of what a desktop may do."""
REAUTHENTICATE_WITHIN: Final = timedelta(minutes=10)
"""A session that ends so soon is not begun to synchronise with."""


class Handshake(Published):
    """A desktop asks to synchronise."""

    app_version: AppVersion
    app_platform: AppPlatform
    capabilities: Annotated[tuple[Capability, ...], Field(max_length=40)] = ()
    cursor: Maybe[Cursor] = None


class Shaken(Published):
    """Whether a desktop may synchronise, from where, and by what both understand."""

    outcome: Literal["ok", "reauth_required", "version_blocked"]
    oldest_version: str
    capabilities: tuple[str, ...]
    cursor_accepted: str | None = None
    at: datetime


class Heartbeat(Published):
    """A desktop is alive, and how it fares."""

    app_version: AppVersion
    app_platform: AppPlatform
    network_profile: Literal["good", "flaky", "offline-recently"]
    memory_rss_mb: Count
    cpu_pct_one_min: Load
    outbox_hints: Annotated[tuple[OutboxHint, ...], Field(max_length=40)] = ()
    last_sync_cursor_present: Flag


class Advance(Published):
    """How far a desktop has caught up."""

    advance_kind: Literal["pull", "push", "both"]
    cursor_before: Maybe[Cursor] = None
    cursor_after: Cursor


class Noted(Published):
    """That it was heard."""

    at: datetime
    session_ends_at: datetime


def _outcome(desk: Desk, said: Handshake) -> Literal["ok", "reauth_required", "version_blocked"]:
    if desk.door.is_too_old(said.app_version):
        return "version_blocked"
    soon = desk.session.ends_at - desk.on.clock.now() < REAUTHENTICATE_WITHIN
    return "reauth_required" if soon else "ok"


@at_desk("sync_handshake", "sync.handshake")
async def _shake(desk: Desk) -> Shaken:
    """Let a desktop synchronise, or say why not; one that is too old has no session any more."""
    said: Handshake = desk.asked.body
    desk.at(desk.session.primary)
    outcome = _outcome(desk, said)
    accepted = said.cursor if outcome == "ok" else None
    now = desk.on.clock.now()
    await desk.tell(
        "sync.handshake_completed",
        tenant_id=desk.store.tenant,
        device_id=desk.session.device,
        operator_id=desk.doing().operator_id,
        app_version=said.app_version,
        capabilities=said.capabilities,
        outcome=outcome,
        latency_ms=desk.since(),
        occurred_at=now,
        cursor_accepted=accepted,
    )
    if outcome == "version_blocked":
        await close(desk.session, "version_upgrade", desk.store.tenant, desk.asked.request_id, desk.teller)
    return Shaken(
        outcome=outcome,
        oldest_version=desk.door.oldest_version,
        capabilities=tuple(each for each in said.capabilities if each in SPOKEN),
        cursor_accepted=accepted,
        at=now,
    )


@asking(PROOF)
async def hear_heartbeat(asked: Asked, on: Platform) -> Noted:
    """Hear that a desktop is alive: nothing is kept, and one in twenty is told."""
    desk, said = await desk_of(asked, on), asked.body
    house = desk.at(PropertyId(desk.session.primary))
    now = on.clock.now()
    await desk.tell(
        "device.heartbeat",
        tenant_id=desk.store.tenant,
        property_id=their_property(house),
        device_id=desk.session.device,
        operator_id=desk.doing().operator_id,
        occurred_at=now,
        **{name: getattr(said, name) for name in Heartbeat.model_fields},
    )
    return Noted(at=now, session_ends_at=desk.session.ends_at)


@asking(PROOF)
async def advance_cursor(asked: Asked, on: Platform) -> Noted:
    """Note how far a desktop has caught up, and tell how long it took since the last time."""
    desk, said = await desk_of(asked, on), asked.body
    desk.at(desk.session.primary)
    now = on.clock.now()

    async def save() -> datetime:
        found = await desk.store.get(desk.session.ref)
        kept = desk.session if found is None else session_from(found)
        moved = kept.used(now, cursor=said.cursor_after, cursor_at=now)
        await desk.store.note([moved.write()])
        return kept.cursor_at or kept.opened_at

    last = await retry_on_conflict(save)
    doing = doing_of(desk.session, desk.store.tenant, asked.request_id, now, trace=asked.trace)
    told = await desk.teller.drawn(
        "sync.cursor_advanced",
        doing,
        tenant_id=desk.store.tenant,
        device_id=desk.session.device,
        operator_id=doing.operator_id,
        advance_kind=said.advance_kind,
        cursor_before=said.cursor_before,
        cursor_after=said.cursor_after,
        advanced_at=now,
        ms_since_last_advance=max(now - last, timedelta(0)) // timedelta(milliseconds=1),
    )
    await desk.teller.tell(told)
    return Noted(at=now, session_ends_at=desk.session.ends_at)


ROUTES: Final = (
    Route(
        method="POST",
        path=f"{ROOT}/sync/handshake",
        summary="Begin to synchronise",
        use_case=_shake,
        request=Handshake,
        answer=Shaken,
        permission=P,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/sync/cursor",
        summary="Caught up this far",
        use_case=advance_cursor,
        request=Advance,
        answer=Noted,
        permission=P,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/heartbeat",
        summary="I am alive",
        use_case=hear_heartbeat,
        request=Heartbeat,
        answer=Noted,
        permission=P,
    ),
)
