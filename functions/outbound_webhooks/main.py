"""Entry points of events that are sent outside; what each works with is loaded with its first request."""

from collections.abc import Mapping
from typing import Any

from shared.domain.ids import TenantId
from shared.runtime.delivery import Delivery
from shared.runtime.entry import step, taker
from shared.runtime.platform import QUARANTINE_TOPIC, Platform

Body = Mapping[str, Any]


@taker(lambda _delivery: QUARANTINE_TOPIC)
async def on_anything_told(delivery: Delivery, on: Platform) -> None:
    """Write an event down for each address that hears it."""
    from shared.usecases.outbound.payload import Told
    from shared.usecases.outbound.send import hear_told
    from shared.usecases.outbound.services import Outbound

    told = Told.of(delivery.data, delivery.attributes, delivery.ordering_key)
    await hear_told(told, Outbound.of(TenantId(told.tenant), on))


@step
async def send_webhook(body: Body, on: Platform) -> Body:
    """Try one event at one address."""
    from shared.usecases.outbound.send import SendOne, send_one
    from shared.usecases.outbound.services import Outbound

    command = SendOne.of(body)
    return await send_one(command, Outbound.of(command.tenant, on))


@step
async def listener_desk(body: Body, on: Platform) -> Body:
    """Do what an operator wants of addresses and of what was sent there."""
    from functions.outbound_webhooks.desk import at_desk

    return await at_desk(body, on)
