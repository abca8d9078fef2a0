"""Entry points for locks as things."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.entry import step
from shared.runtime.platform import Platform

Body = Mapping[str, Any]


@step
async def listen_due(_body: Body, on: Platform) -> Body:
    """Begin the looks and hearings of this hour."""
    from shared.runtime.keys import services_of
    from shared.usecases.devices import listen_due

    return await listen_due.listen_due(on.documents, on.cell, services_of(on))


@step
async def take_out_of_use(body: Body, on: Platform) -> Body:
    """Take a lock out of use, on a person's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.devices import out_of_use

    return await out_of_use.take_out_of_use(out_of_use.TakeOutOfUse.of(body), services_of(on))


@step
async def challenge_door(body: Body, on: Platform) -> Body:
    """Have a code put on a lock for some minutes, and tell it once."""
    from shared.runtime.keys import services_of
    from shared.usecases.devices import challenge

    command = challenge.ChallengeDoor.of(body)
    codes = challenge.codes_of(command, on.sealed, on.cipher)
    return await challenge.challenge_door(command, codes, services_of(on))
