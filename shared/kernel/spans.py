"""Spans of W3C traces: what was done on whose behalf, and how long it took; somebody else sends them on.

A request is one piece of work with one trace: the caller's, until it is known whose event it works for. Then
all its spans, also those that have ended, belong to the event's own trace (`follow`), so that a trace leads
from a booking to the calls of its vendor, through a saga that knows nothing of traces.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from shared.kernel.trace import trace_of

MOST_SPANS: Final = 200
"""Of one request: a walk over a hotel's locks is told by its first calls."""
SERVER, CLIENT = 2, 3
"""OpenTelemetry's kinds."""


@dataclass(slots=True)
class Span:
    """One thing that was done."""

    name: str
    id: str
    parent: str
    began: int
    kind: int
    attributes: dict[str, Any]
    ended: int = 0
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Finished:
    """What one request did, in one trace."""

    trace: str
    spans: Sequence[Span]


class Recorder(Protocol):
    """Takes what was done; it neither waits nor raises."""

    def keep(self, finished: Finished) -> None:
        """Take one request's spans."""


@dataclass(frozen=True, slots=True)
class Tracing:
    """Who records, and what time and names are taken from."""

    recorder: Recorder
    nanoseconds: Callable[[], int]
    token: Callable[[int], bytes]


@dataclass(slots=True)
class _Work:
    """A request at work."""

    tracing: Tracing
    trace: str
    root: Span
    spans: list[Span] = field(default_factory=list)


_at_work: ContextVar[tuple[_Work, Span] | None] = ContextVar("span", default=None)


@contextmanager
def traced(tracing: Tracing | None, name: str, traceparent: str) -> Iterator[None]:
    """Do a request's work inside; without anybody who records, nothing is remembered."""
    if tracing is None:
        yield
        return
    _, trace, parent, *_ = traceparent.split("-") if traceparent else ("", "", "")
    root = Span(name, tracing.token(8).hex(), parent, tracing.nanoseconds(), SERVER, {})
    work = _Work(tracing, trace or tracing.token(16).hex(), root)
    try:
        with _inside(work, root):
            yield
    finally:
        tracing.recorder.keep(Finished(work.trace, work.spans))


@contextmanager
def span(name: str, **attributes: Any) -> Iterator[None]:
    """Do one thing of a request inside."""
    found = _at_work.get()
    if found is None:
        yield
        return
    work, parent = found
    began, id_ = work.tracing.nanoseconds(), work.tracing.token(8).hex()
    with _inside(work, Span(name, id_, parent.id, began, CLIENT, attributes)):
        yield


def follow(traceparent: str) -> None:
    """Have the request belong to the trace of what it works for; a malformed one changes nothing."""
    found = _at_work.get()
    if found is None or not trace_of(traceparent):
        return
    _, found[0].trace, found[0].root.parent, _ = traceparent.split("-")


def describe(**attributes: Any) -> None:
    """Say something of the request: of whom it is, and what came of it."""
    found = _at_work.get()
    if found is not None:
        found[0].root.attributes.update(attributes)


@contextmanager
def _inside(work: _Work, mine: Span) -> Iterator[None]:
    token = _at_work.set((work, mine))
    try:
        yield
    except BaseException:
        mine.failed = True
        raise
    finally:
        _at_work.reset(token)
        mine.ended = work.tracing.nanoseconds()
        if mine is work.root or len(work.spans) < MOST_SPANS:
            work.spans.append(mine)
