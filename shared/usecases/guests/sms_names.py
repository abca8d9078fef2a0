"""SMS by the names that centres gave them: noted when one is sent, and found when its receipt comes."""

from shared.domain.ids import TenantId
from shared.ledger.short_messages import ShortMessagesSent
from shared.messages.kinds import Channel
from shared.ports.ambient import Clock
from shared.ports.documents import DocumentStore
from shared.ports.sagas import Sagas
from shared.usecases.guests.hear_status import Status, hear_status
from shared.usecases.guests.services import GuestServices


async def note_name(tenant: TenantId, name: str, notice: str, documents: DocumentStore, clock: Clock) -> None:
    """Keep what a centre called the SMS of a notice."""
    await ShortMessagesSent(documents.tenant(tenant)).keep(name, notice, clock.now())


async def hear_receipt(tenant: TenantId, name: str, word: str, on: GuestServices, sagas: Sagas) -> bool:
    """Keep what became of the SMS of a name; return whether it is one of ours."""
    notice = await ShortMessagesSent(on.documents.tenant(tenant)).notice_of(name)
    if notice is None:
        return False
    await hear_status(Status(tenant, notice, Channel.SMS, word), on, sagas)
    return True
