"""A fleet whose receiver is called, or the same write and no more: `... receiver HOME PORT [bare]`.

Both keep two documents of the same size in one commit on the same store. What the receiver prompts is not
done here: whoever applies webhooks works elsewhere.
"""

import itertools
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import uvloop
from starlette.types import Receive, Scope, Send

from infra.bench.hotel import MOCK, PROPERTY, TENANT, hotel
from infra.bench.measures.documents import opened
from infra.bench.programs.raw_asgi import BODY, START
from infra.bench.programs.serving import serve
from infra.local.ambient import SystemClock
from infra.local.documents import SqliteDocuments
from infra.local.fleet import open_fleet
from infra.local.sample.load import move_in
from infra.local.server import spare_the_collector
from infra.local.world import FleetConfig
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.ports.documents import Create, Ref
from shared.ports.tasks import Task
from shared.runtime.platform import bind
from shared.vendor_kit.webhook import webhook_secret

VENDOR: Final = VendorCode(MOCK)
KEY: Final = b"whsec_" + b"a2V5" * 11 + b"a2U="
WEBHOOK: Final[dict[str, Any]] = {
    "site": f"{PROPERTY}.{VENDOR}",
    "waiting": 1_777_626_731_000,
    "due_at": 1_777_626_851_000,
    "hints": [{"lock": "1000000", "at": 1_777_626_731_000, "event": "e1", "opened": True, "name": "x" * 15}],
    "kept": "x" * 420,
}
ROW: Final = {"subject": "melmastoon.lock.vendor_webhook.received.v1", "body": "x" * 640}


class NoQueue:
    """Takes every prompt, and has nobody work on it."""

    async def enqueue(self, task: Task) -> str:
        """Take it."""
        return task.name or ""


class BareWrite:
    """The least that answers after one commit of the same two documents."""

    def __init__(self, store: SqliteDocuments) -> None:
        self._documents, self._numbers = store.tenant(TENANT), itertools.count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Write, and answer."""
        await receive()
        if scope["method"] == "POST":
            number = next(self._numbers)
            both = [Create(Ref("webhooks", str(number)), WEBHOOK), Create(Ref("outbox", str(number)), ROW)]
            await self._documents.commit(both)
        await send(START)
        await send(BODY)


async def serve_receiver(home: Path, port: int) -> None:
    """Serve a whole fleet until killed."""
    async with open_fleet(FleetConfig(home, port)) as fleet:
        await move_in(hotel(MOCK), fleet.documents, SystemClock().now())
        await fleet.platform.secrets.add(webhook_secret(VENDOR, TENANT, PROPERTY), Secret(KEY))
        bind(replace(fleet.platform, tasks=NoQueue()))
        spare_the_collector()
        await serve(fleet, port)


async def serve_bare(home: Path, port: int) -> None:
    """Serve the bare application until killed."""
    async with opened(home) as (store, _):
        spare_the_collector()
        await serve(BareWrite(store), port)


if __name__ == "__main__":
    _, home, port, *bare = sys.argv
    Path(home).mkdir(parents=True, exist_ok=True)
    uvloop.run((serve_bare if bare else serve_receiver)(Path(home), int(port)))
