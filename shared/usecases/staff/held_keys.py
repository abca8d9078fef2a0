"""What a member of staff holds: master keys that are not over, and whether they may hold any."""

from typing import Final

from shared.domain.ids import UserId
from shared.ledger.indexes import LIVE_OF_STAFF, MASTER_KEYS_OF
from shared.ledger.key_record import KeyRecord, key_record_from
from shared.ledger.ledger import Ledger
from shared.ledger.master_key_record import MasterKeyRecord, master_key_from
from shared.ports.documents import Document, Index, Ref
from shared.usecases.hotels.staff_access import STOPPED

PAGE: Final = 200


async def living_keys(staff: UserId, ledger: Ledger) -> list[MasterKeyRecord]:
    """Return the master keys of a person that are not over."""
    return [master_key_from(each) for each in await _of(staff, MASTER_KEYS_OF, "of_staff", ledger)]


async def living_credentials(staff: UserId, ledger: Ledger) -> list[KeyRecord]:
    """Return the credentials of a person that are not over, whatever they belong to."""
    return [key_record_from(each) for each in await _of(staff, LIVE_OF_STAFF, "staff_id", ledger)]


async def is_stopped(staff: UserId, ledger: Ledger) -> bool:
    """Say whether a person lost their account: no shift gives them a key any more."""
    return await ledger.documents.get(Ref(STOPPED, staff)) is not None


async def _of(staff: UserId, index: Index, field: str, ledger: Ledger) -> list[Document]:
    page = await ledger.documents.query(index, {field: str(staff)}, limit=PAGE)
    found = list(page)
    while len(page) == PAGE:
        page = await ledger.documents.query(index, {field: str(staff)}, after=page[-1], limit=PAGE)
        found += page
    return found
