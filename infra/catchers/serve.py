"""The catchers as one process on loopback; above their port mail comes in, comes back, and SMPP is spoken.

The outbox is at `/`, for a browser that came by `/open?TOKEN` once, which keeps it in a cookie. Programs send
the token as a bearer to `/outbox`. The routes of providers have their providers' own proof.
"""

import asyncio
import hmac
import sys
from collections import deque
from pathlib import Path
from typing import Final

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from infra.catchers.mail_server import serve_mail, serve_returned
from infra.catchers.outbox import Outbox
from infra.catchers.outbox_page import POLICY, outbox_page
from infra.catchers.providers import Providers
from infra.catchers.sms_centre import Centre, serve_centre
from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.keyfile import read_or_create
from shared.vendor_kit.http import Call, CallFault, HttpClient

TOKEN_FILE: Final = "outbox.token"  # noqa: S105 - a file's name
TOKEN_BYTES: Final = 16
ACCOUNT: Final = "AC00000000000000000000000000000000"
PORTS: Final = 4
"""The outbox's own, then one each for mail that comes in, for mail that comes back, and for SMPP."""
_COOKIE: Final = "outbox"


class Catchers:
    """Every catcher, and the page of what they caught."""

    def __init__(self, token: str) -> None:
        self.outbox = Outbox(SystemClock().now)
        self.mail_faults = deque[str]()
        self._http, self._token = HttpClient(), token
        self._telling: set[asyncio.Task[None]] = set()
        self.providers = Providers(self.outbox, self._tell, ACCOUNT, token)

    def app(self) -> Starlette:
        """Return what is served."""
        own = [
            Route("/", self._page),
            Route("/open", self._open),
            Route("/outbox", self._listed),
        ]
        return Starlette(routes=[*own, *self.providers.routes])

    async def _tell(self, url: str, headers: "dict[str, str] | object", body: bytes) -> None:
        """Tell a status a moment later, as providers do; whoever does not listen misses it."""
        call = Call("POST", url, headers, body, 10.0)  # type: ignore[arg-type]  # a mapping of texts
        task = asyncio.ensure_future(self._told(call))
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _told(self, call: Call) -> None:
        try:
            await self._http.send(call)
        except CallFault:
            sys.stderr.write("a status could not be told\n")

    async def _page(self, request: Request) -> Response:
        if not self._is_known(request.cookies.get(_COOKIE, "")):
            return Response("open the outbox by the address that keyfleet up printed", 401)
        headers = {
            "content-security-policy": POLICY,
            "cache-control": "no-store",
            "referrer-policy": "no-referrer",
        }
        return Response(outbox_page(self.outbox.listed()), headers=headers, media_type="text/html")

    async def _open(self, request: Request) -> Response:
        if not self._is_known(request.url.query):
            return Response("not the token of this outbox", 401)
        answer = RedirectResponse("/", 303, {"referrer-policy": "no-referrer"})
        answer.set_cookie(_COOKIE, self._token, httponly=True, samesite="strict")
        return answer

    async def _listed(self, request: Request) -> Response:
        if not self._is_known(request.headers.get("authorization", "").removeprefix("Bearer ")):
            return Response(status_code=401)
        told = [each.described() for each in self.outbox.listed()]
        return Response(orjson.dumps({"messages": told}), media_type="application/json")

    def _is_known(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode(), self._token.encode())


def outbox_token(home: Path) -> str:
    """Return the token of a home's outbox, which is drawn when it is first asked for."""
    return read_or_create(
        home / TOKEN_FILE, lambda: SystemEntropy().token(TOKEN_BYTES).hex().encode()
    ).decode()


async def run(home: Path, port: int) -> None:
    """Serve until told to stop."""
    catchers = Catchers(outbox_token(home))
    mail = await serve_mail(catchers.outbox, catchers.mail_faults, port + 1)
    settings = uvicorn.Config(
        catchers.app(), host="127.0.0.1", port=port, access_log=False, log_level="warning", lifespan="off"
    )
    returned = await serve_returned(catchers.outbox, port + 2)
    centre = await serve_centre(Centre(catchers.outbox, outbox_token(home)), port + 3)
    async with mail, returned, centre:
        await uvicorn.Server(settings).serve()


def serve(home: Path, port: int) -> None:
    """Serve until told to stop."""
    asyncio.run(run(home, port))
