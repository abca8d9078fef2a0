"""Entry point of the queue that webhooks prompt."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.entry import step
from shared.runtime.platform import Platform

Body = Mapping[str, Any]


@step
async def hear_doors(body: Body, on: Platform) -> Body:
    """Have a vendor's adapter hear what happened at a property's doors."""
    from shared.usecases.attempts.begin_hearing import HearDoors, begin_hearing

    return {"execution": await begin_hearing(HearDoors.of(body), on.sagas)}
