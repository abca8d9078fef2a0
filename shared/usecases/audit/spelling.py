"""The JSON of a day's entries, read and written a million times: to the byte as the library has it."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from shared.audit.text import Json, canonical


def spelt(document: Mapping[str, Any]) -> bytes:
    """Write what has no fractions; what the fast writer refuses, the library judges."""
    try:
        return orjson.dumps(document, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return canonical(document)


FAST: Final = Json(orjson.loads, spelt)
