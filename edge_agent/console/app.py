"""The console's pages: arrivals first, and one press from a room to its card.

Only this machine is served, and only by its own names: another host's page that resolves here is refused, and
so is a form that no page of ours showed. Nothing is loaded from elsewhere, nothing is kept by the browser.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qsl
from zoneinfo import ZoneInfo

from jinja2 import Environment, PackageLoader, select_autoescape
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from edge_agent.console.desk_port import ClerkProblem, DeskPort
from edge_agent.console.sessions import Session, Sessions, proves
from edge_agent.console.words import LANGUAGES, NAMES, direction, language_of, words
from shared.ports.ambient import Clock, Entropy

COOKIE, LANGUAGE = "keyfleet_desk", "keyfleet_language"
MOST_BYTES: Final = 4096
POLICY: Final = (
    "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# With `no-referrer` a browser says `Origin: null` of this page's own forms, and they would be refused.
HEADERS: Final = {
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}
Form = Mapping[str, str]
Act = Callable[[DeskPort, str, Form], Awaitable[dict[str, Any]]]


async def _issue(desk: DeskPort, user: str, form: Form) -> dict[str, Any]:
    return {"said": await desk.issue(user, form["reservation"], form["once"])}


async def _replace(desk: DeskPort, user: str, form: Form) -> dict[str, Any]:
    return {"said": await desk.replace_lost(user, form["reservation"], form["once"])}


async def _revoke(desk: DeskPort, user: str, form: Form) -> dict[str, Any]:
    return {"said": await desk.revoke(user, form["reservation"])}


async def _copy(desk: DeskPort, user: str, form: Form) -> dict[str, Any]:
    return {"said": await desk.order(user, "copy", form["reservation"])}


async def _once(desk: DeskPort, user: str, form: Form) -> dict[str, Any]:
    return {"said": await desk.order(user, "once", form["reservation"])}


async def _extend(desk: DeskPort, user: str, form: Form) -> dict[str, Any]:
    return {"said": await desk.order(user, "extend", form["reservation"], form.get("day", ""))}


async def _give_up(desk: DeskPort, user: str, form: Form) -> dict[str, Any]:
    return {"said": await desk.give_up(user, form["job"])}


async def _read(desk: DeskPort, _: str, __: Form) -> dict[str, Any]:
    return {"card": await desk.read_card()}


ACTS: Final[Mapping[str, Act]] = {
    "/issue": _issue,
    "/replace": _replace,
    "/revoke": _revoke,
    "/copy": _copy,
    "/once": _once,
    "/extend": _extend,
    "/give-up": _give_up,
    "/read": _read,
}


class Console:
    """The pages of one desk."""

    def __init__(self, desk: DeskPort, port: int, clock: Clock, entropy: Entropy, zone: str) -> None:
        self._desk, self._zone = desk, ZoneInfo(zone)
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._sessions = Sessions(clock, entropy)

    def app(self) -> Starlette:
        """Return the application."""
        acts = [Route(path, self._act, methods=["POST"]) for path in ACTS]
        return Starlette(
            routes=[
                Route("/", self._home),
                Route("/status", self._status),
                Route("/sign-in", self._sign_in, methods=["POST"]),
                Route("/sign-out", self._sign_out, methods=["POST"]),
                *acts,
            ]
        )

    async def _home(self, request: Request) -> Response:
        if not self._ours(request):
            return _refused()
        chosen = request.query_params.get("lang")
        if chosen in LANGUAGES:
            response: Response = RedirectResponse("/", 303, HEADERS)
            response.set_cookie(LANGUAGE, chosen, httponly=True, samesite="strict")
            return response
        session = self._session(request)
        return await (self._shown(request, session) if session else self._asked_who(request))

    async def _status(self, request: Request) -> Response:
        """Tell other commands of this machine how the desk stands; no stay is in it."""
        if not self._ours(request):
            return _refused()
        told = await self._desk.overview()
        named = (
            "property",
            "desk",
            "online",
            "problem",
            "clock_untrue",
            "encoders",
            "systems",
            "unsent",
            "witness",
        )
        counts = {"jobs": len(told["jobs"]), "arrivals": len(told["arrivals"])}
        facts = {**{name: told[name] for name in (*named, "arrivals_good")}, **counts}
        return JSONResponse(facts, headers=HEADERS)

    async def _sign_in(self, request: Request) -> Response:
        form = await self._form(request)
        if form is None:
            return _refused()
        user = form.get("user", "")
        held = await self._desk.sign_in(user, form.get("pin", "")) if self._sessions.may_try() else None
        if held is None:
            return await self._asked_who(request, "wrong_pin")
        self._sessions.proved()
        response = RedirectResponse("/", 303, HEADERS)
        response.set_cookie(COOKIE, self._sessions.begin(user), httponly=True, samesite="strict")
        return response

    async def _sign_out(self, request: Request) -> Response:
        if await self._form(request) is None:
            return _refused()
        self._sessions.end(request.cookies.get(COOKIE, ""))
        return RedirectResponse("/", 303, HEADERS)

    async def _act(self, request: Request) -> Response:
        form, session = await self._form(request), self._session(request)
        if form is None or (session and not proves(session, form.get("proof", ""))):
            return _refused()
        if session is None:
            return await self._asked_who(request)
        try:
            told = await ACTS[request.url.path](self._desk, session.user, form)
        except ClerkProblem as problem:
            told = {"problem": problem.code}
        return await self._shown(request, session, told)

    async def _shown(self, request: Request, session: Session, told: Form | None = None) -> Response:
        it = await self._desk.overview()
        facts = {"it": it, "proof": session.proof, "once": self._sessions.drawn(), **(told or {})}
        return self._page("desk.html", request, {"title": it["property"], **facts})

    async def _asked_who(self, request: Request, problem: str = "") -> Response:
        it = await self._desk.overview()
        facts = {"title": it["property"], "property": it["property"], "problem": problem}
        return self._page("sign_in.html", request, facts)

    def _page(self, name: str, request: Request, facts: Mapping[str, Any]) -> Response:
        language, nonce = self._language(request), self._sessions.drawn()
        pages = _pages()
        pages.filters["moment"] = self._moment
        text = pages.get_template(name).render(
            w=words(language),
            language=language,
            direction=direction(language),
            languages=NAMES,
            nonce=nonce,
            **facts,
        )
        headers = {**HEADERS, "content-security-policy": POLICY.format(nonce=nonce)}
        return Response(text, headers=headers, media_type="text/html; charset=utf-8")

    def _moment(self, at: datetime) -> str:
        """Return a moment by the clock on the hotel's wall."""
        return at.astimezone(self._zone).strftime("%Y-%m-%d %H:%M")

    def _language(self, request: Request) -> str:
        chosen = request.cookies.get(LANGUAGE)
        return chosen if chosen in LANGUAGES else language_of(request.headers.get("accept-language", ""))

    def _session(self, request: Request) -> Session | None:
        return self._sessions.find(request.cookies.get(COOKIE, ""))

    def _ours(self, request: Request) -> bool:
        return request.headers.get("host") in self._hosts

    async def _form(self, request: Request) -> Form | None:
        """Return a form that a page of ours sent, or None."""
        origin = request.headers.get("origin", "").removeprefix("http://")
        if not self._ours(request) or origin not in self._hosts:
            return None
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return None
        try:
            return dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=10))
        except ValueError:
            return None


@cache
def _pages() -> Environment:
    loader = PackageLoader("edge_agent.console")
    return Environment(loader=loader, autoescape=select_autoescape(default=True))


def _refused() -> Response:
    return Response("not asked by a page of this desk", 403, HEADERS, media_type="text/plain")
