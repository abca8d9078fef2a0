"""Everything the standard library offers, by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from infra.local.workflows.library import (
    ambient,
    containers,
    conversion,
    encoding,
    requests,
    retries,
    texts,
    waiting,
)
from infra.local.workflows.library.function import Function

_MODULES: Final = (ambient, containers, conversion, encoding, requests, retries, texts, waiting)
FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {each.name: each for module in _MODULES for each in module.FUNCTIONS}
)
VALUES: Final[Mapping[str, Any]] = retries.VALUES
# Names we know and refuse on purpose, by their beginning, with what to do instead.
REFUSED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "googleapis.": "Connectors are not available here: call a function over http instead",
        "gke.": "Connectors are not available here: call the cluster's API over http instead",
        "experimental.": "Experimental functions are not available: use a parallel step, or http",
        "events.await_callback_job": "Use events.create_callback_endpoint and events.await_callback",
    }
)
