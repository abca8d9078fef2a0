"""The entry of browsers: pages made here, which load nothing from elsewhere and are kept nowhere."""

import base64
import html
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from shared.domain.errors import InvalidInput
from shared.kernel.identity import Forbidden
from shared.runtime.access import admit
from shared.runtime.entry import Entry, Manner, entry_of
from shared.runtime.incoming import WEBHOOK_BYTES, Incoming, allow, incoming
from shared.runtime.platform import Deployed, Platform
from shared.runtime.problems import TOLD_AS, Problem, headers_of, problem_of

FORM: Final = "application/x-www-form-urlencoded"
NONCE_BYTES: Final = 16
MOST_FIELDS: Final = 64
READING: Final = ("GET", "HEAD")
# With `no-referrer` a browser says `Origin: null` of its own forms, and we would refuse them (Fetch §3.2).
HEADERS: Final[Mapping[str, str]] = {
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_POLICY: Final = (
    "default-src 'none'; style-src 'nonce-{nonce}'; script-src 'nonce-{nonce}'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class Visit:
    """What a browser asks for. A form is read from the body, never from the address."""

    incoming: Incoming
    nonce: str
    """Goes into each `style` and `script` of the page; no other runs."""
    form: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Page:
    """What a browser gets."""

    html: str = field(repr=False)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    file: "Download | None" = None
    """What it gets to keep instead of a page."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file for a browser's machine, or for a program that looks at this host."""

    media_type: str
    body: bytes = field(repr=False)
    name: str | None = None
    """Under which it is kept; None of what is only read."""


Render = Callable[[Visit, Platform], Awaitable[Page]]
TellPage = Callable[[Problem], str]


def plain_problem(problem: Problem) -> str:
    """Return a problem as the plainest page there is."""
    title, meaning, remedy = map(html.escape, (problem.title, problem.meaning, problem.remedy))
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    return f"{head}<h1>{title}</h1><p>{meaning}</p><p>{remedy}</p></html>"


def page(
    methods: tuple[str, ...] = (*READING, "POST"), tell: TellPage = plain_problem
) -> Callable[[Render], Entry]:
    """Make an entry point of a handler that renders pages; whoever visits is proven by the handler."""

    def told(error: Exception, _request: Request, _function: Deployed | None) -> Response:
        row = problem_of(error)
        return _response(Page(tell(row), row.status, headers_of(error, row)), nonce="")

    def decorate(render: Render) -> Entry:
        async def show(request: Request, _function: Deployed, on: Platform) -> Response:
            allow(request, methods)
            if request.method not in READING:
                _check_own_page(request)
            visit = _visit(await incoming(request, WEBHOOK_BYTES), on)
            return _response(await render(visit, on), visit.nonce)

        return entry_of(render, show, Manner(admit, told, tuple(TOLD_AS)))

    return decorate


def _visit(came: Incoming, on: Platform) -> Visit:
    nonce = base64.b64encode(on.entropy.token(NONCE_BYTES)).decode()
    if came.method in READING:
        return Visit(came, nonce)
    if came.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise InvalidInput("body", "not a form", "Send it as the page does")
    try:
        fields = parse_qsl(came.body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise InvalidInput("body", "not a form", "Send it as the page does") from None
    return Visit(came, nonce, dict(fields))


def _check_own_page(request: Request) -> None:
    """Refuse a change that no page of ours asked for: every browser says where a form comes from."""
    site, origin = (request.headers.get(name) for name in ("sec-fetch-site", "origin"))
    own = origin is not None and urlsplit(origin).netloc == request.headers.get("host")
    if site not in (None, "same-origin") or not own:
        raise Forbidden("sent from another page than ours")


def _response(shown: Page, nonce: str) -> Response:
    policy = _POLICY.format(nonce=nonce) if nonce else "default-src 'none'; frame-ancestors 'none'"
    headers = {**HEADERS, "content-security-policy": policy, **shown.headers}
    if shown.file is None:
        return Response(shown.html, shown.status, headers, media_type="text/html; charset=utf-8")
    if shown.file.name is not None:
        headers["content-disposition"] = f'attachment; filename="{shown.file.name}"'
    return Response(shown.file.body, shown.status, headers, media_type=shown.file.media_type)
