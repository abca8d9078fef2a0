"""A tenant's messengers, opened with its accounts as they are kept now."""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from shared.domain.ids import TenantId
from shared.messages.kinds import Channel
from shared.notify.accounts import (
    account_fields,
    mail_account,
    push_account,
    smpp_account,
    sms_account,
    speaks_smpp,
)
from shared.notify.mail import SmtpCarrier
from shared.notify.mail_lines import SocketLines
from shared.notify.pdu_lines import PduSockets
from shared.notify.push import FcmCarrier
from shared.notify.smpp import SmppCarrier
from shared.notify.sms import TwilioCarrier
from shared.ports.messengers import MailLines, PduLines, ShortMessage
from shared.runtime.platform import Platform
from shared.usecases.guests.sms_names import note_name
from shared.usecases.guests.tell_guest import Carry

MAIL_LINES: Final = "mail_lines"
"""Under this name a host keeps other lines to mail servers than sockets: a simulated world has none."""


def mail_lines(on: Platform) -> MailLines:
    """Return what opens lines to mail servers."""
    lines: MailLines = on.kept.get(MAIL_LINES) or SocketLines()
    return lines


PDU_LINES: Final = "pdu_lines"
"""Likewise, of lines to SMS centres."""


def pdu_lines(on: Platform) -> PduLines:
    """Return what opens lines to SMS centres."""
    lines: PduLines = on.kept.get(PDU_LINES) or PduSockets()
    return lines


class CentreCarrier:
    """A tenant's account at an SMS centre, which notes by which name the receipt of a message will come."""

    def __init__(self, carrier: SmppCarrier, tenant: TenantId, on: Platform) -> None:
        self._carrier, self._tenant, self._on = carrier, tenant, on

    async def send(self, message: ShortMessage) -> str:
        """Hand a short message over; if we die before its name is kept, it stays unconfirmed."""
        name = await self._carrier.send(message)
        notice, on = message.status_url.rpartition("/")[2], self._on
        await note_name(self._tenant, name, notice, on.documents, on.clock)
        return name


def _mail(fields: Mapping[str, Any], _tenant: TenantId, on: Platform) -> Any:
    return SmtpCarrier(mail_account(fields), mail_lines(on))


def _sms(fields: Mapping[str, Any], tenant: TenantId, on: Platform) -> Any:
    if speaks_smpp(fields):
        return CentreCarrier(SmppCarrier(smpp_account(fields), pdu_lines(on)), tenant, on)
    return TwilioCarrier(sms_account(fields), on.http)


def _push(fields: Mapping[str, Any], _tenant: TenantId, on: Platform) -> Any:
    return FcmCarrier(push_account(fields), on.http, on.clock)


_OPENERS: Final[Mapping[Channel, Callable[[Mapping[str, Any], TenantId, Platform], Any]]] = {
    Channel.EMAIL: _mail,
    Channel.SMS: _sms,
    Channel.PUSH: _push,
}


async def carrier(channel: Channel, tenant: TenantId, on: Platform) -> Carry | None:
    """Return how a tenant's messages go on a way; None where it has no account there."""
    fields = await account_fields(channel, tenant, on.secrets)
    return None if fields is None else cast("Carry", _OPENERS[channel](fields, tenant, on).send)
