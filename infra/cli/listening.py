"""Who else is here: on the fleet's port, and on the ports beside it."""

import socket

from infra.cli.address import ADDRESS, FleetAddress
from infra.cli.control import ControlPlane, NoFleet, Stranger, operator_token
from infra.cli.problems import Problem

OURS = "the fleet of this home"
PATIENCE_SECONDS = 2.0
PORTS_TRIED = 50


def listens(at: FleetAddress) -> bool:
    """Return whether anybody listens on the fleet's port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((ADDRESS, at.port)) == 0


def who_listens(at: FleetAddress) -> str:
    """Return who has the port, as `keyfleet status` would find out."""
    control = ControlPlane(at, lambda: _token_if_any(at), PATIENCE_SECONDS)
    try:
        control.get("status")
    except Stranger:
        return "a fleet of another home"
    except NoFleet:
        return "something that is no fleet"
    except Problem:
        return "something that does not answer"
    return OURS


def free_port_above(at: FleetAddress) -> int | None:
    """Return the next port that nobody listens on, if there is one nearby."""
    ports = range(at.port + 1, min(at.port + 1 + PORTS_TRIED, 65536))
    return next((port for port in ports if not listens(FleetAddress(at.home, port))), None)


def _token_if_any(at: FleetAddress) -> str:
    try:
        return operator_token(at)
    except Problem:
        return ""  # any fleet will turn it away, and so be known for one
