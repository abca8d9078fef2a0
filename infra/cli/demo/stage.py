"""Where the demo is played: a fleet, a vendor with its doors, and a stay to tell of."""

from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from infra.cli.cloud import Cloud
from infra.cli.control import ControlPlane
from infra.cli.demo.doors import Doors
from infra.cli.demo.front_desk import FrontDesk
from infra.cli.demo.guest import Guest
from infra.cli.demo.process import Process
from infra.cli.demo.stay import TENANT, Stay
from infra.cli.polling import Patience
from shared.domain.secret import Secret

T = TypeVar("T")
Json = Mapping[str, Any]
IN_TIME: Final = {Cloud.EMBEDDED: 25.0, Cloud.GOOGLE: 90.0}
"""On Google Cloud nobody can tell that an instance died: what it held waits until it runs out."""
AT_ONCE: Final = 16


@dataclass(slots=True)
class Stage:
    """What the acts work on, and what they learn for those that follow."""

    fleet: Process
    vendor: Process
    control: ControlPlane
    doors: Doors
    patience: Patience
    stay: Stay
    guest: Guest
    home: Path = Path()
    desk: FrontDesk | None = None
    platform: Cloud = Cloud.EMBEDDED
    execution: str = ""
    pin: Secret[str] = field(default_factory=lambda: Secret(""))
    staff_pin: Secret[str] = field(default_factory=lambda: Secret(""))
    counts: Counter[str] = field(default_factory=Counter)

    def until(self, look: Callable[[], T | None]) -> T:
        """Return what a look finds, in a while."""
        return self.patience.until(look, IN_TIME[self.platform])

    def publish(self, event: Json, times: int = 1) -> None:
        """Publish an event, as the reservation system would; or the very same many times, concurrently."""
        request = {"subject": event["subject"], "event": event}
        with ThreadPoolExecutor(AT_ONCE) as postmen:
            list(postmen.map(lambda _: self.control.post("publish", body=request), range(times)))
        self.counts["deliveries"] += times

    def document(self, collection: str, identity: str) -> Json:
        """Return a document of the hotel's, empty if there is none."""
        return self.control.get("documents", TENANT, collection, identity).get("document") or {}

    def keys_of(self, stay: Stay) -> list[Json]:
        """Return the keys of a stay, as an operator may see them."""
        found: list[Json] = self.control.get("credentials", tenant=TENANT, reservation=stay.id)["credentials"]
        return found

    def settled(self, state: str) -> Json | None:
        """Return the key of the stay, if it is in this state and nothing is owed to it."""
        found = (key for key in self.keys_of(self.stay) if key["state"] == state and not _owed(key))
        return next(found, None)

    def timeline(self) -> list[Json]:
        """Return all that happened to the stay so far."""
        lines: list[Json] = self.control.get("timeline", self.stay.id, tenant=TENANT)["timeline"]
        return lines

    def happened(self, source: str, kind: str) -> list[str]:
        """Return what happened of one sort, by one account."""
        return [each["what"] for each in self.timeline() if (each["source"], each["kind"]) == (source, kind)]


def _owed(key: Json) -> bool:
    """Say whether somebody must look at a key before its stay is over."""
    return key["due_at"] is not None and key["due_at"] < key["window"]["until"]
