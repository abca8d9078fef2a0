"""What became of messages, as it comes in: read, proven, and answered alike whether it is believed or not.

| path | who tells | proven by |
|---|---|---|
| `POST /sms/{tenant}/{notice}` | the SMS provider | its signature over the address and every field |
| `POST /push/{tenant}/{notice}` | the guest's app | the receipt that was in the push |
| `POST /email/{tenant}` | the mail service | a signature over id, time and body, five minutes good |
| `POST /bounce/{tenant}` | whoever takes mail for us | the code in the letter's own return path |

Whatever is wrong is 401 and says nothing of what there is.
"""

import base64
import hmac
import re
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson
from starlette.responses import Response

from functions.notifications.returned import bounces_at, hear_returned
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.kernel.identity import Unauthenticated
from shared.messages.kinds import Channel
from shared.notify.accounts import account_fields, sms_account
from shared.notify.sms import signature_of
from shared.runtime.incoming import Incoming
from shared.runtime.platform import Platform
from shared.usecases.guests.hear_status import Status, hear_status, receipt_fits, status_url_of, take_no_more
from shared.usecases.guests.services import GuestServices

_NAMED: Final = re.compile(r"/(sms|push)/(tnt_[0-9A-Za-z_-]{1,64})/([0-9A-Za-z_-]{1,80})")
_BOUNCE: Final = re.compile(r"/bounce/(tnt_[0-9A-Za-z_-]{1,64})")
_OF_MAIL: Final = re.compile(r"/email/(tnt_[0-9A-Za-z_-]{1,64})")
GOOD_FOR: Final = timedelta(minutes=5)
NOBODYS: Final = "not a status that anybody sent"


async def heard(came: Incoming, on: Platform) -> Response:
    """Hear one status."""
    services = GuestServices.on(on)
    if (named := _BOUNCE.fullmatch(came.path)) is not None:
        return await _came_back(came, TenantId(named[1]), on)
    status = await _believed(came, on, services)
    await hear_status(status, services, on.sagas)
    await take_no_more(status, services)
    return Response(status_code=204)


async def _came_back(came: Incoming, tenant: TenantId, on: Platform) -> Response:
    try:
        await on.hotels.admit(tenant)
        bounces = await bounces_at(tenant, on)
    except InvalidInput:
        bounces = None
    if bounces is None or not await hear_returned(came.body, tenant, bounces, on):
        raise Unauthenticated(NOBODYS)
    return Response(status_code=204)


async def _believed(came: Incoming, on: Platform, services: GuestServices) -> Status:
    """Return what is told, or raise Unauthenticated; what cannot be read is told apart in the log alone."""
    try:
        return await _read(came, on, services)
    except (InvalidInput, ValueError, KeyError, TypeError) as fault:
        unread = fault.field if isinstance(fault, InvalidInput) else type(fault).__name__
        on.log.seldom("a status could not be read", unread)
        raise Unauthenticated(NOBODYS) from None


async def _read(came: Incoming, on: Platform, services: GuestServices) -> Status:
    if (named := _NAMED.fullmatch(came.path)) is not None:
        await on.hotels.admit(named[2])
        read = _of_sms if named[1] == "sms" else _of_push
        return await read(came, TenantId(named[2]), named[3], on, services)
    if (named := _OF_MAIL.fullmatch(came.path)) is not None:
        await on.hotels.admit(named[1])
        return await _of_mail(came, TenantId(named[1]), on)
    raise Unauthenticated(NOBODYS)


async def _of_sms(
    came: Incoming, tenant: TenantId, notice: str, on: Platform, services: GuestServices
) -> Status:
    form = dict(parse_qsl(came.body.decode(), keep_blank_values=True, max_num_fields=64))
    fields = await account_fields(Channel.SMS, tenant, on.secrets)
    url = await status_url_of(tenant, notice, services)
    if fields is None or url is None:
        raise Unauthenticated(NOBODYS)
    expected = signature_of(sms_account(fields).token, url, form)
    if not hmac.compare_digest(came.headers.get("x-twilio-signature", "").encode(), expected.encode()):
        raise Unauthenticated(NOBODYS)
    return Status(tenant, notice, Channel.SMS, form["MessageStatus"])


async def _of_push(
    came: Incoming, tenant: TenantId, notice: str, _on: Platform, services: GuestServices
) -> Status:
    status = Status(tenant, notice, Channel.PUSH, "arrived")
    receipt = Secret(str(orjson.loads(came.body)["receipt"]))
    if not await receipt_fits(status, receipt, services):
        raise Unauthenticated(NOBODYS)
    return status


async def _of_mail(came: Incoming, tenant: TenantId, on: Platform) -> Status:
    fields = await account_fields(Channel.EMAIL, tenant, on.secrets)
    secret = (fields or {}).get("webhookSecret")
    if not isinstance(secret, str) or not _signed(came, secret, on.clock.now()):
        raise Unauthenticated(NOBODYS)
    told: dict[str, Any] = orjson.loads(came.body)
    notice, _, whose = str(told["messageId"]).strip("<>").partition("@")[0].partition(".")
    if whose != tenant:
        raise Unauthenticated(NOBODYS)
    return Status(tenant, notice, Channel.EMAIL, str(told["type"]))


def _signed(came: Incoming, secret: str, now: datetime) -> bool:
    """Say whether a body was signed with a secret of late (Standard Webhooks)."""
    name, at = (came.headers.get(f"webhook-{part}", "") for part in ("id", "timestamp"))
    if not at.isdecimal() or abs(now.timestamp() - int(at)) > GOOD_FOR.total_seconds():
        return False
    signed = hmac.digest(base64.b64decode(secret), f"{name}.{at}.".encode() + came.body, "sha256")
    expected = f"v1,{base64.b64encode(signed).decode()}"
    said = came.headers.get("webhook-signature", "").split(" ")
    matches = [hmac.compare_digest(each.encode(), expected.encode()) for each in said]
    return any(matches)
