"""What Workflows refuses to start with, refused on every platform."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from shared.ports.sagas import ArgumentRefused

LARGEST_ARGUMENT: Final = 32 * 1024


def encoded_argument(argument: Mapping[str, Any]) -> bytes:
    """Return an execution's argument as JSON."""
    try:
        text = orjson.dumps(argument)
    except (TypeError, ValueError):
        raise ArgumentRefused("the argument is not JSON: pass ids and plain values") from None
    if len(text) > LARGEST_ARGUMENT:
        raise ArgumentRefused(
            f"the argument has {len(text)} bytes, over 32 KB: pass ids, and let a step read the rest"
        )
    return text
