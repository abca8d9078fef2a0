"""Addresses that hear the company's events, over HTTP: added, proven, looked at, and sent to once more."""

from typing import Final

from functions.lock_api.places import as_state, store_of
from functions.lock_api.shown import Paged, shown
from functions.lock_api.webhook_shown import (
    DeliveryTry,
    Proof,
    Removed,
    SecretRotation,
    Webhook,
    WebhookDeliveries,
    WebhookDelivery,
    Webhooks,
    WebhookSecret,
    WebhookWanted,
)
from shared.domain.ids import PropertyId
from shared.domain.permissions import Permission
from shared.domain.secret import Secret
from shared.queries.listeners import (
    Listener,
    Sending,
    all_listeners,
    find_listener,
    sendings_paged,
    shown_listener,
    shown_sending,
)
from shared.queries.pages import Place
from shared.runtime.asked import Answered, Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.outbound.listeners import (
    ListenerWanted,
    add_listener,
    enable_listener,
    prove_listener,
    remove_listener,
    resend,
    sending_to,
)
from shared.usecases.outbound.services import Outbound
from shared.usecases.outbound.signing import draw_secret


async def list_webhooks(asked: Asked, on: Platform) -> Webhooks:
    """Return the addresses that hear events."""
    found = await all_listeners(store_of(asked, on))
    return Webhooks(webhooks=tuple(map(_shown, found)))


async def get_webhook(asked: Asked, on: Platform) -> Answered:
    """Return an address that hears events."""
    return _answered(await _there(asked, on))


async def add_webhook(asked: Asked, on: Platform) -> Answered:
    """Add an address, which is sent a challenge, and show its secret."""
    said = asked.body
    where = tuple(map(PropertyId, said.properties))
    wanted = ListenerWanted(said.url, tuple(dict.fromkeys(said.events)), where, asked.by)
    wanted.check(sandbox=on.sandbox)
    with as_state():
        made, secret = await add_listener(wanted, _outbound(asked, on))
    on.log.info("an address hears events", listener=made.id, by=asked.by)
    return _with_secret(made, secret)


async def prove_webhook(asked: Asked, on: Platform) -> Answered:
    """Have events go to an address that can say what it was sent."""
    found = await _expected(asked, on)
    with as_state():
        return _answered(await prove_listener(found, asked.body.challenge, _outbound(asked, on)))


async def rotate_webhook_secret(asked: Asked, on: Platform) -> Answered:
    """Give an address another secret, and show it."""
    found = await _expected(asked, on)
    secret = await draw_secret(found.id, _outbound(asked, on), at_once=asked.body.at_once)
    on.log.info("an address has another secret", listener=found.id, by=asked.by)
    return _with_secret(found, secret)


async def enable_webhook(asked: Asked, on: Platform) -> Answered:
    """Have events go to an address again."""
    found = await _expected(asked, on)
    with as_state():
        return _answered(await enable_listener(found, _outbound(asked, on)))


async def remove_webhook(asked: Asked, on: Platform) -> Removed:
    """Remove an address."""
    found = await _expected(asked, on)
    await remove_listener(found, _outbound(asked, on))
    on.log.info("an address hears events no more", listener=found.id, by=asked.by)
    return Removed(removed=found.id)


async def list_deliveries(asked: Asked, on: Platform) -> WebhookDeliveries:
    """Return what was sent to an address."""
    found, place = await _there(asked, on), Place(asked.query.cursor, asked.query.limit)
    page = await sendings_paged(found.id, store_of(asked, on), place)
    return WebhookDeliveries(deliveries=tuple(map(_sent, page.sendings)), cursor=page.cursor)


async def resend_delivery(asked: Asked, on: Platform) -> WebhookDelivery:
    """Send an event once more, the same under the same id."""
    found, outbound = await _there(asked, on), _outbound(asked, on)
    sending = await sending_to(found.id, asked.ids["sendingId"], outbound)
    if sending is None:
        raise NotThere("never sent there")
    with as_state():
        return _sent(await resend(sending, outbound))


def _outbound(asked: Asked, on: Platform) -> Outbound:
    return Outbound.of(asked.principal.tenant, on)


async def _expected(asked: Asked, on: Platform) -> Listener:
    found = await _there(asked, on)
    asked.expects(found.version or "")
    return found


async def _there(asked: Asked, on: Platform) -> Listener:
    found = await find_listener(asked.ids["listenerId"], store_of(asked, on))
    if found is None:
        raise NotThere("no such address")
    return found


def _answered(found: Listener) -> Answered:
    return Answered(_shown(found), version=found.version)


def _with_secret(found: Listener, secret: Secret[str]) -> Answered:
    return Answered(WebhookSecret(webhook=_shown(found), secret=secret.reveal()), version=found.version)


def _shown(found: Listener) -> Webhook:
    return shown(Webhook, shown_listener(found))


def _sent(sending: Sending) -> WebhookDelivery:
    told = shown_sending(sending)
    return shown(
        WebhookDelivery, {**told, "tries": tuple(shown(DeliveryTry, each) for each in told["tries"])}
    )


_P: Final = Permission.WEBHOOK_MANAGE
_ALL: Final = "/lock/v1/webhooks"
_ONE: Final = f"{_ALL}/{{listenerId}}"
_SENT: Final = f"{_ONE}/deliveries"
ROUTES: Final = (
    Route(
        method="GET",
        path=_ALL,
        summary="Addresses that hear events",
        use_case=list_webhooks,
        answer=Webhooks,
        permission=_P,
    ),
    Route(
        method="POST",
        path=_ALL,
        summary="Have events sent to an address, once it proves itself",
        use_case=add_webhook,
        request=WebhookWanted,
        answer=WebhookSecret,
        permission=_P,
        status=201,
        remembered=False,
    ),
    Route(
        method="GET",
        path=_ONE,
        summary="An address that hears events, and how it fares",
        use_case=get_webhook,
        answer=Webhook,
        permission=_P,
    ),
    Route(
        method="DELETE",
        path=_ONE,
        summary="Send an address nothing any more",
        use_case=remove_webhook,
        answer=Removed,
        permission=_P,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/prove",
        summary="Say what an address was sent as its challenge",
        use_case=prove_webhook,
        request=Proof,
        answer=Webhook,
        permission=_P,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/rotate",
        summary="Give an address another secret; for a day both count",
        use_case=rotate_webhook_secret,
        request=SecretRotation,
        answer=WebhookSecret,
        permission=_P,
        remembered=False,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/enable",
        summary="Send events to a disabled address again",
        use_case=enable_webhook,
        answer=Webhook,
        permission=_P,
    ),
    Route(
        method="GET",
        path=_SENT,
        summary="What was sent to an address, and what came back",
        use_case=list_deliveries,
        query=Paged,
        answer=WebhookDeliveries,
        permission=_P,
    ),
    Route(
        method="POST",
        path=f"{_SENT}/{{sendingId}}/resend",
        summary="Send an event once more",
        use_case=resend_delivery,
        answer=WebhookDelivery,
        permission=_P,
        status=202,
    ),
)
