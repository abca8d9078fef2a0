"""What messengers' APIs answer: read without trust, and an answer that never came told by what it means."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

import orjson

from shared.ports.messengers import NotNow, OutcomeUnknown
from shared.vendor_kit.http import Answer, Call, CallFault, ConnectionFailed, Http

LONGEST_REST: Final = timedelta(days=1)
"""Whoever asks to be left alone for longer is asked again after this."""
_DIGITS: Final = 9


async def answered(http: Http, call: Call) -> Answer:
    """Return what a messenger answers, or raise what the silence means for the message."""
    try:
        return await http.send(call)
    except ConnectionFailed:
        raise NotNow("out_of_reach") from None
    except CallFault:
        raise OutcomeUnknown("no_answer") from None


def said_in(answer: Answer) -> Mapping[str, Any]:
    """Return what an answer says; nothing where it is no JSON object."""
    try:
        said = orjson.loads(answer.body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def put_off_by(answer: Answer) -> NotNow:
    """Return an answer's refusal for now, with when to come again where it says so in seconds."""
    return NotNow("provider_refused", seconds_in(answer.headers.get("retry-after", "")))


def seconds_in(text: str) -> timedelta | None:
    """Read so many seconds, a day's at most; None of what is no number."""
    said = text.strip()
    if not (said.isascii() and said.isdecimal()):
        return None
    return LONGEST_REST if len(said) > _DIGITS else min(timedelta(seconds=int(said)), LONGEST_REST)
