"""What the control plane's operations reach, and what one of them is."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from infra.local.bus.bus import Bus
from infra.local.control.boot_log import Starts
from infra.local.departure import Departure
from infra.local.rekeying import Rekeying
from infra.local.sagas.service import LocalSagas
from infra.local.schedules import Schedules
from infra.local.tenancy import Tenancy
from shared.queries.hotels import Cell
from shared.runtime.platform import Platform

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Operations:
    """What the control plane reaches."""

    platform: Platform
    bus: Bus
    sagas: LocalSagas
    schedules: Schedules
    cell: Cell
    starts: Starts
    status: Callable[[], Mapping[str, Any]]
    rekeying: Rekeying
    tenancy: Tenancy
    departure: Departure
    audience: str
    callback_callers: frozenset[str]


Operation = Callable[[Operations, Request], Awaitable[Mapping[str, Any]]]
Routes = tuple[tuple[str, str, Operation], ...]
