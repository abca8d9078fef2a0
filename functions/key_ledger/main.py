"""Entry points of the ledger's saga steps."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.entry import step
from shared.runtime.platform import Platform

Body = Mapping[str, Any]


@step
async def next_attempt(body: Body, on: Platform) -> Body:
    """Say what the saga is to try next."""
    from shared.runtime.keys import office_of
    from shared.usecases import next_attempt
    from shared.usecases.saga_step import StepCall

    return (await next_attempt.next_attempt(StepCall.of(body), office_of(on))).body()
