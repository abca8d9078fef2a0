"""Cloud Storage by its JSON API: one bucket with object retention, asked over HTTP."""

import email
import json
from datetime import datetime
from urllib.parse import parse_qsl, unquote, urlsplit

from shared.vendor_kit.http import Answer

PAGE = 2
"""Fewer than are asked for: Google may give fewer too."""


class FakeStorage:
    """Keeps what is uploaded, and refuses what the service refuses."""

    def __init__(self, bucket, clock):
        self._base, self._upload = f"/storage/v1/b/{bucket}/o", f"/upload/storage/v1/b/{bucket}/o"
        self._clock, self._objects = clock, {}
        self.calls, self.next_faults = [], []

    async def send(self, call):
        """Answer one request, or fail as the next fault says, after it was done."""
        self.calls.append(call)
        if not call.headers.get("authorization", "").startswith("Bearer "):
            return Answer(401)
        if self.next_faults and isinstance(self.next_faults[0], Answer):
            return self.next_faults.pop(0)
        answer = self._answered(call)
        if self.next_faults:
            raise self.next_faults.pop(0)
        return answer

    def _answered(self, call):
        url = urlsplit(call.url)
        query = dict(parse_qsl(url.query))
        if url.path == self._upload:
            return self._insert(call, query)
        if url.path == self._base:
            return self._list(query)
        name = unquote(url.path.removeprefix(f"{self._base}/"))
        if name not in self._objects:
            return Answer(404)
        return self._delete(name) if call.method == "DELETE" else self._get(name, query)

    def _insert(self, call, query):
        assert query["uploadType"] == "multipart"
        about, data = _parts(call)
        if query.get("ifGenerationMatch") == "0" and about["name"] in self._objects:
            return _refused(412, "conditionNotMet")
        assert about["retention"]["mode"] == "Locked"
        self._objects[about["name"]] = {**about, "timeCreated": self._clock.now().isoformat()}, data
        return _json(200, about)

    def _get(self, name, query):
        about, data = self._objects[name]
        return Answer(200, body=data) if query.get("alt") == "media" else _json(200, about)

    def _delete(self, name):
        about, _ = self._objects[name]
        if self._clock.now() < datetime.fromisoformat(about["retention"]["retainUntilTime"]):
            return _refused(403, "retentionPolicyNotMet")
        del self._objects[name]
        return Answer(204)

    def _list(self, query):
        start, token = query.get("startOffset", ""), query.get("pageToken", "")
        names = sorted(
            name
            for name in self._objects
            if name.startswith(query.get("prefix", "")) and name >= start and name > token
        )
        page = {"items": [{"name": name} for name in names[:PAGE]]} if names else {}
        more = {"nextPageToken": names[PAGE - 1]} if len(names) > PAGE else {}
        return _json(200, {**page, **more})


def _parts(call):
    head = f"Content-Type: {call.headers['content-type']}\r\n\r\n".encode()
    about, data = email.message_from_bytes(head + call.body).get_payload()
    boundary = call.headers["content-type"].partition("boundary=")[2].encode()
    raw = call.body.split(b"\r\n\r\n", 2)[2].removesuffix(b"\r\n--" + boundary + b"--")
    assert data.get_content_type() == "application/octet-stream"
    return json.loads(about.get_payload()), raw


def _json(status, body):
    return Answer(status, {"content-type": "application/json"}, json.dumps(body).encode())


def _refused(status, reason):
    return _json(status, {"error": {"code": status, "errors": [{"reason": reason}]}})
