"""Time, chance and environment: sys.now, sys.get_env, uuid.generate, time.*; and sys.log."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from infra.local.workflows.errors import type_error, value_error
from infra.local.workflows.execution import Execution, Fiber
from infra.local.workflows.library.encoding import json_text
from infra.local.workflows.library.function import Style, function, need
from infra.local.workflows.observer import LogEntry
from infra.local.workflows.values import text_of

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SEVERITIES: Final = (
    "DEFAULT",
    "DEBUG",
    "INFO",
    "NOTICE",
    "WARNING",
    "ERROR",
    "CRITICAL",
    "ALERT",
    "EMERGENCY",
)
_LOGGABLE: Final = (int, float, bool, str, list, dict)


def now(execution: Execution) -> float:
    """Seconds since the epoch."""
    return (execution.draws.now() - EPOCH) / timedelta(seconds=1)


def generate(execution: Execution) -> str:
    """A random UUID."""
    return execution.draws.uuid()


def get_env(execution: Execution, name: Any, default: Any) -> Any:
    """A variable of the workflow's environment; the default, or else null, when it is not set."""
    key = need(name, "name", str)
    return execution.environment.get(key, need(default, "default", str, type(None)))


def parse_instant(value: Any, what: str) -> datetime:
    """An ISO 8601 timestamp; without an offset it is UTC."""
    text = need(value, what, str)
    try:
        instant = datetime.fromisoformat(text)
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        raise value_error(f'"{text[:60]}" is not an ISO 8601 timestamp') from None


def parse(value: Any) -> float:
    """Seconds since the epoch of an ISO 8601 timestamp."""
    return (parse_instant(value, "value") - EPOCH) / timedelta(seconds=1)


def format_time(seconds: Any, timezone: Any) -> str:
    """A timestamp in ISO 8601 with microseconds."""
    zone = _zone(need(timezone, "timezone", str, type(None)) or "UTC")
    try:
        moment = (EPOCH + timedelta(seconds=need(seconds, "seconds", int, float))).astimezone(zone)
    except OverflowError:
        raise value_error("seconds is outside the years 1 to 9999") from None
    text = moment.isoformat(timespec="microseconds")
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise value_error(f'unknown timezone "{name[:60]}"') from None


def log(execution: Execution, fiber: Fiber, *arguments: Any) -> None:
    """Write one of data, text or json to the log."""
    data, severity, text, json, timeout = arguments
    need(timeout, "timeout", int, float, type(None))
    if need(severity, "severity", str) not in _SEVERITIES:
        raise value_error(f"severity must be one of {', '.join(_SEVERITIES)}")
    entry = LogEntry(severity, _log_payload(data, text, json))
    if execution.observer is not None:
        execution.observer.logged(fiber.name, entry)


def _log_payload(data: Any, text: Any, json: Any) -> Any:
    given = [value for value in (data, text, json) if value is not None]
    if len(given) != 1:
        raise type_error("sys.log takes exactly one of data, text and json")
    if json is not None:
        return need(json, "json", dict)
    need(given[0], "what is logged", *_LOGGABLE)
    if type(data) is dict:
        return data
    return json_text(given[0], None) if type(given[0]) in {list, dict} else text_of(given[0])


FUNCTIONS: Final = (
    function("sys.get_env", get_env, "name", default=None, style=Style.AMBIENT),
    function(
        "sys.log",
        log,
        data=None,
        severity="DEFAULT",
        text=None,
        json=None,
        timeout=None,
        style=Style.STATEMENT,
    ),
    function("sys.now", now, style=Style.AMBIENT),
    function("time.format", format_time, "seconds", timezone=None),
    function("time.parse", parse, "value"),
    function("uuid.generate", generate, style=Style.AMBIENT),
)
