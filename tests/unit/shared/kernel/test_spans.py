"""Spans of a request: one trace, the event's own once that is known, and nothing where nobody records."""

import itertools

import pytest

from shared.kernel.spans import CLIENT, MOST_SPANS, SERVER, Tracing, describe, follow, span, traced

CALLER = "00-" + "a" * 32 + "-" + "b" * 16 + "-01"
EVENT = "00-" + "c" * 32 + "-" + "d" * 16 + "-01"


class Kept:
    """Remembers what it is given."""

    def __init__(self):
        self.finished = []

    def keep(self, finished):
        self.finished.append(finished)


@pytest.fixture
def kept():
    return Kept()


@pytest.fixture
def tracing(kept):
    ticks, names = itertools.count(100), itertools.count(1)
    return Tracing(kept, lambda: next(ticks), lambda size: next(names).to_bytes(size, "big"))


def test_a_request_and_what_it_did_are_one_trace_of_its_caller(tracing, kept):
    with traced(tracing, "adapter-mock", CALLER), span("vendor lock/add", code="yes"):
        pass
    (finished,) = kept.finished
    assert finished.trace == "a" * 32
    inner, root = finished.spans
    assert (root.name, root.parent, root.kind) == ("adapter-mock", "b" * 16, SERVER)
    assert (inner.name, inner.parent, inner.kind, inner.attributes) == (
        "vendor lock/add",
        root.id,
        CLIENT,
        {"code": "yes"},
    )
    assert root.began < inner.began < inner.ended < root.ended


def test_all_of_a_request_follows_the_event_that_it_works_for(tracing, kept):
    with traced(tracing, "on-booking-confirmed", CALLER):
        with span("before it was read"):
            pass
        follow(EVENT)
        describe(tenantId="tnt_silk")
    (finished,) = kept.finished
    assert finished.trace == "c" * 32
    assert finished.spans[-1].parent == "d" * 16
    assert finished.spans[-1].attributes == {"tenantId": "tnt_silk"}


@pytest.mark.parametrize("traceparent", ["", "no trace", CALLER[:-1], CALLER.replace("a", "0")])
def test_what_is_no_trace_is_not_followed(tracing, kept, traceparent):
    with traced(tracing, "f", CALLER):
        follow(traceparent)
    assert kept.finished[0].trace == "a" * 32


def test_a_request_without_a_trace_begins_one(tracing, kept):
    with traced(tracing, "f", ""):
        pass
    (finished,) = kept.finished
    assert len(finished.trace) == 32
    assert finished.spans[0].parent == ""


def test_what_broke_off_is_marked_and_told_all_the_same(tracing, kept):
    with pytest.raises(KeyError), traced(tracing, "f", ""), span("vendor"):
        raise KeyError
    assert [each.failed for each in kept.finished[0].spans] == [True, True]


def test_a_long_walk_is_told_by_its_first_calls_and_its_whole(tracing, kept):
    with traced(tracing, "f", ""):
        for _ in range(MOST_SPANS + 50):
            with span("vendor"):
                pass
    assert len(kept.finished[0].spans) == MOST_SPANS + 1
    assert kept.finished[0].spans[-1].name == "f"


def test_nothing_is_remembered_where_nobody_records():
    with traced(None, "f", CALLER), span("vendor"):
        follow(EVENT)
        describe(tenantId="tnt_silk")
