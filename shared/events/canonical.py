"""JSON with one spelling for each document, as RFC 8785 has it."""

from collections.abc import Mapping
from types import NoneType
from typing import Any, Final

import orjson
import rfc8785

from shared.events.errors import InvalidEvent
from shared.events.wire import SAFE_INTEGER

WHOLE: Final = frozenset({str, bool, NoneType})


def canonical_json(document: Mapping[str, Any]) -> bytes:
    """The document as RFC 8785 writes it, or a refusal if it cannot be written so."""
    try:
        # A plain document comes out the same either way, and this way much sooner.
        return orjson.dumps(document, option=orjson.OPT_SORT_KEYS) if _plain(document) else _exact(document)
    except TypeError:  # also of a name that is no text
        return _exact(document)


def _plain(document: Mapping[str, Any]) -> bool:
    """Say whether nothing is in it that RFC 8785 is particular about: fractions, large numbers, odd names."""
    values: list[Any] = [document]
    for value in values:  # and whatever is found within them
        kind = type(value)
        if kind is dict:
            if not all(map(str.isascii, value)):
                return False
            values += value.values()
        elif kind is list:
            values += value
        elif not (kind in WHOLE or (kind is int and -SAFE_INTEGER <= value <= SAFE_INTEGER)):
            return False
    return True


def _exact(document: Mapping[str, Any]) -> bytes:
    try:
        return rfc8785.dumps(dict(document))
    except rfc8785.CanonicalizationError:
        problem, remedy = "it has no canonical form", "Compare it with the subject's schema, in schemas/"
        raise InvalidEvent.because("(document)", problem, remedy) from None
