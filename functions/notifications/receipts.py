"""Receipts of SMS, fetched from each tenant's own centre: a centre keeps them until somebody is bound to it.

A receipt needs no proof of its own: it comes over the line that we opened, to the account that sent. One of a
message that is not ours goes unheard, as does what a person answers: nobody reads there.
"""

from typing import Final

from functions.notifications.carriers import pdu_lines
from shared.domain.ids import TenantId
from shared.messages.kinds import Channel
from shared.notify.accounts import account_fields, smpp_account, speaks_smpp
from shared.notify.smpp import SmppCarrier
from shared.notify.smpp_pdu import Receipt
from shared.runtime.platform import Platform
from shared.usecases.guests.services import GuestServices
from shared.usecases.guests.sms_names import hear_receipt

WORDS: Final = {
    "DELIVRD": "delivered",
    "EXPIRED": "undelivered",
    "DELETED": "undelivered",
    "UNDELIV": "undelivered",
    "REJECTD": "failed",
}
"""SMPP's words of an end, in those that the ladder knows; any other tells of a message under way."""


async def read_receipts(tenant: TenantId, on: Platform) -> int:
    """Hear what became of a tenant's SMS, where its account is one at a centre."""
    fields = await account_fields(Channel.SMS, tenant, on.secrets)
    if fields is None or not speaks_smpp(fields):
        return 0

    async def hears(receipt: Receipt) -> None:
        await _heard(receipt, tenant, on)

    return await SmppCarrier(smpp_account(fields), pdu_lines(on)).receipts(hears)


async def _heard(receipt: Receipt, tenant: TenantId, on: Platform) -> None:
    word = WORDS.get(receipt.state, "sent")
    if not await hear_receipt(tenant, receipt.name, word, GuestServices.on(on), on.sagas):
        on.log.seldom("a receipt tells of an SMS that is not ours", receipt.state)
