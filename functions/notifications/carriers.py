"""A tenant's messengers, opened with its accounts as they are kept now."""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from shared.domain.ids import TenantId
from shared.messages.kinds import Channel
from shared.notify.accounts import account_fields, mail_account, push_account, sms_account
from shared.notify.mail import SmtpCarrier
from shared.notify.mail_lines import SocketLines
from shared.notify.push import FcmCarrier
from shared.notify.sms import TwilioCarrier
from shared.ports.messengers import MailLines
from shared.runtime.platform import Platform
from shared.usecases.guests.tell_guest import Carry

MAIL_LINES: Final = "mail_lines"
"""Under this name a host keeps other lines to mail servers than sockets: a simulated world has none."""


def mail_lines(on: Platform) -> MailLines:
    """Return what opens lines to mail servers."""
    lines: MailLines = on.kept.get(MAIL_LINES) or SocketLines()
    return lines


def _mail(fields: Mapping[str, Any], on: Platform) -> Any:
    return SmtpCarrier(mail_account(fields), mail_lines(on))


def _sms(fields: Mapping[str, Any], on: Platform) -> Any:
    return TwilioCarrier(sms_account(fields), on.http)


def _push(fields: Mapping[str, Any], on: Platform) -> Any:
    return FcmCarrier(push_account(fields), on.http, on.clock)


_OPENERS: Final[Mapping[Channel, Callable[[Mapping[str, Any], Platform], Any]]] = {
    Channel.EMAIL: _mail,
    Channel.SMS: _sms,
    Channel.PUSH: _push,
}


async def carrier(channel: Channel, tenant: TenantId, on: Platform) -> Carry | None:
    """Return how a tenant's messages go on a way; None where it has no account there."""
    fields = await account_fields(channel, tenant, on.secrets)
    return None if fields is None else cast("Carry", _OPENERS[channel](fields, on).send)
