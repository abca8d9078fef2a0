"""`keyfleet listen`: hear a sample hotel's events at this terminal, and hand them on to a program under way.

It adds an address of this machine, proves it, checks each signature, and removes it when it ends.
"""

import contextlib
import http.server
import signal
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from queue import Queue
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import orjson
import typer

from infra.cli.address import ADDRESS, FleetAddress
from infra.cli.answer import Answer, errors, line, plain
from infra.cli.control import ControlPlane
from infra.cli.problems import Refused
from infra.cli.webhooks import Tenant, asked
from shared.domain.secret import Secret
from shared.vendor_kit.standard_webhooks import proven

LARGEST: Final = 256 * 1024
PROVEN_WITHIN: Final = 20.0
HANDED_ON_WITHIN: Final = 10.0
HERE: Final = "usr_listening"
_OURS: Final = ("content-type", "webhook-id", "webhook-timestamp", "webhook-signature")
ForwardTo = Annotated[
    str | None, typer.Option("--forward-to", help="A program's address, such as http://127.0.0.1:3000/hook.")
]
Events = Annotated[
    list[str] | None, typer.Option("--event", help="A subject, or what it begins with and a star; else all.")
]
Times = Annotated[int | None, typer.Option(min=1, help="End after so many events.")]


@dataclass(frozen=True, slots=True)
class Heard:
    """One event as it arrived."""

    headers: Mapping[str, str]
    body: bytes = field(repr=False)

    @property
    def said(self) -> dict[str, Any]:
        """What it says; nothing where that is no JSON object, for anybody here may post to us."""
        try:
            told = orjson.loads(self.body)
        except ValueError:
            return {}
        return told if isinstance(told, dict) else {}


def listen(
    at: FleetAddress,
    tenant: Tenant,
    forward_to: ForwardTo = None,
    event: Events = None,
    times: Times = None,
) -> Answer:
    """Hear events here, and hand them on with their signatures, until Ctrl-C or so many came."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ended either way, it takes its address away
    came: Queue[Heard] = Queue()
    hand_on = _nowhere if forward_to is None else _to(forward_to)
    with _door(came, hand_on) as url, _added(at, tenant, url, event or ["*"], came) as secret:
        _say(f"Listening for {tenant} at {url}; its secret is {secret.reveal()}")
        heard = tell(came, secret, times, at)
    return Answer({"heard": heard}, (line(f"{heard} events."),))


def _now(at: FleetAddress) -> datetime:
    """Return the fleet's time, which somebody may have moved."""
    return datetime.fromisoformat(ControlPlane(at).get("clock")["now"])


def tell(came: "Queue[Heard]", secret: Secret[str], times: int | None, at: FleetAddress) -> int:
    """Tell of each event that comes, and whether it is signed; return how many there were."""
    count = 0
    with contextlib.suppress(KeyboardInterrupt):  # how somebody at a terminal ends it
        while times is None or count < times:
            heard = came.get()
            count += 1
            sound = proven(heard.headers, heard.body, [Secret(secret.reveal().encode())], _now(at))
            told = (heard.said.get("timestamp"), heard.said.get("type"), heard.headers.get("webhook-id"))
            mark = "signed" if sound else "NOT SIGNED BY US"
            _say("  ".join(str(each or "-") for each in (*told, mark)))
    return count


def _say(row: str) -> None:
    errors().print(plain(row), soft_wrap=True)


@contextlib.contextmanager
def _added(
    at: FleetAddress, tenant: str, url: str, events: list[str], came: "Queue[Heard]"
) -> Iterator[Secret[str]]:
    """Add an address and prove it; whatever becomes of the listening, it is removed again."""
    facts = asked(at, tenant, "add", url=url, by=HERE, events=events)
    try:
        try:
            challenge = came.get(timeout=PROVEN_WITHIN).said["data"]["challenge"]
        except Exception:  # noqa: BLE001 - nothing came, or nothing that we could read
            raise Refused("no challenge arrived", "see keyfleet webhook log: is the fleet busy?") from None
        asked(at, tenant, "prove", listener=facts["id"], challenge=challenge)
        yield Secret(facts["secret"])
    finally:
        asked(at, tenant, "remove", listener=facts["id"])


@contextlib.contextmanager
def _door(came: "Queue[Heard]", hand_on: Callable[[Heard], int]) -> Iterator[str]:
    """Serve an address of this machine for a while."""

    class Door(http.server.BaseHTTPRequestHandler):
        """Takes what is posted."""

        def do_POST(self) -> None:
            """Take an event."""
            size = min(int(self.headers.get("content-length") or 0), LARGEST)
            heard = Heard({name.lower(): at for name, at in self.headers.items()}, self.rfile.read(size))
            status = hand_on(heard)
            if status < 300:  # what the program refuses comes again: it is told of once
                came.put(heard)
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as the standard library has it
            """Say nothing: what came is told once it is proven."""

    with http.server.ThreadingHTTPServer((ADDRESS, 0), Door) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://{ADDRESS}:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join()


def _nowhere(_heard: Heard) -> int:
    return 204


def _to(url: str) -> Callable[[Heard], int]:
    parts = urlsplit(url)
    if parts.scheme != "http" or parts.hostname not in {ADDRESS, "localhost"}:
        raise Refused("--forward-to leads off this machine", "give http://127.0.0.1:PORT/path")

    def hand_on(heard: Heard) -> int:
        if heard.said.get("type") == "keyfleet.webhook.challenge":
            return 204  # ours to answer, and no event
        headers = {name: heard.headers[name] for name in _OURS if name in heard.headers}
        request = urllib.request.Request(url, heard.body, headers)  # noqa: S310 - checked above
        try:
            with urllib.request.urlopen(request, timeout=HANDED_ON_WITHIN) as answer:  # noqa: S310
                return int(answer.status)
        except urllib.error.HTTPError as refusal:
            return refusal.code
        except OSError:
            return 502

    return hand_on
