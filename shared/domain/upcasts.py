"""How a document of an older version is read: one step per kind and version, each to the version after it."""

from collections.abc import Callable, Mapping
from typing import Any, Final

Step = Callable[[Mapping[str, Any]], dict[str, Any]]
"""From the plain document of one version to that of the next; `schema_version` is taken care of."""

UPCASTS: Final[dict[tuple[str, int], Step]] = {}
"""By the kind's name and the version that was stored; without its step nobody can read a document."""
