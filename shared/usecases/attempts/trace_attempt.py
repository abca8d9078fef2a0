"""From what was typed or held to a reader to the key: by its blind index, or by the name that we gave it.

| a record has | looked up among |
|---|---|
| what was typed | grants that are not over, by the PIN's blind index at this property |
| what was typed, and no key's | the codes by which locks are challenged |
| our name for the key | grants at this lock that are not over, then those that are |

What was typed is turned into indexes here, and goes no further.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from shared.domain.ids import LockDeviceId
from shared.domain.premises import LockDevice
from shared.keywork.vendor_session import VendorSession
from shared.ledger.challenge import challenge_from
from shared.ledger.grant_record import MOST_GRANTS, GrantRecord, grant_from, pin_key
from shared.ledger.indexes import AT_DEVICE, CHALLENGES, GONE, WITH_PIN
from shared.ledger.ledger import Ledger
from shared.ports.documents import Document
from shared.ports.door_records import DoorRecord, Means
from shared.usecases.attempts.judge_attempt import Traced
from shared.vendor_kit.webhook import name_kept

OF_ONE_PIN: Final = 100


@dataclass(frozen=True, slots=True)
class Tracer:
    """Traces attempts at one property's locks of one vendor."""

    desk: VendorSession
    ledger: Ledger

    async def traced(self, record: DoorRecord, door: LockDevice) -> Traced:
        """Return whose attempt it was."""
        kept = await self._by_pin(record, door.id) or await self._by_name(record, door.id)
        if kept is None:
            return Traced(challenge=await self._challenge(record))
        entry = await self.ledger.entry(str(kept.grant.credential_id))
        return Traced(kept, entry, kept.grant.device_id == door.id)

    async def _by_pin(self, record: DoorRecord, device: LockDeviceId) -> GrantRecord | None:
        if record.secret is None or record.means is not Means.PIN:
            return None
        found = list[Document]()
        for index in await self.desk.secrets.pin_indexes(self.desk.binding.property.id, record.secret):
            found += await self.ledger.documents.query(WITH_PIN, {"pin": pin_key(index)}, limit=OF_ONE_PIN)
        return _likeliest(map(grant_from, found), device, record.at)

    async def _challenge(self, record: DoorRecord) -> LockDeviceId | None:
        """Return the lock that was challenged by this code, be it typed there or elsewhere."""
        if record.secret is None or record.means is not Means.PIN:
            return None
        for index in await self.desk.secrets.pin_indexes(self.desk.binding.property.id, record.secret):
            found = await self.ledger.documents.query(CHALLENGES, {"pin": pin_key(index)}, limit=1)
            if found:
                return challenge_from(found[0]).device_id
        return None

    async def _by_name(self, record: DoorRecord, device: LockDeviceId) -> GrantRecord | None:
        name = name_kept(record.name)
        if name is None:
            return None
        documents = self.ledger.documents
        at_lock = await documents.query(AT_DEVICE, {"device_id": str(device)}, limit=MOST_GRANTS)
        here = [kept for kept in map(grant_from, at_lock) if kept.grant.vendor_name == name]
        if not here:
            over = map(grant_from, await documents.query(GONE, {"gone_as": name}, limit=OF_ONE_PIN))
            here = [kept for kept in over if kept.grant.device_id == device]
        return _likeliest(here, device, record.at)


def _likeliest(found: Iterable[GrantRecord], device: LockDeviceId, at: datetime) -> GrantRecord | None:
    """Return the grant at this very door and of that time, or the next best."""
    return max(
        found,
        key=lambda kept: (kept.grant.device_id == device, kept.since <= at < kept.until, kept.since),
        default=None,
    )
