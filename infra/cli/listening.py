"""Who else is here: on the fleet's port, and on the ports beside it."""

import http.client
import json
import socket

from infra.cli.address import ADDRESS, FleetAddress
from infra.cli.control import ControlPlane
from infra.cli.problems import Problem

OURS = "the fleet of this home"
ANOTHER, OTHERWISE, MUTE = (
    "a fleet of another home",
    "something that is no fleet",
    "something that does not answer",
)
PATIENCE_SECONDS = 2.0
PORTS_TRIED = 50
LONGEST_ANSWER = 64 * 1024


def listens(at: FleetAddress) -> bool:
    """Return whether anybody listens on the fleet's port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((ADDRESS, at.port)) == 0


def who_listens(at: FleetAddress) -> str:
    """Return who has the port: asked at the home's own socket first, and else without any token."""
    return OURS if _is_ours(at) else _stranger_on(at.port)


def free_port_above(at: FleetAddress) -> int | None:
    """Return the next port that nobody listens on, if there is one nearby."""
    ports = range(at.port + 1, min(at.port + 1 + PORTS_TRIED, 65536))
    return next((port for port in ports if not listens(FleetAddress(at.home, port))), None)


def _is_ours(at: FleetAddress) -> bool:
    try:
        ControlPlane(at, patience=PATIENCE_SECONDS).get("status")
    except Problem:
        return False
    return True


def _stranger_on(port: int) -> str:
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=PATIENCE_SECONDS)
    try:
        connection.request("GET", "/_cloud/status")
        answer = json.loads(connection.getresponse().read(LONGEST_ANSWER))
    except OSError:
        return MUTE
    except (http.client.HTTPException, ValueError):
        return OTHERWISE
    finally:
        connection.close()
    return ANOTHER if _is_of_a_fleet(answer) else OTHERWISE


def _is_of_a_fleet(answer: object) -> bool:
    error = answer.get("error") if isinstance(answer, dict) else None
    return isinstance(error, dict) and isinstance(error.get("kind"), str)
