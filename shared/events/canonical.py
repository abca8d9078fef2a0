"""JSON with one spelling for each document, as RFC 8785 has it."""

from collections.abc import Mapping
from typing import Any

import orjson
import rfc8785

from shared.events.errors import InvalidEvent
from shared.events.wire import SAFE_INTEGER


def canonical_json(document: Mapping[str, Any]) -> bytes:
    """The document as RFC 8785 writes it, or a refusal if it cannot be written so."""
    try:
        # A plain document comes out the same either way, and this way much sooner.
        return orjson.dumps(document, option=orjson.OPT_SORT_KEYS) if _plain(document) else _exact(document)
    except orjson.JSONEncodeError:
        return _exact(document)


def _plain(value: Any) -> bool:
    """Say whether nothing is in it that RFC 8785 is particular about: fractions, large numbers, odd names."""
    kind = type(value)
    if kind is dict:
        return all(map(_plain_name, value)) and all(map(_plain, value.values()))
    if kind is list:
        return all(map(_plain, value))
    if kind is int:
        return bool(-SAFE_INTEGER <= value <= SAFE_INTEGER)
    return kind is str or kind is bool or value is None


def _plain_name(name: Any) -> bool:
    return type(name) is str and name.isascii()


def _exact(document: Mapping[str, Any]) -> bytes:
    try:
        return rfc8785.dumps(dict(document))
    except rfc8785.CanonicalizationError:
        problem, remedy = "it has no canonical form", "Compare it with the subject's schema, in schemas/"
        raise InvalidEvent.because("(document)", problem, remedy) from None
