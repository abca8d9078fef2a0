"""When a key may open: two UTC instants, and the property's own clock to read them by."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Self
from zoneinfo import ZoneInfo

from shared.domain.errors import InvalidInput
from shared.domain.instants import utc
from shared.domain.replacing import born_open


def zone_named(name: str) -> ZoneInfo:
    """Return a time zone of the IANA database."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        remedy = "Give a name of the IANA database, such as Asia/Kabul"
        raise InvalidInput("zone", "not a known time zone", remedy) from None


@born_open
@dataclass(frozen=True, slots=True)
class StayWindow:
    """The half-open time [start, end) of a stay, in the property's zone."""

    start: datetime
    end: datetime
    zone: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", utc(self.start, "validFrom"))
        object.__setattr__(self, "end", utc(self.end, "validUntil"))
        zone_named(self.zone)
        if self.end <= self.start:
            raise InvalidInput("validUntil", "not after validFrom", "Give an end later than the start")

    @classmethod
    def of_local(cls, start: datetime, end: datetime, zone: str) -> Self:
        """Read wall-clock times; where a clock change makes one doubtful, the guest gets the longer stay."""
        return cls(min(_readings(start, zone)), max(_readings(end, zone)), zone)

    @property
    def duration(self) -> timedelta:
        """How long the window is."""
        return self.end - self.start

    @property
    def local_start(self) -> datetime:
        """The start on the property's clock."""
        return self.start.astimezone(zone_named(self.zone))

    @property
    def local_end(self) -> datetime:
        """The end on the property's clock."""
        return self.end.astimezone(zone_named(self.zone))

    def covers(self, instant: datetime) -> bool:
        """Say whether the window is open at an instant."""
        return self.start <= utc(instant, "instant") < self.end

    def overlaps(self, other: "StayWindow") -> bool:
        """Say whether two windows share any time."""
        return self.start < other.end and other.start < self.end

    def until(self, end: datetime) -> Self:
        """Return the window with another end."""
        return replace(self, end=end)


def _readings(wall: datetime, zone: str) -> tuple[datetime, datetime]:
    """Return both instants a wall-clock time may mean; they differ only around a clock change."""
    if wall.tzinfo is not None:
        raise InvalidInput("localTime", "it already has a zone", "Give the property's wall-clock time")
    local = wall.replace(tzinfo=zone_named(zone))
    return local.replace(fold=0).astimezone(UTC), local.replace(fold=1).astimezone(UTC)
