"""The sweeper's part in sending events: one that is due, and that nobody sends, is taken up again.

A retry whose time has come, an execution that died, a claim whose holder died: each left a due time.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from shared.keywork.services import Services
from shared.ledger.sending import find_sending
from shared.ports.documents import TenantDocuments
from shared.usecases.outbound.services import WORKFLOW

TAKEN_UP_WITHIN: Final = timedelta(minutes=3)
"""A try writes when it must be looked at again; one that never came to that is replaced after this."""


async def tend_sending(name: str, store: TenantDocuments, services: Services) -> bool:
    """Begin to send an event that is due; return whether there was anything to do."""
    sending = await find_sending(name, store)
    if sending is None or sending.due is None or sending.due > services.now:
        return False
    # Moved on before it is begun, so that two sweeps do not begin two; and two would do no harm.
    await replace(sending, due=services.now + TAKEN_UP_WITHIN).saved(store)
    await services.sagas.start(WORKFLOW, {"tenant": str(store.tenant), "sending": name})
    return True
