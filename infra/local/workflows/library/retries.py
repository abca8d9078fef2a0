"""The predicates and policies that say which errors are worth another try, and after how long."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from infra.local.workflows.library.function import function
from infra.local.workflows.values import FunctionValue

_IDEMPOTENT_CODES: Final = frozenset({429, 502, 503, 504})
_IDEMPOTENT_TAGS: Final = frozenset({"ConnectionError", "ConnectionFailedError", "TimeoutError"})
_CAREFUL_CODES: Final = frozenset({429, 503})
_CAREFUL_TAGS: Final = frozenset({"ConnectionFailedError"})


def _matches(error: Any, codes: frozenset[int], tags: frozenset[str]) -> bool:
    if type(error) is not dict:
        return False
    found = error.get("tags")
    named = {tag for tag in found if type(tag) is str} if type(found) is list else set()
    code = error.get("code")
    return bool(tags & named) or (type(code) is int and code in codes)


def idempotent(exception: Any) -> bool:
    """Whether to repeat a request that may safely arrive twice."""
    return _matches(exception, _IDEMPOTENT_CODES, _IDEMPOTENT_TAGS)


def non_idempotent(exception: Any) -> bool:
    """Whether to repeat a request that must not arrive twice."""
    return _matches(exception, _CAREFUL_CODES, _CAREFUL_TAGS)


def always(_: Any) -> bool:
    """Repeat whatever happened."""
    return True


def never(_: Any) -> bool:
    """Repeat nothing."""
    return False


DEFAULT_MAX_RETRIES: Final = 5
DEFAULT_BACKOFF: Final[Mapping[str, Any]] = MappingProxyType(
    {"initial_delay": 1, "max_delay": 60, "multiplier": 1.25}
)


def _policy(predicate: str) -> dict[str, Any]:
    return {
        "predicate": FunctionValue(predicate),
        "max_retries": DEFAULT_MAX_RETRIES,
        "backoff": dict(DEFAULT_BACKOFF),
    }


FUNCTIONS: Final = (
    function("http.default_retry_predicate", idempotent, "exception"),
    function("http.default_retry_predicate_non_idempotent", non_idempotent, "exception"),
    function("retry.always", always, "exception"),
    function("retry.never", never, "exception"),
)
VALUES: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "http.default_retry": _policy("http.default_retry_predicate"),
        "http.default_retry_non_idempotent": _policy("http.default_retry_predicate_non_idempotent"),
        "retry.default_backoff": dict(DEFAULT_BACKOFF),
    }
)
