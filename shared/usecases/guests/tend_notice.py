"""The sweeper's part in telling guests: a notice that is due, and that nobody tells, is taken up again.

A night that is over, a retry whose time has come, an execution that died: each left a due time. It is moved
on before an execution is begun, so that two sweeps do not begin two; and two would do no harm.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from shared.ledger.notices import notice_at, notice_from
from shared.ports.documents import TenantDocuments
from shared.ports.sagas import Sagas
from shared.usecases.guests.hear_of_key import begin_delivery

TAKEN_UP_WITHIN: Final = timedelta(minutes=3)
"""A step writes when it must be looked at again; one that never came to that is replaced after this."""


async def tend_notice(name: str, store: TenantDocuments, sagas: Sagas, now: datetime) -> bool:
    """Begin to deliver a notice that is due; return whether there was anything to do."""
    found = await store.get(notice_at(name))
    if found is None:
        return False
    notice = notice_from(found)
    if notice.due is None or notice.due > now:
        return False
    if notice.outcome is None:  # else the desk is still to be called, by whoever finds that due
        await store.commit([replace(notice, due=now + TAKEN_UP_WITHIN).write()])
    await begin_delivery(store.tenant, notice.id, sagas)
    return True
