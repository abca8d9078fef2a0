"""Canned answers for requests, as conformance cases describe them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from infra.local.workflows.ops import HttpRequest
from infra.local.workflows.outcomes import HttpFault, HttpResponse


@dataclass(slots=True)
class Stubs:
    """Answers by method and exact URL, served in order, the last one repeating."""

    responses: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]
    served: dict[tuple[str, str], int] = field(default_factory=dict)

    def answer(self, request: HttpRequest) -> HttpResponse | HttpFault:
        """The next answer for this request; an address without a stub cannot be connected to."""
        bare = request.url.partition("?")[0] if request.query else request.url
        key = next(
            (k for k in ((request.method, request.url), (request.method, bare)) if k in self.responses), None
        )
        if key is None:
            return HttpFault("connection_failed", f"no stub for {request.method} {request.url}")
        at = self.served.get(key, 0)
        self.served[key] = at + 1
        rows = self.responses[key]
        return _answer(rows[min(at, len(rows) - 1)])


def read_stubs(document: Any) -> Stubs:
    """Stubs from a list, or from a map holding it under "http"."""
    rows = document.get("http", []) if isinstance(document, dict) else document
    return Stubs({(row["method"], row["url"]): row["responses"] for row in rows if row["responses"]})


def _answer(row: Mapping[str, Any]) -> HttpResponse | HttpFault:
    if "fault" in row:
        return HttpFault(row["fault"])
    given = row.get("headers", {})
    typed = any(name.lower() == "content-type" for name in given)
    headers = given if typed else {"Content-Type": "application/json", **given}
    return HttpResponse(row["status"], headers, _content(row.get("body"), headers))


def _content(body: Any, headers: Mapping[str, str]) -> bytes:
    """A string is sent as it is, unless the answer is to be JSON."""
    is_json = any(name.lower() == "content-type" and "json" in text for name, text in headers.items())
    if body is None:
        return b""
    return (body if isinstance(body, str) and not is_json else json.dumps(body)).encode()
