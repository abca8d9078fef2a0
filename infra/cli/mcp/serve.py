"""`keyfleet mcp`: the API as tools of the Model Context Protocol, over stdin and stdout."""

import http.client
import os
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import urlsplit

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer
from infra.cli.problems import Refused
from infra.cli.token import minted
from shared.domain.permissions import Role
from shared.vendor_kit.http import LOOPBACK

if TYPE_CHECKING:  # the API's table takes long to load, and other commands do without
    from infra.cli.mcp.session import Told
    from infra.cli.mcp.tools import Request

TOKEN: Final = "KEYFLEET_TOKEN"  # noqa: S105 - a variable's name
PATIENCE_SECONDS: Final = 60.0
LARGEST: Final = 4 * 1024 * 1024
WHO: Final = "usr_mcp"
Url = Annotated[str | None, typer.Option(help="The API's address, where it is not this machine's fleet.")]
Changes = Annotated[bool, typer.Option("--allow-changes", help="Offer what changes something, too.")]
Whose = Annotated[str, typer.Option(help="The hotel company, where the token is this fleet's own.")]
As = Annotated[
    list[Role] | None, typer.Option("--role", help="As whom, where the token is this fleet's own.")
]
Where = Annotated[list[str] | None, typer.Option("--property", help="Where, likewise; '*' is everywhere.")]


def mcp(
    at: FleetAddress,
    url: Url = None,
    allow_changes: Changes = False,
    tenant: Whose = "tnt_silk",
    role: As = None,
    property_: Where = None,
) -> Answer:
    """Serve the API's routes as tools on stdin and stdout, reads alone unless changes are allowed.

    It asks with KEYFLEET_TOKEN, or, at a fleet of this machine, as somebody with the roles that are named.
    """
    from infra.cli.mcp.session import McpSession
    from infra.cli.mcp.tools import tools_of

    token = _token(at, url, lambda: minted(at, tenant, WHO, role or [Role.AUDITOR], property_ or ["*"]))
    session = McpSession(
        tools_of(changes=allow_changes), lambda asked: _ask(asked, url or at.base_url, token)
    )
    for line in sys.stdin:
        if line.strip() and (said := session.answer(line)) is not None:
            sys.stdout.write(said + "\n")
            sys.stdout.flush()
    return Answer({}, ())


def _token(at: FleetAddress, url: str | None, mint: Callable[[], str]) -> Callable[[], str]:
    """Return what gives the token of each request: one that is minted here ends after an hour."""
    kept = os.environ.get(TOKEN)
    if kept is None and url is not None and url != at.base_url:
        raise Refused(
            f"{TOKEN} is not set", "put a service account's key there: another's fleet takes no other"
        )
    parts = urlsplit(url or at.base_url)
    if parts.scheme != "https" and (parts.scheme, parts.hostname) not in {
        ("http", each) for each in LOOPBACK
    }:
        raise Refused("--url is not encrypted", "give an https address: the token goes there")
    return mint if kept is None else lambda: kept


def _ask(asked: "Request", url: str, token: Callable[[], str]) -> "Told":
    from infra.cli.mcp.session import NotReached, Told

    headers = {**asked.headers, "authorization": f"Bearer {token()}"}
    request = urllib.request.Request(  # noqa: S310 - the address was checked
        url.rstrip("/") + asked.path, asked.body, headers, method=asked.method
    )
    if asked.method != "GET" and asked.body is None:
        request.data = b""
    try:
        with urllib.request.build_opener(_NoWayOn).open(request, timeout=PATIENCE_SECONDS) as answer:
            body = answer.read(LARGEST)
            if answer.length:
                raise NotReached("the API's answer broke off, or is too long")
            return Told(answer.status, body)
    except urllib.error.HTTPError as refusal:
        return Told(refusal.code, refusal.read(LARGEST))
    except (OSError, http.client.HTTPException) as trouble:
        raise NotReached(f"the API does not answer: {type(trouble).__name__}") from None


class _NoWayOn(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it would carry the token elsewhere."""

    def redirect_request(self, *_: object) -> None:
        """Return nothing to follow."""
