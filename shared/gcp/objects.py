"""Objects on Cloud Storage: created only where nothing is, and locked until their time."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

import orjson

from shared.gcp.rest import GoogleRefused, Request, Rest, parsed
from shared.ports.objects import (
    MOST_LISTED,
    ObjectExists,
    ObjectKept,
    StoredObject,
    check_name,
    check_object,
    check_page,
)

API: Final = "https://storage.googleapis.com"
MADE, GONE, EXISTS, KEPT = 200, 404, 412, 403
_LOCKED: Final = "retentionPolicyNotMet"


class CloudStorage:
    """One bucket, whose objects may each be locked until a time of their own."""

    def __init__(self, rest: Rest, bucket: str) -> None:
        self._rest = rest
        self._objects = f"{API}/storage/v1/b/{bucket}/o"
        self._upload = f"{API}/upload/storage/v1/b/{bucket}/o"

    async def add(self, name: str, data: bytes, kept_until: datetime) -> None:
        """Write an object, durably; the same bytes again change nothing, others raise ObjectExists."""
        check_object(name, data, kept_until)
        until = kept_until.astimezone(UTC).isoformat().replace("+00:00", "Z")
        about = {"name": name, "retention": {"mode": "Locked", "retainUntilTime": until}}
        kind, body = _related(about, data)
        query = {"uploadType": "multipart", "ifGenerationMatch": "0"}
        request = Request("POST", self._upload, query, body, kind)
        answer = await self._rest.ask(request, expects=frozenset({MADE, EXISTS}))
        # An answer of ours may have been lost: then it is there, byte for byte.
        if answer.status == EXISTS and await self._bytes(name) != data:
            raise ObjectExists(f"{name} holds something else: write under another name")

    async def read(self, name: str) -> StoredObject | None:
        """Return the object, or None."""
        check_name(name)
        answer = await self._rest.ask(Request("GET", self._url(name)), expects=frozenset({200, GONE}))
        data = None if answer.status == GONE else await self._bytes(name)
        return None if data is None else StoredObject(name, data, _kept_until(parsed(answer)))

    async def listed(self, prefix: str = "", *, after: str = "", limit: int = 100) -> Sequence[str]:
        """Return the names that begin so, in order, from beyond the name `after`."""
        check_page(limit)
        names: list[str] = []
        query = {"prefix": prefix, "startOffset": after, "maxResults": str(MOST_LISTED)}
        token = ""
        while len(names) < limit:
            wanted = {key: value for key, value in (*query.items(), ("pageToken", token)) if value}
            page = parsed(await self._rest.ask(Request("GET", self._objects, wanted)))
            # The offset itself is included.
            names += [item["name"] for item in page.get("items", ()) if item["name"] > after]
            token = page.get("nextPageToken", "")
            if not token:
                break
        return names[:limit]

    async def remove(self, name: str) -> None:
        """Remove the object, or raise ObjectKept before its time."""
        check_name(name)
        request = Request("DELETE", self._url(name))
        answer = await self._rest.ask(request, expects=frozenset({200, 204, GONE, KEPT}))
        if answer.status == KEPT:
            _check_locked(parsed(answer), self._rest, answer.status)
            raise ObjectKept(f"{name} is kept until its time: it was not removed")

    async def _bytes(self, name: str) -> bytes | None:
        request = Request("GET", self._url(name), {"alt": "media"})
        answer = await self._rest.ask(request, expects=frozenset({200, GONE}))
        return None if answer.status == GONE else answer.body

    def _url(self, name: str) -> str:
        return f"{self._objects}/{quote(name, safe='')}"


def _related(about: Mapping[str, Any], data: bytes) -> tuple[str, bytes]:
    """Return the content type and the body of an upload in two parts; no part can hold the boundary."""
    boundary = hashlib.sha256(data).hexdigest()
    parts = (
        f"--{boundary}\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n".encode(),
        orjson.dumps(about),
        f"\r\n--{boundary}\r\nContent-Type: application/octet-stream\r\n\r\n".encode(),
        data,
        f"\r\n--{boundary}--".encode(),
    )
    return f"multipart/related; boundary={boundary}", b"".join(parts)


def _kept_until(about: Mapping[str, Any]) -> datetime:
    until = about.get("retention", {}).get("retainUntilTime") or about.get("retentionExpirationTime")
    return datetime.fromisoformat(until or about["timeCreated"])


def _check_locked(answer: Mapping[str, Any], rest: Rest, status: int) -> None:
    reasons = {each.get("reason") for each in answer.get("error", {}).get("errors", ())}
    if _LOCKED not in reasons:
        raise GoogleRefused(rest.service, status)
