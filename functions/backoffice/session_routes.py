"""Signing in and out at a desktop, and how an operator likes it."""

from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints

from functions.backoffice.desk import Desk, at_desk, operator_of
from functions.backoffice.services import frontdoor_of
from shared.domain.ids import DesktopDeviceId, PropertyId
from shared.domain.permissions import Permission
from shared.events.backoffice.vocabulary import AppVersion, Locale
from shared.events.backoffice.vocabulary import Platform as AppPlatform
from shared.events.wire import DesktopId, Flag, Published
from shared.events.wire import PropertyId as PropertyName
from shared.ports.documents import Create, Ref, Update
from shared.queries.hotels import properties
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.backoffice.console_codes import CODE_BYTES, GOOD_FOR, make_code
from shared.usecases.backoffice.hear import PREFERENCES
from shared.usecases.backoffice.sessions import Session
from shared.usecases.backoffice.sign_in import SignIn, close, sign_in

ROOT: Final = "/bff/v1"
P: Final = Permission.BACKOFFICE_READ


class SigningIn(Published):
    """At which machine an operator signs in, and where they will work."""

    device_id: DesktopId
    fingerprint: Annotated[str, StringConstraints(min_length=16, max_length=256)] = Field(repr=False)
    app_version: AppVersion
    app_platform: AppPlatform
    locale: Locale
    primary_property_id: PropertyName


class SignedIn(Published):
    """A session; its secret is shown here once, and is kept by the machine alone."""

    session_id: str
    secret: str = Field(repr=False)
    primary_property_id: str
    roles: tuple[str, ...]
    idle_after: datetime
    ends_at: datetime


class ConsoleCodeMade(Published):
    """A code that opens the console in a browser, once: it is shown here, and nowhere again."""

    code: str = Field(repr=False)
    path: str = Field(repr=False)
    ends_at: datetime


class Closed(Published):
    """That a session is over."""

    session_id: str
    reason: str


class Preferences(Published):
    """How an operator likes the backoffice."""

    start_view: Literal["dashboard", "arrivals", "in_house", "housekeeping_board"] = "dashboard"
    locale: Locale = "en"
    shortcuts: Flag = True
    sound: Flag = False


async def open_session(asked: Asked, on: Platform) -> SignedIn:
    """Open a session, in place of the one that its operator had at this machine."""
    wish: SigningIn = asked.body
    house = PropertyId(wish.primary_property_id)
    asked.at(house)
    door = frontdoor_of(on)
    store = on.documents.tenant(asked.principal.tenant)
    scope = asked.principal.properties or frozenset(map(PropertyId, await properties(store)))
    if house not in scope:
        raise NotThere("no such property")
    session, secret = await sign_in(
        SignIn(
            tenant=asked.principal.tenant,
            operator=operator_of(asked),
            roles=tuple(sorted(asked.principal.roles)),
            properties=(house, *sorted(scope - {house})),
            primary=house,
            device=DesktopDeviceId(wish.device_id),
            fingerprint=wish.fingerprint,
            address=asked.address,
            locale=wish.locale,
            app_version=wish.app_version,
            app_platform=wish.app_platform,
            request=asked.request_id,
            trace=asked.trace,
        ),
        door,
    )
    return _signed_in(session, secret)


def _signed_in(session: Session, secret: str) -> SignedIn:
    from shared.usecases.backoffice.sessions import IDLE, LONGEST

    return SignedIn(
        session_id=session.id,
        secret=secret,
        primary_property_id=session.primary,
        roles=tuple(session.roles),
        idle_after=session.seen_at + IDLE,
        ends_at=session.opened_at + LONGEST,
    )


async def make_console_code(asked: Asked, on: Platform) -> ConsoleCodeMade:
    """Make a code that lets the person who asks into the console, as what they are at this instant."""
    operator_of(asked)
    asked.where()
    code = await make_code(asked.principal, on.entropy.token(CODE_BYTES), on.documents, asked.now)
    path = f"backoffice-console/sign-in?code={code}"
    return ConsoleCodeMade(code=code, path=path, ends_at=asked.now + GOOD_FOR)


@at_desk("auth", "session.sign_out")
async def _sign_out(desk: Desk) -> Closed:
    """Close the session that asks, and no other."""
    desk.at(desk.session.primary)
    if desk.asked.ids["sessionId"] != desk.session.id:
        raise NotThere("not this session")
    tenant, request = desk.asked.principal.tenant, desk.asked.request_id
    await close(desk.session, "sign_out", tenant, request, desk.teller)
    return Closed(session_id=desk.session.id, reason="sign_out")


@at_desk("view", "preferences.read")
async def _preferences(desk: Desk) -> Preferences:
    """Show how an operator likes it; what they never said is as it is for all."""
    found = await desk.store.get(Ref(PREFERENCES, desk.session.operator))
    return Preferences() if found is None else Preferences.model_validate(found.data["liked"])


@at_desk("preferences_changed", "preferences.change", mutation=True)
async def _prefer(desk: Desk) -> Preferences:
    """Keep how an operator likes it; the last word counts."""
    liked: Preferences = desk.asked.body
    ref = Ref(PREFERENCES, desk.session.operator)
    data = {"schema_version": 1, "liked": liked.model_dump(mode="json", by_alias=True)}
    found = await desk.store.get(ref)
    write = Create(ref, data) if found is None else Update(ref, data, found.version)
    await desk.store.commit([write])
    return liked


ROUTES: Final = (
    Route(
        method="POST",
        path=f"{ROOT}/sessions",
        summary="Sign in at a desktop",
        use_case=open_session,
        request=SigningIn,
        answer=SignedIn,
        permission=P,
        status=201,
        remembered=False,
    ),
    Route(
        method="DELETE",
        path=f"{ROOT}/sessions/{{sessionId}}",
        summary="Sign out",
        use_case=_sign_out,
        answer=Closed,
        permission=P,
    ),
    Route(
        method="POST",
        path=f"{ROOT}/console-codes",
        summary="Open the console in a browser",
        use_case=make_console_code,
        answer=ConsoleCodeMade,
        permission=P,
        status=201,
        remembered=False,
    ),
    Route(
        method="GET",
        path=f"{ROOT}/preferences",
        summary="How I like the backoffice",
        use_case=_preferences,
        answer=Preferences,
    ),
    Route(
        method="PUT",
        path=f"{ROOT}/preferences",
        summary="Change how I like the backoffice",
        use_case=_prefer,
        request=Preferences,
        answer=Preferences,
    ),
)
