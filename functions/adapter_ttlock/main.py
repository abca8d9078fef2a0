"""Entry point of the ttlock adapter."""

from collections.abc import Mapping
from typing import Any

from shared.runtime.entry import step
from shared.runtime.platform import Platform

Body = Mapping[str, Any]


@step
async def adapter_ttlock(body: Body, on: Platform) -> Body:
    """Make one attempt at the key of a saga, or at taking it back."""
    from shared.domain.kinds import VendorCode
    from shared.keywork.step import work_at_locks
    from shared.keywork.verdicts import StepCall
    from shared.runtime.keys import desks_of, services_of
    from shared.vendors.ttlock.adapter import open_vendor

    desks = desks_of(on, VendorCode("ttlock"), open_vendor)
    return (await work_at_locks(StepCall.of(body), services_of(on), desks)).body()
