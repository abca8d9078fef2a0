"""Cloud Storage by its JSON API: one bucket with object retention, before the embedded cloud's objects."""

from collections.abc import Callable
from datetime import datetime
from email import message_from_bytes
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

import orjson

from shared.ports.objects import ObjectExists, ObjectKept, Objects
from shared.vendor_kit.http import Answer, Call

ADDRESS: Final = "https://storage.googleapis.com/"


class EmulatedStorage:
    """The objects of one bucket."""

    def __init__(self, bucket: str, objects: Callable[[], Objects]) -> None:
        self._base, self._upload = f"/storage/v1/b/{bucket}/o", f"/upload/storage/v1/b/{bucket}/o"
        self._objects = objects

    async def send(self, call: Call) -> Answer:
        """Answer one request."""
        url = urlsplit(call.url)
        query = dict(parse_qsl(url.query))
        if url.path == self._upload:
            return await self._insert(call)
        if url.path == self._base:
            return await self._list(query)
        name = unquote(url.path.removeprefix(f"{self._base}/"))
        return await (self._delete(name) if call.method == "DELETE" else self._get(name, query))

    async def _insert(self, call: Call) -> Answer:
        about, data = _parts(call)
        until = datetime.fromisoformat(about["retention"]["retainUntilTime"])
        if await self._objects().read(about["name"]) is not None:
            return _refused(412, "conditionNotMet")
        try:
            await self._objects().add(about["name"], data, until)
        except ObjectExists:
            return _refused(412, "conditionNotMet")
        return json_answer(200, about)

    async def _get(self, name: str, query: dict[str, str]) -> Answer:
        found = await self._objects().read(name)
        if found is None:
            return Answer(404)
        if query.get("alt") == "media":
            return Answer(200, body=found.data)
        return json_answer(
            200, {"name": name, "retention": {"retainUntilTime": found.kept_until.isoformat()}}
        )

    async def _delete(self, name: str) -> Answer:
        try:
            await self._objects().remove(name)
        except ObjectKept:
            return _refused(403, "retentionPolicyNotMet")
        return Answer(204)

    async def _list(self, query: dict[str, str]) -> Answer:
        after = query.get("pageToken") or query.get("startOffset", "")
        most = int(query.get("maxResults", "1000"))
        names = await self._objects().listed(query.get("prefix", ""), after=after, limit=most)
        more = {"nextPageToken": names[-1]} if len(names) == most else {}
        return json_answer(200, {"items": [{"name": name} for name in names], **more})


def json_answer(status: int, body: Any) -> Answer:
    """Return an answer in JSON."""
    return Answer(status, {"content-type": "application/json"}, orjson.dumps(body))


def _parts(call: Call) -> tuple[dict[str, Any], bytes]:
    """Return what is said of an upload, and its bytes as they came."""
    kind = call.headers["content-type"]
    read: Any = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + call.body)
    boundary = kind.partition("boundary=")[2].encode()
    data = call.body.split(b"\r\n\r\n", 2)[2].removesuffix(b"\r\n--" + boundary + b"--")
    told: dict[str, Any] = orjson.loads(read.get_payload()[0].get_payload())
    return told, data


def _refused(status: int, reason: str) -> Answer:
    return json_answer(status, {"error": {"code": status, "errors": [{"reason": reason}]}})
