"""Signing in and out: each session is saved in one commit with what is told of it."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import DesktopDeviceId, PropertyId, SessionId, TenantId, UserId
from shared.domain.permissions import Role
from shared.events.backoffice.boundary import their_property
from shared.events.backoffice.hashes import Hashed, peppered
from shared.keywork.services import retry_on_conflict
from shared.ports.documents import Ref, TenantDocuments, Write
from shared.usecases.backoffice.sessions import (
    SECRET_BYTES,
    SESSIONS,
    Session,
    new_secret,
    open_sessions,
    session_from,
)
from shared.usecases.telemetry.peppers import Peppers
from shared.usecases.telemetry.tell import Doing, Teller, their_operator
from shared.usecases.telemetry.untold import Untold, kept

MOST_PROPERTIES: Final = 200
FIRST_PARTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """Who signs in, at which machine, as what. Address and fingerprint leave here as hashes only."""

    tenant: TenantId
    operator: UserId
    roles: tuple[Role, ...]
    properties: tuple[PropertyId, ...]
    primary: PropertyId
    device: DesktopDeviceId
    fingerprint: str
    address: str
    locale: str
    app_version: str
    app_platform: str
    request: str
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Frontdoor:
    """What signing in works with."""

    teller: Teller
    peppers: Peppers
    oldest_version: str = "1.0.0"
    """Programs below are let in no more (C §13)."""

    @property
    def now(self) -> datetime:
        """The present instant."""
        return self.teller.clock.now()

    def store(self, tenant: TenantId) -> TenantDocuments:
        """Return a tenant's documents."""
        return self.teller.documents.tenant(tenant)

    def is_too_old(self, version: str) -> bool:
        """Say whether a program of this version is let in no more."""
        return as_numbers(version) < as_numbers(self.oldest_version)


def as_numbers(version: str) -> tuple[int, ...]:
    """Return a version to compare: its numbers, without what comes after a hyphen."""
    parts = [int(each) for each in version.partition("-")[0].split(".") if each.isdecimal()]
    return (*parts, *(0,) * (FIRST_PARTS - len(parts)))


async def sign_in(wish: SignIn, door: Frontdoor) -> tuple[Session, str]:
    """Open a session at a machine, in the place of what its operator had open there; return its secret."""
    if wish.primary not in wish.properties:
        raise InvalidInput("primaryPropertyId", "not among those worked at", "Name a property of the scope")
    pepper = await door.peppers.newest(wish.tenant)
    fingerprint = peppered(Hashed.FINGERPRINT, wish.tenant, wish.fingerprint, pepper)
    secret, digest = new_secret(door.teller.entropy.token(SECRET_BYTES))
    session = _session(wish, fingerprint, digest, door)
    told = await door.teller.drawn(
        "session.opened",
        doing_of(session, wish.tenant, wish.request, session.opened_at, trace=wish.trace),
        pepper=pepper.id,
        **_opened(session, wish),
        ip_hash=peppered(Hashed.ADDRESS, wish.tenant, wish.address, pepper),
    )

    async def save() -> list[Untold]:
        closed, more = await _closing_others(session, wish, door)
        await door.store(wish.tenant).commit([session.write(), *closed, *kept([*told, *more])])
        return [*more, *told]

    await door.teller.tell(await retry_on_conflict(save))
    return session, f"{session.id}.{secret}"


def _session(wish: SignIn, fingerprint: str, digest: str, door: Frontdoor) -> Session:
    now = door.now
    return Session(
        id=SessionId.mint(door.teller.ids.ulid()),
        operator=wish.operator,
        device=wish.device,
        roles=wish.roles,
        properties=wish.properties[:MOST_PROPERTIES],
        primary=wish.primary,
        locale=wish.locale,
        app_version=wish.app_version,
        app_platform=wish.app_platform,
        fingerprint=fingerprint,
        secret=digest,
        opened_at=now,
        seen_at=now,
    )


def _opened(session: Session, wish: SignIn) -> dict[str, Any]:
    return {
        "operator_id": their_operator(session.operator),
        "device_id": session.device,
        "session_id": session.id,
        "tenant_id": wish.tenant,
        "property_scope": [their_property(each) for each in session.properties],
        "primary_property_id": their_property(session.primary),
        "roles": list(session.roles),
        "locale": session.locale,
        "app_version": session.app_version,
        "app_platform": session.app_platform,
        "fingerprint_hash": session.fingerprint,
        "opened_at": session.opened_at,
    }


async def _closing_others(
    session: Session, wish: SignIn, door: Frontdoor
) -> tuple[list[Write], list[Untold]]:
    others = [each for each in await open_sessions(wish.operator, door.store(wish.tenant)) if each != session]
    here = [each for each in others if each.device == session.device]
    writes: list[Write] = []
    told: list[Untold] = []
    for each in here:
        same = each.fingerprint == session.fingerprint
        reason = "sign_out" if same else "device_replaced"
        write, untold = await closing(each, reason, wish.tenant, wish.request, door.teller)
        writes.append(write)
        told += untold
    return writes, told


async def closing(
    session: Session, reason: str, tenant: TenantId, request: str, teller: Teller, cause: str | None = None
) -> tuple[Write, list[Untold]]:
    """Return what closes a session, and what is told of it, to be committed together."""
    ended = session.ended(reason, teller.clock.now())
    at = ended.closed_at or teller.clock.now()
    told = await teller.drawn(
        "session.closed",
        doing_of(session, tenant, request, at, cause=cause),
        session_id=session.id,
        operator_id=their_operator(session.operator),
        device_id=session.device,
        opened_at=session.opened_at,
        closed_at=at,
        reason=reason,
        activity_count=session.done.activity,
        lock_proxy_count=session.done.lock_proxies,
        mutation_proxy_count=session.done.mutations,
    )
    return ended.write(), told


async def close(session: Session, reason: str, tenant: TenantId, request: str, teller: Teller) -> bool:
    """Close a session, once; return whether it was open."""
    store = teller.documents.tenant(tenant)

    async def save() -> list[Untold]:
        found = await store.get(Ref(SESSIONS, session.id))
        now_kept = None if found is None else session_from(found)
        if now_kept is None or now_kept.closed_at is not None:
            return []
        write, told = await closing(now_kept, reason, tenant, request, teller)
        await store.commit([write, *kept(told)])
        return told

    told = await retry_on_conflict(save)
    await teller.tell(told)
    return bool(told)


async def count(session: Session, tenant: TenantId, teller: Teller, **how: bool) -> Session:
    """Note that something was done in a session, however many do so at once."""
    store = teller.documents.tenant(tenant)

    async def save() -> Session:
        found = await store.get(session.ref)
        current = session if found is None else session_from(found)
        if current.closed_at is not None:
            return current
        used = current.used(teller.clock.now(), done=current.done.plus(**how))
        (version,) = await store.note([used.write()])
        return replace(used, version=version)

    return await retry_on_conflict(save)


def doing_of(session: Session, tenant: TenantId, request: str, at: datetime, **more: Any) -> Doing:
    """Return whose doing something is, by the session that it was done in; `more` is what else is known."""
    return Doing(
        tenant=tenant,
        operator=session.operator,
        device=session.device,
        app_version=session.app_version,
        app_platform=session.app_platform,
        request=request,
        occurred_at=at,
        session=session.id,
        **more,
    )
