"""Mail that came back: read from each tenant's mailbox, or handed over by whoever takes mail for it.

A report is believed because it came to the letter's own return path, which holds a code; who handed it over
proves nothing, and need not. What is no report, or of no letter of ours, goes unheard: nobody writes there.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from functions.notifications.carriers import mail_lines
from functions.notifications.receipts import read_receipts
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.messages.kinds import Channel
from shared.notify.accounts import Bounces, account_fields, bounces_of
from shared.notify.mailbox import Mailbox
from shared.notify.return_path import notice_at
from shared.notify.returned_mail import read_returned
from shared.ports.messengers import MessengerTrouble
from shared.ports.trouble import ServiceTrouble
from shared.queries.hotels import Cell
from shared.runtime.platform import Platform
from shared.usecases.guests.hear_status import Status, hear_status, take_no_more
from shared.usecases.guests.services import GuestServices

AT_ONCE: Final = 8
VISIT_SECONDS: Final = 120.0
"""A mailbox that takes longer is left until the next visit."""


Visit = Callable[[TenantId, Platform], Awaitable[int]]


async def read_mailboxes(on: Platform) -> dict[str, Any]:
    """Visit the mailbox and the SMS centre of every tenant that has one."""
    tenants, turn = await Cell(on.documents, on.cell).tenants(), asyncio.Semaphore(AT_ONCE)

    async def visited(tenant: TenantId) -> list[int]:
        async with turn:
            return [await _visited(name, tenant, on) for name in _VISITS]

    counts = await asyncio.gather(*map(visited, tenants))
    return {name: sum(each[at] for each in counts) for at, name in enumerate(_VISITS)}


async def _visited(name: str, tenant: TenantId, on: Platform) -> int:
    visit, unread = _VISITS[name]
    try:
        async with asyncio.timeout(VISIT_SECONDS):
            return await visit(tenant, on)
    except (InvalidInput, MessengerTrouble, ServiceTrouble, TimeoutError) as trouble:
        on.log.failure(unread, trouble, tenant=tenant)
        return 0


async def _read(tenant: TenantId, on: Platform) -> int:
    bounces = await bounces_at(tenant, on)
    if bounces is None or bounces.mailbox is None:
        return 0
    return await Mailbox(bounces.mailbox, mail_lines(on)).read(partial(_may_go, tenant, bounces, on))


_VISITS: Final[Mapping[str, tuple[Visit, str]]] = {
    "read": (_read, "a mailbox of returned mail could not be read"),
    "receipts": (read_receipts, "receipts of SMS could not be fetched"),
}


async def _may_go(tenant: TenantId, bounces: Bounces, on: Platform, raw: bytes) -> bool:
    try:
        await hear_returned(raw, tenant, bounces, on)
    except Exception as error:  # noqa: BLE001 - one mail must not keep the others from being heard
        on.log.failure("a returned mail could not be heard", error, tenant=tenant)
        return False
    return True


async def bounces_at(tenant: TenantId, on: Platform) -> Bounces | None:
    """Return where a tenant's letters come back to, if anywhere."""
    fields = await account_fields(Channel.EMAIL, tenant, on.secrets)
    return None if fields is None else bounces_of(fields)


async def hear_returned(raw: bytes, tenant: TenantId, bounces: Bounces, on: Platform) -> bool:
    """Hear a mail that came to a return path; return whether it was proven to be of a letter of ours."""
    mail = read_returned(raw)
    notices = (notice_at(address, tenant, bounces) for address in mail.to)
    notice = next((each for each in notices if each is not None), None)
    if notice is None or mail.word is None:
        on.log.seldom("mail came back that tells of no letter", "no report" if notice else "no return path")
        return notice is not None
    status, services = Status(tenant, notice, Channel.EMAIL, mail.word), GuestServices.on(on)
    await hear_status(status, services, on.sagas)
    await take_no_more(status, services)
    return True
