"""The trace context of a call: in its one form, or none."""

import pytest

from shared.kernel.trace import trace_id, trace_of

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
HEADER = f"00-{TRACE}-00f067aa0ba902b7-01"


def test_a_trace_context_is_taken_as_it_came():
    assert trace_of(HEADER) == HEADER
    assert trace_id(HEADER) == TRACE


@pytest.mark.parametrize(
    "header",
    [
        None,
        "",
        HEADER.upper(),
        HEADER + "0",
        HEADER + "\n",
        HEADER.replace("00-", "ff-", 1),
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{TRACE}-{'0' * 16}-01",
        "PIN 482913 of a guest",
        "x" * 100_000,
    ],
)
def test_anything_else_is_no_trace(header):
    assert trace_of(header) == ""
    assert trace_id(trace_of(header)) == ""
