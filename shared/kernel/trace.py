"""The W3C trace context of a call: taken in its one form, or not at all."""

import re
from typing import Final

_FORM: Final = re.compile(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
NO_TRACE: Final = ""


def trace_of(header: str | None) -> str:
    """Return the `traceparent` as it came if it is one: a stranger writes nothing else into our log."""
    return header if header is not None and _FORM.fullmatch(header) else NO_TRACE


def trace_id(traceparent: str) -> str:
    """Return the id that all spans of a trace share, or nothing."""
    return traceparent.split("-")[1] if traceparent else NO_TRACE
