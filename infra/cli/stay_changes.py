"""`keyfleet stay extend|move`: a stay changes on somebody's word, as if its booking had told it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer
from infra.cli.control import ControlPlane
from infra.cli.outcome import PATIENCE_SECONDS, Wait
from infra.cli.problems import Refused
from infra.cli.publishing import sent
from infra.cli.trigger import instant

CHANGED = "melmastoon.reservation.booking.dates_changed.v1"
Stay = Annotated[str, typer.Argument(help="The booking, such as rsv_1.")]
Until = Annotated[str, typer.Option(help="When it ends now: a time in UTC, or from now, such as +3d.")]
Rooms = Annotated[list[str], typer.Argument(help="All rooms that it has now, such as rmu_102.")]
Tenant = Annotated[str | None, typer.Option(help="Whose it is, where two tenants have the same id.")]


def extend(at: FleetAddress, stay: Stay, until: Until, tenant: Tenant = None) -> Answer:
    """Let a stay end later, or sooner: its keys follow with the same PIN where their vendor can."""
    now = datetime.fromisoformat(ControlPlane(at).get("clock")["now"])
    end = instant(until, now, "--until")
    if end is None or end <= now:
        raise Refused("--until is past", f"a stay that is over is checked out: see keyfleet stay show {stay}")
    return _changed(at, stay, {"validUntil": f"{end:%Y-%m-%dT%H:%M:%SZ}"}, tenant)


def move(at: FleetAddress, stay: Stay, rooms: Rooms, tenant: Tenant = None) -> Answer:
    """Let a stay be in other rooms: its keys follow, and the old doors close once the new ones open."""
    return _changed(at, stay, {"rooms": rooms}, tenant)


def _changed(at: FleetAddress, stay: str, change: Mapping[str, Any], tenant: str | None) -> Answer:
    known = ControlPlane(at).get("stays", stay, tenant=tenant)
    if known["status"] != "confirmed":
        raise Refused(f"{stay} is {known['status'].replace('_', ' ')}", "change one that is confirmed")
    data = {"reservationId": known["reservation"], "propertyId": known["property"], **change}
    request = {"subject": CHANGED, "tenant": known["tenant"], "data": data}
    return sent(at, request, Wait(PATIENCE_SECONDS))
