"""One JSON line per event, in Cloud Logging's fields, with everything secret struck out."""

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, Final, TextIO

import orjson

from shared.kernel.ambient import SystemClock
from shared.kernel.trace import trace_id, trace_of

SELDOM: Final = timedelta(minutes=1)
MOST_SELDOM: Final = 256
"""So many things that are said seldom are remembered at a time."""
STRUCK_OUT = "[redacted]"
SECRET_NAMES = frozenset(
    [
        *("accesstoken", "artifact", "authorization", "body", "clientsecret", "cookie", "data", "key"),
        *("keyboardpwd", "opaqueref", "password", "pin", "privatekey", "refreshtoken", "secret", "token"),
        *("contact", "displayname", "guestname", "url", "username", "value", "vendorref"),
    ]
)
"""Names, without case, dashes and underscores, whose values never reach a line."""
SECRET_PARTS = ("password", "secret", "token", "email", "phone")
"""Whatever stands around these in a name, its value is struck out."""
LONGEST_TEXT: Final = 2000
MOST_RAISED: Final = 100
"""So many alerts of one process wait to be kept; of more, the oldest stand in the log alone."""
LOGGING: Final = "logging.googleapis.com"
_context: ContextVar[Mapping[str, Any] | None] = ContextVar("log_context", default=None)


@contextmanager
def log_context(**fields: Any) -> Iterator[None]:
    """Add fields (trace, tenant, function) to every line written inside."""
    token = _context.set({**(_context.get() or {}), **fields})
    try:
        yield
    finally:
        _context.reset(token)


def redacted(value: Any, name: str = "") -> Any:
    """Return the value without anything that a secret's name hides."""
    if _is_secret(name):
        return STRUCK_OUT
    if isinstance(value, str):  # as nearly everything is
        longer = len(value) - LONGEST_TEXT
        return f"{value[:LONGEST_TEXT]} and {longer} characters more" if longer > 0 else value
    if isinstance(value, list | tuple):
        return [redacted(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): redacted(item, str(key)) for key, item in value.items()}
    return value


@lru_cache(1024)
def _is_secret(name: str) -> bool:
    plain = name.replace("_", "").replace("-", "").lower()
    return plain in SECRET_NAMES or any(part in plain for part in SECRET_PARTS)


@dataclass(frozen=True, slots=True)
class Raised:
    """An alert as the log has it, and when it was raised, where the log is dated by us."""

    line: Mapping[str, Any]
    at: datetime | None


class Log:
    """Writes the lines of one service; `raised` are alerts that nobody has kept beside the log yet."""

    def __init__(
        self,
        service: str,
        stream: TextIO | None = None,
        now: Callable[[], datetime] | None = None,
        project: str = "",
    ) -> None:
        self._service, self._stream, self._now, self._project = service, stream, now, project
        self._seldom: OrderedDict[tuple[str, str], tuple[datetime, int]] = OrderedDict()
        self.raised: deque[Raised] = deque(maxlen=MOST_RAISED)

    def info(self, message: str, **fields: Any) -> None:
        """Say what happened."""
        self._write("INFO", message, fields)

    def warning(self, message: str, **fields: Any) -> None:
        """Say what somebody should know."""
        self._write("WARNING", message, fields)

    def seldom(self, message: str, reason: str, **fields: Any) -> None:
        """Say what a stranger can cause, once a minute; the next line tells how often it went unsaid."""
        now = (self._now or SystemClock().now)()
        about = (message, " ".join([reason, *map(str, fields.values())]))
        said, unsaid = self._seldom.get(about, (None, 0))
        if said is not None and timedelta(0) <= now - said < SELDOM:
            self._seldom[about] = (said, unsaid + 1)
            return
        self._seldom[about] = (now, 0)
        while len(self._seldom) > MOST_SELDOM:
            self._seldom.popitem(last=False)
        self.warning(message, reason=reason, **fields, **({"unsaid": unsaid} if unsaid else {}))

    def error(self, message: str, **fields: Any) -> None:
        """Say what somebody must look at."""
        self._write("ERROR", message, fields)

    def alert(self, message: str, **fields: Any) -> None:
        """Say what somebody must be woken for."""
        line = self._write("ALERT", message, fields)
        self.raised.append(Raised(line, None if self._now is None else self._now()))

    def failure(self, message: str, error: BaseException, **fields: Any) -> None:
        """Say what broke and where, without the exception's own words, which may quote what it met."""
        self._write("ERROR", message, {**fields, "error": type(error).__name__, "at": _places(error)})

    def _write(self, severity: str, message: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        context = _context.get() or {}
        # Cloud Run dates each line itself; elsewhere somebody gives us a clock.
        time = {} if self._now is None else {"time": self._now().isoformat(timespec="milliseconds")}
        line = {**time, "severity": severity, "message": message, "service": self._service}
        line |= _of_whom(context, self._project) | redacted(context) | redacted(fields)
        stream = self._stream or sys.stdout
        stream.write(orjson.dumps(line, default=lambda _: STRUCK_OUT).decode() + "\n")
        return line


def _of_whom(context: Mapping[str, Any], project: str) -> Mapping[str, str]:
    """Return tenant and trace as A §13.3 calls them, and as Cloud Logging puts a line under its request."""
    trace = trace_of(str(context.get("trace", "")))
    told = {"tenantId": context.get("tenant"), "traceId": trace_id(trace)}
    if trace and project:
        told[f"{LOGGING}/trace"] = f"projects/{project}/traces/{trace_id(trace)}"
        told[f"{LOGGING}/spanId"] = trace.split("-")[2]
    return {name: str(value) for name, value in told.items() if value}


def _places(error: BaseException) -> list[str]:
    places, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return places[-8:]
