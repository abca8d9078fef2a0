"""The line of those that wait out a vendor's trouble: how fast the sweeper begins them again.

| a key that is due | is |
|---|---|
| and does not wait out a trouble, or has its place | begun |
| for which there is room within a minute of the pace | begun |
| else | given the next place, and due then |

Of those that are begun some watch: they sleep on, as all do in the first minute, so that a vendor which is
back is found within a circuit's rest. Those whose guests are here are remembered apart, to be looked at
between two sweeps (decision 0330). A process knows of the places that it gave; one that knows of none
begins as many more. Decision 0245.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from shared.domain.ids import CredentialId, TenantId
from shared.domain.kinds import VendorCode
from shared.ledger.delays import WATCHED_FOR
from shared.ledger.key_record import KeyRecord, Saga, Work

A_SECOND: Final[Mapping[Work, int]] = {Work.SETTLE: 30, Work.ISSUE: 10}
"""So many of one vendor's are begun, most of them to close doors; a region begins a hundred executions."""
A_SWEEP: Final = timedelta(minutes=1)
LONGEST_LINE: Final = timedelta(hours=2)
"""Nobody is sent further back: a clock that was set back leaves places that are too far away."""
WATCHERS: Final = 500
"""So many of one vendor's sleep on at a time: a cell has room for ten thousand executions."""


MOST_HERE: Final = 200
"""So many keys of guests who are here are looked at between two sweeps; beyond them, with each sweep."""


@dataclass(slots=True)
class TroubleLine:
    """The places that were given: until when, of each vendor and work; and who watches, by the time."""

    _taken: dict[tuple[VendorCode, Work], datetime] = field(default_factory=dict)
    _here: dict[tuple[TenantId, CredentialId], datetime] = field(default_factory=dict)
    _watching: Counter[VendorCode] = field(default_factory=Counter)
    _since: datetime | None = None

    def later(self, saga: Saga, vendor: VendorCode, now: datetime) -> datetime | None:
        """Return when a key is to be begun that is due now; None if that is now."""
        if saga.placed or not saga.waits_out_trouble:
            return None
        line = (vendor, saga.kind)
        place = max(now, min(self._taken.get(line, now), now + LONGEST_LINE))
        self._taken[line] = place + timedelta(seconds=1) / A_SECOND[saga.kind]
        return None if place < now + A_SWEEP else place

    def note_here(self, entry: KeyRecord) -> None:
        """Keep that somebody is here for whom a key waits: it is looked at again before the next sweep."""
        core = entry.credential.core
        if len(self._here) < MOST_HERE:
            self._here[core.tenant, core.id] = core.window.start

    def take_here(self) -> list[tuple[TenantId, CredentialId]]:
        """Return the keys that were noted since the last time, of whoever is here longest first."""
        found, self._here = self._here, {}
        return sorted(found, key=lambda each: found[each])

    def watched(self, saga: Saga, vendor: VendorCode, now: datetime) -> Saga:
        """Return the work of a key that is begun: it watches, if it waits out a trouble and few do."""
        if not saga.waits_out_trouble:
            return saga
        if self._since is None or not self._since <= now < self._since + WATCHED_FOR:
            self._since = now
            self._watching.clear()
        self._watching[vendor] += 1
        return saga.watching(now) if self._watching[vendor] <= WATCHERS else saga
