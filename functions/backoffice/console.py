"""The console in a browser: one screen a question, read anew with each page, and changed by a form alone.

| asked for                    | signed in      | answer                                                     |
|------------------------------|----------------|------------------------------------------------------------|
| `GET` of any screen          | no             | the page to sign in at                                     |
| `POST` sign-in, a token      |                | a cookie, and the first screen; or the same page, refused  |
| `GET` of a screen            | yes            | the screen, as far as the person's roles hold it           |
| `POST` of a change           | yes, lately    | it is done, and the screen says so                         |
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from http.cookies import CookieError, SimpleCookie
from typing import Final

from functions.backoffice.console_paper import Markup, Paper, form, hidden, whole
from functions.backoffice.console_screens import SCREENS
from functions.backoffice.screens.look import Look, Screen
from shared.domain.errors import InvalidInput
from shared.domain.permissions import Permission, Principal, Verdict
from shared.domain.sign_in import NO_ACCESS
from shared.kernel.identity import Forbidden, Unauthenticated
from shared.messages.locales import Locale, choose, spoken
from shared.queries.hotels import Unknown, houses
from shared.runtime.pages import READING, Page, Visit
from shared.runtime.people import people_of
from shared.runtime.platform import Platform, this_function
from shared.runtime.problems import NotNow, NotThere, SignInAgain
from shared.usecases.backoffice.console_codes import spend_code
from shared.usecases.backoffice.console_sessions import NAME_BYTES, SECRET_BYTES, SIGN_IN, Consoles
from shared.usecases.backoffice.console_views import asked_again, views_of
from shared.usecases.hotels.staff_access import StaffAccess

FIRST: Final = "arrivals"
FOLLOW: Final = "follow"
AGAIN_AFTER: Final = "5"
"""Seconds until a page that somebody follows is asked for anew; one that nobody asked to never is."""
_COOKIE, _LANGUAGE = "console", "console-language"
_SEE_OTHER: Final = 303
_REFUSED: Final = {
    Forbidden: (403, "forbidden"),
    NotThere: (404, "missing"),
    SignInAgain: (401, "again"),
    NotNow: (409, "not_now"),
}
_LONGEST_COOKIE: Final = 4096


async def visit(request: Visit, on: Platform) -> Page:
    """Answer one visit."""
    screen = request.incoming.path.strip("/")
    paper = Paper(_locale(request), request.nonce, _base())
    if screen == "language":
        return _moved(paper, FIRST, _cookie(request, _LANGUAGE, str(spoken(request.form.get("l")) or "en")))
    if screen == "sign-in":
        return await _sign_in(request, on, paper)
    try:
        look = await _look(request, on, paper)
    except Unauthenticated:
        return _door(paper, refused=False)
    if screen == "sign-out":
        await _sign_out(request, on)
        return _moved(paper, "", _cookie(request, _COOKIE, ""))
    return await _screen(screen or FIRST, look, request)


async def _screen(name: str, look: Look, request: Visit) -> Page:
    screen = SCREENS.get(name)
    try:
        if screen is None or (screen.sandbox and not look.on.sandbox):
            raise NotThere("no such screen")
        look.demand(screen.permission)
        said = "" if request.incoming.method in READING else await look.change(screen)
        inner = await screen.show(look)
        moves = screen.moves is not None and await screen.moves(look)
    except (Forbidden, NotThere, SignInAgain, NotNow) as refusal:
        status, word = _REFUSED[type(refusal)]
        return _page(_said(look.paper, word, name), status)
    except (InvalidInput, Unknown):
        return _page(_said(look.paper, "missing", name), 404)
    note = f'<p class="said" role="status">{look.paper.word(said)}</p>' if said else ""
    follows = moves and FOLLOW in look.query
    inner += _follow(look, name, follows=follows) if moves else ""
    page = _page(whole(look.paper, look.paper.word(name), note + inner, name))
    return replace(page, headers={**page.headers, "refresh": AGAIN_AFTER}) if follows else page


def _follow(look: Look, name: str, *, follows: bool) -> str:
    """Return the link by which a page begins to look again by itself, or stops."""
    if follows:
        return f"<p>{look.paper.link(name, Markup(look.paper.word('unfollow')))}</p>"
    return f"<p>{look.paper.link(name, Markup(look.paper.word('follow')), **{FOLLOW: '1'})}</p>"


def _said(paper: Paper, word: str, name: str) -> str:
    title = paper.word(name) if name in SCREENS else paper.word("title")
    return whole(paper, title, f'<p class="said" role="alert">{paper.word(word)}</p>', name)


async def _look(request: Visit, on: Platform, paper: Paper) -> Look:
    now = on.clock.now()
    tenant, session = await Consoles(on.documents).proven(_cookies(request).get(_COOKIE, ""), now)
    access = _access(on)
    if await access.is_stopped(tenant, session.user, anew=request.incoming.method not in READING):
        raise Unauthenticated(SIGN_IN)
    attributes = (await access.of(tenant) or NO_ACCESS).attributes()
    who = session.principal(tenant, attributes)
    store, query = on.documents.tenant(tenant), _query(request)
    mine = tuple(each for each in await houses(store) if who.works_at(each.id))
    wanted = query.get("property") or (mine[0].id if mine else "")
    house = next((each.id for each in mine if each.id == wanted), None)
    there = (name for name, each in SCREENS.items() if on.sandbox or not each.sandbox)
    seen = tuple(name for name in there if _may_see(who, SCREENS[name], now))
    views = (await views_of(session.user, store)).links(seen)
    shown = replace(paper, house=wanted, houses=mine, screens=seen, signed_in=True, views=views)
    return Look(on, who, store, house, replace(shown, asked=asked_again(query)), query, request.form, now)


def _may_see(who: Principal, screen: Screen, now: datetime) -> bool:
    return who.verdict(screen.permission, now) is not Verdict.FORBIDDEN


def _access(on: Platform) -> StaffAccess:
    if "backoffice.access" not in on.kept:
        on.kept["backoffice.access"] = StaffAccess(on.hotels, on.clock.now)
    access: StaffAccess = on.kept["backoffice.access"]
    return access


async def _sign_in(request: Visit, on: Platform, paper: Paper) -> Page:
    if request.incoming.method in READING:
        return _door(paper, refused=False, code=_query(request).get("code", ""))
    try:
        who = await _proven(request.form, on)
        if who.verdict(Permission.BACKOFFICE_READ, on.clock.now()) is not Verdict.ALLOWED:
            raise Unauthenticated("none of the roles holds the console")
        token = on.entropy.token(NAME_BYTES + SECRET_BYTES)
        cookie = await Consoles(on.documents).open(who, token, on.clock.now())
    except Unauthenticated as refusal:
        on.log.seldom("person not proven at the console", str(refusal))
        return _door(paper, refused=True)
    return _moved(paper, FIRST, _cookie(request, _COOKIE, cookie))


async def _proven(form_: Mapping[str, str], on: Platform) -> Principal:
    """Return who signs in: by a code that is spent now, or by a token of their own."""
    code = form_.get("code")
    if code is None:
        return await people_of(on).principal(f"Bearer {form_.get('token', '').strip()}")
    tenant, whose = await spend_code(code, on.documents, on.clock.now())
    attributes = (await _access(on).of(tenant) or NO_ACCESS).attributes()
    return whose.principal(tenant, attributes)


async def _sign_out(request: Visit, on: Platform) -> None:
    tenant, session = await Consoles(on.documents).proven(_cookies(request).get(_COOKIE, ""), on.clock.now())
    await Consoles(on.documents).close(tenant, session)


def _door(paper: Paper, *, refused: bool, code: str = "") -> Page:
    """Return the page to sign in at; whoever brings a code needs to press a button, and nothing else."""
    said = f'<p class="said" role="alert">{paper.word("not_let_in")}</p>' if refused else ""
    field = (
        f'<label for="token">{paper.word("token")}</label>'
        '<textarea id="token" name="token" dir="ltr" autocomplete="off" required></textarea>'
    )
    inner = said + form(paper, "sign-in", hidden(code=code) if code else field, "sign_in")
    return _page(whole(paper, paper.word("sign_in"), inner), 401 if refused else 200)


def _page(html: str, status: int = 200) -> Page:
    return Page(html, status, {"x-robots-tag": "noindex, nofollow"})


def _moved(paper: Paper, screen: str, cookie: str) -> Page:
    return Page("", _SEE_OTHER, {"location": f"{paper.base}/{screen}", "set-cookie": cookie})


def _base() -> str:
    """Return where the pages lie, as a path of this host."""
    return f"/{this_function().audience.rpartition('/')[2]}"


def _locale(request: Visit) -> Locale:
    accepted = request.incoming.headers.get("accept-language", "").split(",")
    return choose([_cookies(request).get(_LANGUAGE), *(each.partition(";")[0] for each in accepted[:10])])


def _query(request: Visit) -> Mapping[str, str]:
    from urllib.parse import parse_qsl

    return dict(parse_qsl(request.incoming.query_string[:2048]))


def _secure(request: Visit) -> bool:
    host = request.incoming.headers.get("host", "").rpartition(":")[0]
    return host not in ("127.0.0.1", "localhost")


def _cookies(request: Visit) -> Mapping[str, str]:
    try:
        found = SimpleCookie(request.incoming.headers.get("cookie", "")[:_LONGEST_COOKIE])
    except CookieError:
        return {}
    prefix = "__Host-" if _secure(request) else ""
    return {name.removeprefix(prefix): each.value for name, each in found.items() if name.startswith(prefix)}


def _cookie(request: Visit, name: str, value: str) -> str:
    secure = _secure(request)
    ends = "; Max-Age=0" if not value else ""
    prefix, suffix = ("__Host-", "; Secure") if secure else ("", "")
    return f"{prefix}{name}={value}; Path=/; HttpOnly; SameSite=Strict{suffix}{ends}"
