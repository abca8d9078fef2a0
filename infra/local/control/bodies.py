"""Bodies of requests to the control plane: bounded while they are read, and one JSON object."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from starlette.requests import Request

from shared.domain.errors import InvalidInput
from shared.runtime.incoming import BodyTooLarge, body_within

LARGEST: Final = 8 * 1024 * 1024
"""More than the largest event and the largest argument, spelt as JSON within JSON."""


async def raw_body(request: Request) -> bytes:
    """Return a body, or refuse it before more is read than anybody needs to say."""
    try:
        return await body_within(request, LARGEST)
    except BodyTooLarge as refusal:
        problem = f"longer than {refusal.limit} bytes"
        raise InvalidInput("body", problem, "send what is larger in parts") from None


async def json_body(request: Request) -> Mapping[str, Any]:
    """Return a body that is one JSON object; none at all is an empty one."""
    try:
        body = orjson.loads(await raw_body(request) or b"{}")
    except orjson.JSONDecodeError:
        raise InvalidInput("body", "not JSON", "send one JSON object") from None
    if not isinstance(body, dict):
        raise InvalidInput("body", "not a JSON object", "send one JSON object")
    return body
