"""The control plane as an idle fleet has it: read in with the first that is asked of it."""

from functools import cached_property
from typing import TYPE_CHECKING, Final

from starlette.types import ASGIApp, Receive, Scope, Send

from infra.local import secrets, wiring

if TYPE_CHECKING:
    from infra.local.control.operations import Operations
    from infra.local.fleet import Fleet

CALLBACK_ROLE: Final = "workflows-callback"


class LateControl:
    """The application that serves the control plane, with the queries and use cases of all its routes."""

    def __init__(self, fleet: "Fleet") -> None:
        self._fleet = fleet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._app(scope, receive, send)

    @cached_property
    def _app(self) -> ASGIApp:
        from infra.local.control.app import control_app

        return control_app(_operations(self._fleet))


def _operations(fleet: "Fleet") -> "Operations":
    from infra.local.control.operations import Operations
    from infra.local.departure import Departure
    from infra.local.tenancy import Tenancy
    from shared.queries.hotels import Cell

    config, means, cipher = fleet.config, fleet.means, fleet.cipher
    sealed = secrets.SqliteSecrets(means.engine, cipher)
    tenancy = Tenancy(means.engine, fleet.documents, fleet.sealed, sealed)
    return Operations(
        platform=fleet.platform,
        bus=fleet.bus,
        sagas=fleet.sagas,
        schedules=fleet.schedules,
        cell=Cell(fleet.documents, config.cell),
        starts=fleet.starts,
        status=fleet.status,
        rekeying=fleet.rekeying,
        tenancy=tenancy,
        departure=Departure(tenancy, cipher, means.clock, config.cell),
        audience=config.control_url,
        callback_callers=wiring.with_role(fleet.manifest, CALLBACK_ROLE),
    )
