"""A lock leaves its hotel: the backup code of its rooms ends first: nobody would take it back after.

Who dies after it has ended has a lock that is mapped still, and gets another code there within the hour.
"""

from shared.domain.kinds import RevokeReason
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.backup_code import backup_code_from, ref_of
from shared.ledger.ledger import Ledger
from shared.usecases.stays.rest_keys import unprompted


async def take_back(device: str, ledger: Ledger, services: Services) -> None:
    """End the backup code of the rooms behind a lock, if there is one."""
    await retry_on_conflict(lambda: _taken_back(device, ledger, services))


async def _taken_back(device: str, ledger: Ledger, services: Services) -> None:
    found = await ledger.documents.get(ref_of(device))
    code = None if found is None else backup_code_from(found)
    entry = None if code is None or code.key is None else await ledger.entry(code.key)
    if code is None or entry is None:
        return
    order = Order(unprompted(services), services.now)
    ended = end_key(entry, await ledger.grants(entry), RevokeReason.SECURITY, order)
    kept = code.with_key(None, services.now).write()
    for saved in await ledger.save_all([] if ended is None else [ended], kept):
        await begin_work(saved, ledger, services)
