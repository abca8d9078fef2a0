"""The table of C §3: a subject's topic, share, unit of sampling, road and retention; stdlib only."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Final

ROOT: Final = "melmastoon.bff.backoffice"
SCHEMA_ROOT: Final = "https://schemas.melmastoon.ghasi.io/bff-backoffice"
PRODUCER: Final = "bff-backoffice-service"
DLQ_DEPTH_ALERT: Final = 50
"""How many dead letters of a group call somebody (C §18)."""
SUPERSEDED_FOR: Final = timedelta(days=90)
"""How long a version is still published after its successor (C §17)."""


class Group(StrEnum):
    """The topics: several subjects share one."""

    SESSION = "session"
    ACTIVITY = "activity"
    AI = "ai"
    ALERTS = "alerts"
    DEVICES = "devices"
    SYNC = "sync"
    LOCKS = "locks"

    @property
    def topic(self) -> str:
        """The topic of the group."""
        return f"{ROOT}.{self}"

    @property
    def dead_letters(self) -> str:
        """The topic of what nobody could take (C §18)."""
        return f"{ROOT}.{self}.dlq.v1"


class RetentionClass(StrEnum):
    """The classes of C §3, which are C's own and not B's."""

    REGULATED = "regulated"
    AUDIT = "audit"
    OPERATIONAL = "operational"


class Unit(StrEnum):
    """Whose lot is drawn once for all: what is told of one session is told whole, or not at all."""

    SESSION = "session"
    DEVICE_HOUR = "device_hour"


class Road(StrEnum):
    """How a subject reaches its topic: what is kept for years goes with the state it tells of."""

    OUTBOX = "outbox"
    BUFFERED = "buffered"


@dataclass(frozen=True, slots=True)
class Telemetry:
    """A subject of C §3; without a unit all of it is told."""

    event: str
    model: str
    group: Group
    retention: RetentionClass
    keep_days: int
    rate: float = 1.0
    unit: Unit | None = None
    road: Road = Road.BUFFERED
    version: int = 1

    @property
    def subject(self) -> str:
        """The full name."""
        return f"{ROOT}.{self.event}.v{self.version}"

    @property
    def schema_path(self) -> str:
        """Where its schema lies in the registry (C §16)."""
        return f"{self.event.replace('.', '-').replace('_', '-')}/v{self.version}.json"

    @property
    def schema_uri(self) -> str:
        """What the envelope calls its schema (C §2)."""
        return f"{SCHEMA_ROOT}/{self.schema_path}"


_SEVEN_YEARS: Final = 7 * 365 + 2
_VIEW: Final = (Group.ACTIVITY, RetentionClass.OPERATIONAL, 90)
_LASTING: Final = (RetentionClass.REGULATED, _SEVEN_YEARS, 1.0, None, Road.OUTBOX)

_ROWS: Final = (
    Telemetry("session.opened", "sessions:SessionOpenedV1", Group.SESSION, *_LASTING),
    Telemetry("session.closed", "sessions:SessionClosedV1", Group.SESSION, *_LASTING),
    Telemetry("dashboard.viewed", "views:DashboardViewedV1", *_VIEW, 0.25, Unit.SESSION),
    Telemetry("workbench.opened", "views:WorkbenchOpenedV1", *_VIEW, 0.25, Unit.SESSION),
    Telemetry("ai_suggestion.decided", "decisions:AiSuggestionDecidedV1", Group.AI, *_LASTING),
    Telemetry(
        "alert.acknowledged",
        "decisions:AlertAcknowledgedV1",
        Group.ALERTS,
        RetentionClass.AUDIT,
        365,
        road=Road.OUTBOX,
    ),
    Telemetry("operator.activity", "views:OperatorActivityV1", *_VIEW, 0.10, Unit.SESSION),
    Telemetry(
        "device.heartbeat",
        "devices:DeviceHeartbeatV1",
        Group.DEVICES,
        RetentionClass.OPERATIONAL,
        30,
        0.05,
        Unit.DEVICE_HOUR,
    ),
    Telemetry(
        "sync.cursor_advanced",
        "devices:SyncCursorAdvancedV1",
        Group.SYNC,
        RetentionClass.OPERATIONAL,
        90,
    ),
    Telemetry(
        "sync.handshake_completed",
        "devices:SyncHandshakeCompletedV1",
        Group.SYNC,
        RetentionClass.OPERATIONAL,
        90,
    ),
    Telemetry("lock.action_proxied", "decisions:LockActionProxiedV1", Group.LOCKS, *_LASTING),
)

TELEMETRY: Final[Mapping[str, Telemetry]] = MappingProxyType({row.subject: row for row in _ROWS})
"""Every subject that the backoffice publishes, by its name."""
