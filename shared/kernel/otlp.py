"""Spans over the wire: OTLP in JSON over HTTP, in batches, by the way and never in anybody's way.

What cannot be sent is let go of: a trace that is lost costs less than a request that waited for one.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Final

import orjson

from shared.kernel.log import redacted
from shared.kernel.spans import Finished, Span

PATH: Final = "/v1/traces"
MOST_KEPT: Final = 256
"""So many requests wait to be told; of more, the oldest are forgotten."""
AT_ONCE: Final = 64
LINGERS: Final = 1.0
SCOPE: Final = "keyfleet"
OK, ERROR = 1, 2
Post = Callable[[bytes], Awaitable[bool]]
"""Sends one body, and says whether it was taken."""


class OtlpExporter:
    """Tells a collector what was done."""

    def __init__(self, post: Post, resource: Mapping[str, str]) -> None:
        self._post, self._resource = post, _attributes(resource)
        self._waiting: deque[Finished] = deque(maxlen=MOST_KEPT)
        self._sending: asyncio.Task[None] | None = None
        self.lost = 0

    def keep(self, finished: Finished) -> None:
        """Have a request told some time later."""
        self.lost += len(self._waiting) == MOST_KEPT
        self._waiting.append(finished)
        if self._sending is None or self._sending.done():
            self._sending = asyncio.get_running_loop().create_task(self._send_after(LINGERS))

    async def flush(self) -> None:
        """Tell everything now."""
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(AT_ONCE, len(self._waiting)))]
            self.lost += 0 if await self._told(batch) else len(batch)

    async def _send_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.flush()

    async def _told(self, batch: Iterable[Finished]) -> bool:
        try:
            return await self._post(body_of(batch, self._resource))
        except Exception:  # noqa: BLE001 - whatever a collector does, no request may feel it
            return False


def body_of(batch: Iterable[Finished], resource: list[Mapping[str, Any]]) -> bytes:
    """Return an ExportTraceServiceRequest in OTLP's JSON."""
    spans = [_span(finished.trace, each) for finished in batch for each in finished.spans]
    scoped = {"scope": {"name": SCOPE}, "spans": spans}
    return orjson.dumps({"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [scoped]}]})


def _span(trace: str, span: Span) -> Mapping[str, Any]:
    return {
        "traceId": trace,
        "spanId": span.id,
        "parentSpanId": span.parent,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.began),
        "endTimeUnixNano": str(span.ended),
        "attributes": _attributes(redacted(span.attributes)),
        "status": {"code": ERROR if span.failed else OK},
    }


def _attributes(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [{"key": name, "value": _value(each)} for name, each in told.items() if each not in (None, "")]


def _value(each: Any) -> Mapping[str, Any]:
    if isinstance(each, bool):
        return {"boolValue": each}
    return {"intValue": str(each)} if isinstance(each, int) else {"stringValue": str(each)}
