"""What the catalogue knows about one subject; standard library only."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

SCHEMA_ROOT = "https://schemas.melmastoon.ghasi.io/lock/"


class Direction(StrEnum):
    """Which way a subject travels, seen from us."""

    PRODUCED = "produced"
    CONSUMED = "consumed"
    LOCAL = "local"


class Retention(StrEnum):
    """The retention classes of B §4."""

    OPERATIONAL = "operational"
    REGULATED = "regulated"
    AUDIT = "audit"


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """How many days each store keeps an event; None means until the tenant is deleted."""

    message_days: int
    sink_days: int
    store_days: int | None
    merkle_anchored: bool = False


_SEVEN_YEARS = 7 * 365 + 2
RETENTION_RULES: Mapping[Retention, RetentionRule] = MappingProxyType(
    {
        Retention.OPERATIONAL: RetentionRule(7, 90, 90),
        Retention.REGULATED: RetentionRule(7, _SEVEN_YEARS, None),
        Retention.AUDIT: RetentionRule(7, _SEVEN_YEARS, None, merkle_anchored=True),
    }
)


@dataclass(frozen=True, slots=True)
class Subject:
    """One row of the catalogue."""

    name: str
    direction: Direction
    producer: str
    consumers: tuple[str, ...]
    model: str
    retention: Retention | None = None
    merkle_anchored: bool = False
    recipe: str | None = None
    extension: bool = False

    @property
    def topic(self) -> str | None:
        """The Pub/Sub topic: the subject itself, or None for what never leaves the desk (B §7)."""
        return None if self.direction is Direction.LOCAL else self.name

    @property
    def schema_url(self) -> str:
        """Where B §5 publishes the schema: the full subject under our root."""
        return f"{SCHEMA_ROOT}{self.name}.json"

    @property
    def handler(self) -> str:
        """What the function is called that handles it when we consume it: `on-` and what happened."""
        words = self.name.removeprefix("melmastoon.").rpartition(".v")[0].split(".")[1:]
        return f"on-{'-'.join(words)}".replace("_", "-")

    @property
    def version(self) -> int:
        """The number at the end of the name."""
        return int(self.name.rpartition(".v")[2])
