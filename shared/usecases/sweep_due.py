"""The sweeper: every key whose time has come is tended, whoever's it is."""

from shared.ledger.entry import DUE, milliseconds
from shared.ports.documents import DocumentStore, StaleVersion
from shared.usecases.office import Office
from shared.usecases.tend_key import tend_if_due

AT_A_TIME = 200


async def sweep_due(documents: DocumentStore, office: Office) -> int:
    """Tend what is due, the longest overdue first, and return how many keys that were."""
    due = await documents.sweep(DUE, {}, until=milliseconds(office.now), limit=AT_A_TIME)
    tended = 0
    for tenant, credential in due:
        try:
            tended += await tend_if_due(credential, await office.ledger(tenant), office)
        except StaleVersion:
            continue  # somebody else tends it
        except Exception as error:  # noqa: BLE001 - one broken entry must not keep the others waiting
            office.log.failure("a due key could not be tended", error, tenant=tenant, credential=credential)
    return tended
