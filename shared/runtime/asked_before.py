"""A change that is asked for again: known by its caller's Idempotency-Key, which is the id of its event.

| the key was sent | with | and the change | then |
|---|---|---|---|
| never | | | it is written down, made, and its answer kept |
| before | the same request | was answered | the kept answer is given again |
| before | the same request | was not, or is being made | it is made as the same event, of the same time |
| before | another request | | it is refused |

What a caller may no longer see is not given again. What was asked, by whom, is kept for a while: events name
it as their cause. Decision 0094.
"""

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Self

import orjson
from starlette.requests import Request
from starlette.responses import Response

from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId, PropertyId
from shared.domain.instants import instant_from_text
from shared.keywork.services import retry_on_conflict
from shared.ports.documents import Create, Document, Ref, StaleVersion, TenantDocuments, Update
from shared.runtime.asked import Asked
from shared.runtime.problems import OtherContent

HEADER: Final = "idempotency-key"
REPLAYED: Final = "idempotent-replayed"
REQUESTS: Final = "api_requests"
KEPT_FOR: Final = timedelta(days=90)
_KEY: Final = re.compile(r"[!-~]{1,255}")
_DIGITS: Final = 40


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """One change by its key, as it is written down; `version` is that of its document."""

    store: TenantDocuments
    ref: Ref
    data: dict[str, Any]
    version: str

    @classmethod
    async def of(cls, request: Request, asked: Asked, raw: bytes, store: TenantDocuments) -> Self | None:
        """Write a change down, or find it; None where its caller sent no key. Refuse another of its key."""
        key = request.headers.get(HEADER)
        if key is None:
            return None
        if not _KEY.fullmatch(key):
            raise InvalidInput("Idempotency-Key", "not 1 to 255 visible characters", "Send a UUID")
        content = _digest(key, request.method, request.scope["path"], _canonical(raw))
        name = _digest(str(asked.principal.id), key)[:_DIGITS]
        found = await retry_on_conflict(lambda: _written(Ref(REQUESTS, name), asked, content, store))
        if found.data["content"] != content:
            raise OtherContent("the key was sent before, with another request")
        return cls(store, found.ref, dict(found.data), found.version)

    def told(self, asked: Asked) -> None:
        """Tell a request which event it is, and when that happened."""
        asked.event_id = EventId(self.data["event"])
        asked.since = instant_from_text(self.data["at"], "at")

    def answer(self, asked: Asked) -> Response | None:
        """Return the kept answer, if there is one and its caller may still have it."""
        kept = self.data.get("answer")
        if kept is None:
            return None
        for place in kept["places"]:
            asked.at(PropertyId(place))
        headers = {**kept["headers"], REPLAYED: "true"}
        return Response(kept["body"], kept["status"], headers, media_type="application/json")

    async def keep(self, asked: Asked, response: Response) -> None:
        """Keep the answer; of two who make the same change, the first to come keeps its own."""
        headers = {
            name: response.headers[name] for name in ("etag", "cache-control") if name in response.headers
        }
        kept = {
            "status": response.status_code,
            "headers": headers,
            "body": bytes(response.body).decode(),
            "places": sorted({str(each) for each in asked.places}),
        }
        try:
            write = Update(self.ref, {**self.data, "answer": kept}, self.version, asked.now + KEPT_FOR)
            await self.store.commit([write])
        except StaleVersion:
            return


async def _written(ref: Ref, asked: Asked, content: str, store: TenantDocuments) -> Document:
    """Return a change as it was written down first."""
    found = await store.get(ref)
    if found is not None:
        return found
    at = asked.now.isoformat(timespec="milliseconds")
    what = f"{asked.route.method} {asked.route.path}"
    data = {
        "schema_version": 1,
        "by": str(asked.by),
        "what": what,
        "content": content,
        "event": str(asked.event_id),
        "at": at,
    }
    (version,) = await store.commit([Create(ref, data, asked.now + KEPT_FOR)])
    return Document(ref, data, version)


def _canonical(raw: bytes) -> str:
    """Return a body whichever way its caller wrote it; one that is no JSON is refused elsewhere."""
    try:
        return orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS).decode() if raw.strip() else ""
    except orjson.JSONDecodeError:
        return raw.hex()


def _digest(*parts: str) -> str:
    whole = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(whole.encode()).hexdigest()
