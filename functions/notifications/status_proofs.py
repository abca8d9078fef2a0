"""What proves a status: a provider's signature over the address, a push's receipt, a mail service's."""

import base64
import hmac
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final
from urllib.parse import parse_qsl

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.messages.kinds import Channel
from shared.notify.accounts import account_fields, sms_account
from shared.notify.sms import signature_of
from shared.runtime.incoming import Incoming
from shared.runtime.platform import Platform
from shared.usecases.guests.hear_status import Status, receipt_fits, status_url_of
from shared.usecases.guests.services import GuestServices

GOOD_FOR: Final = timedelta(minutes=5)
Proof = Callable[[Incoming, TenantId, str, Platform, GuestServices], Awaitable[Status | None]]


async def believed(
    came: Incoming, named: tuple[str, TenantId, str], on: Platform, services: GuestServices
) -> Status | None:
    """Return what is told, or None if nothing proves it; what cannot be read is told in the log alone."""
    way, tenant, notice = named
    try:
        await on.hotels.admit(tenant)
        return await _PROOFS[way](came, tenant, notice, on, services)
    except (InvalidInput, ValueError, KeyError, TypeError) as fault:
        unread = fault.field if isinstance(fault, InvalidInput) else type(fault).__name__
        on.log.seldom("a status could not be read", unread)
        return None


async def _of_sms(
    came: Incoming, tenant: TenantId, notice: str, on: Platform, services: GuestServices
) -> Status | None:
    form = dict(parse_qsl(came.body.decode(), keep_blank_values=True, max_num_fields=64))
    fields = await account_fields(Channel.SMS, tenant, on.secrets)
    url = await status_url_of(tenant, notice, services)
    if fields is None or url is None:
        return None
    expected = signature_of(sms_account(fields).token, url, form)
    if not hmac.compare_digest(came.headers.get("x-twilio-signature", "").encode(), expected.encode()):
        return None
    return Status(tenant, notice, Channel.SMS, form["MessageStatus"])


async def _of_push(
    came: Incoming, tenant: TenantId, notice: str, _on: Platform, services: GuestServices
) -> Status | None:
    status = Status(tenant, notice, Channel.PUSH, "arrived")
    receipt = Secret(str(orjson.loads(came.body)["receipt"]))
    if not await receipt_fits(status, receipt, services):
        return None
    return status


async def _of_mail(
    came: Incoming, tenant: TenantId, _notice: str, on: Platform, _services: GuestServices
) -> Status | None:
    fields = await account_fields(Channel.EMAIL, tenant, on.secrets)
    secret = (fields or {}).get("webhookSecret")
    if not isinstance(secret, str) or not _signed(came, secret, on.clock.now()):
        return None
    told: dict[str, Any] = orjson.loads(came.body)
    notice, _, whose = str(told["messageId"]).strip("<>").partition("@")[0].partition(".")
    if whose != tenant:
        return None
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


_PROOFS: Final[Mapping[str, Proof]] = {"sms": _of_sms, "push": _of_push, "email": _of_mail}
