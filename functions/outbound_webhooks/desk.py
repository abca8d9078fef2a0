"""What an operator does about addresses that hear events: a row for each doing, as the API has them."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import ListenerId, PropertyId, SendingId, TenantId, UserId
from shared.queries.listeners import (
    Listener,
    all_listeners,
    find_listener,
    sendings_paged,
    shown_listener,
    shown_sending,
)
from shared.queries.pages import Place
from shared.runtime.platform import Platform
from shared.usecases.outbound import listeners
from shared.usecases.outbound.services import Outbound
from shared.usecases.outbound.signing import draw_secret

Body = Mapping[str, Any]
LISTED: Final = 50


async def at_desk(body: Body, on: Platform) -> Body:
    """Do what is wanted for a tenant."""
    doing = _DOINGS.get(str(body.get("do")))
    if doing is None:
        raise InvalidInput("do", "not among what can be done", f"say {', '.join(_DOINGS)}")
    tenant = TenantId.parse(body.get("tenant"), "tenant")
    await on.hotels.admit(tenant)
    return await doing(body, Outbound.of(tenant, on))


async def _add(body: Body, on: Outbound) -> Body:
    by = UserId.parse(body.get("by"), "by")
    where = tuple(PropertyId.parse(each, "properties") for each in body.get("properties") or ())
    events = tuple(map(str, body.get("events") or ("*",)))
    wanted = listeners.ListenerWanted(str(body.get("url", "")), events, where, by)
    wanted.check(sandbox=on.on.sandbox)
    made, secret = await listeners.add_listener(wanted, on)
    return {**shown_listener(made), "secret": secret.reveal()}


async def _list(_body: Body, on: Outbound) -> Body:
    return {"listeners": [shown_listener(each) for each in await all_listeners(on.store)]}


async def _prove(body: Body, on: Outbound) -> Body:
    challenge = str(body.get("challenge", ""))
    return shown_listener(await listeners.prove_listener(await _named(body, on), challenge, on))


async def _rotate(body: Body, on: Outbound) -> Body:
    found = await _named(body, on)
    secret = await draw_secret(found.id, on, at_once=body.get("at_once") is True)
    return {**shown_listener(found), "secret": secret.reveal()}


async def _enable(body: Body, on: Outbound) -> Body:
    return shown_listener(await listeners.enable_listener(await _named(body, on), on))


async def _remove(body: Body, on: Outbound) -> Body:
    found = await _named(body, on)
    await listeners.remove_listener(found, on)
    return {"removed": found.id}


async def _log(body: Body, on: Outbound) -> Body:
    found = await _named(body, on)
    page = await sendings_paged(found.id, on.store, Place(body.get("cursor"), LISTED))
    return {"sendings": [shown_sending(each) for each in page.sendings], "cursor": page.cursor}


async def _resend(body: Body, on: Outbound) -> Body:
    found = await _named(body, on)
    name = SendingId.parse(body.get("sending"), "sending")
    sending = await listeners.sending_to(found.id, name, on)
    if sending is None:
        raise InvalidInput("sending", "never sent there", "name one that keyfleet webhook log shows")
    return shown_sending(await listeners.resend(sending, on))


async def _named(body: Body, on: Outbound) -> Listener:
    found = await find_listener(ListenerId.parse(body.get("listener"), "listener"), on.store)
    if found is None:
        raise InvalidInput("listener", "no such address", "name one that keyfleet webhook list shows")
    return found


_DOINGS: Final[Mapping[str, Callable[[Body, Outbound], Awaitable[Body]]]] = {
    "add": _add,
    "list": _list,
    "prove": _prove,
    "rotate": _rotate,
    "enable": _enable,
    "remove": _remove,
    "log": _log,
    "resend": _resend,
}
