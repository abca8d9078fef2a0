"""The control plane of a running fleet, as the commands call it."""

import http.client
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, urlencode

from infra.cli.address import FleetAddress
from infra.cli.problems import LONGEST_NAME, Failed, Problem, Refused, Unreachable, parted, refused_fields
from infra.local.own_socket import ForeignPeer, HomeConnection

OPERATOR = "operator"
PATIENCE_SECONDS = 30.0
IDENTITY_FILE = "identity.key"
OWNED = "run as the user who runs the fleet"
OTHER_PORT, NOT_PROVEN = 421, frozenset({401, 403})
Json = Mapping[str, Any]


class Stranger(Unreachable):
    """A fleet answers, and it is that of another home."""


class NoFleet(Unreachable):
    """Something answers that is no fleet."""


class ControlPlane:
    """Calls one fleet, as the operator."""

    def __init__(
        self, place: FleetAddress, token: Callable[[], str] | None = None, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._place, self._patience = place, patience
        self._token = token or (lambda: operator_token(place))

    def get(self, *path: str, **query: Any) -> Json:
        """Ask for something; what is None in the query is left out."""
        asked = urlencode({name: _said(name, value) for name, value in query.items() if value is not None})
        return self._call("GET", _joined(path) + (f"?{asked}" if asked else ""), None)

    def post(self, *path: str, body: Json | None = None) -> Json:
        """Have something done."""
        return self._call("POST", _joined(path), body or {})

    def _call(self, method: str, target: str, body: Json | None) -> Json:
        return self._exchange(method, target, body, self._token())

    def call(self, function: str, body: Json) -> Json:
        """Call one of the fleet's functions."""
        token = operator_token(self._place, f"{self._place.base_url}/{function}")
        return self._exchange("POST", f"/{function}", body, token)

    def _exchange(self, method: str, target: str, body: Json | None, token: str) -> Json:
        connection = HomeConnection(self._place.home, self._place.port, self._patience)
        try:
            status, raw = exchange(connection, method, target, body, token)
        except TimeoutError:
            raise _silent(self._place, self._patience) from None
        except ForeignPeer:
            raise _foreign(self._place) from None
        except PermissionError as error:
            raise Refused(f"cannot use {self._place.home}: {error.strerror}", OWNED) from None
        except OSError:
            raise not_running(self._place) from None
        except http.client.HTTPException:
            raise _no_fleet(self._place) from None
        return _read(self._place, status, raw)


def exchange(
    connection: http.client.HTTPConnection, method: str, target: str, body: Json | None, token: str
) -> tuple[int, bytes]:
    """Ask whoever is at the other end, and return the status and the bytes of the answer."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    payload = None if body is None else json.dumps(body).encode()
    try:
        connection.request(method, target, payload, headers)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def operator_token(place: FleetAddress, audience: str | None = None) -> str:
    """Return a token that this home's fleet accepts of its operator; without an audience, for its control."""
    from infra.local.ambient import SystemEntropy
    from infra.local.home_clock import HomeClock
    from infra.local.identity import LocalIdentity
    from infra.local.keyfile import KeyFileRefused

    file = place.home / IDENTITY_FILE
    try:
        if not file.exists():
            raise never_started(place)
        identity = LocalIdentity.at(file, HomeClock.of(place.home).now, SystemEntropy().token)
    except KeyFileRefused as refusal:
        raise Refused(*parted(str(refusal))) from None
    except OSError as error:
        raise Refused(f"cannot read {file}: {error.strerror}", OWNED) from None
    return identity.token(OPERATOR, audience or place.control_audience)


def never_started(place: FleetAddress) -> Unreachable:
    """Return the problem of a home without a fleet."""
    return Unreachable(
        f"no fleet was ever started in {place.home}",
        f"run `keyfleet up{place.flags}`, or name the running fleet's with --home or KEYFLEET_HOME",
    )


def not_running(place: FleetAddress) -> Unreachable:
    """Return the problem of nobody serving the home."""
    if place.is_open():
        return Unreachable(
            f"a fleet has {place.home} open, but does not answer: it starts, or ends",
            "try again; or stop it where it runs, and start it again",
        )
    return Unreachable(
        f"no fleet answers in {place.home}",
        f"start it with `keyfleet up{place.flags}`, or name its folder with --home or KEYFLEET_HOME",
    )


def open_elsewhere(place: FleetAddress) -> Unreachable:
    """Return the problem of a home whose fleet runs, but on another port."""
    return Unreachable(
        f"no fleet answers at {place.base_url}, but one on another port has {place.home} open",
        "name its port, which its first lines told, with --port or KEYFLEET_PORT",
    )


def _foreign(place: FleetAddress) -> Stranger:
    return Stranger(f"another user's process serves {place.home}", OWNED)


def _silent(place: FleetAddress, patience: float) -> Unreachable:
    return Unreachable(
        f"the fleet at {place.base_url} did not answer within {patience:g} s",
        "look at its log, and stop and start it: nothing acknowledged is lost",
    )


def _no_fleet(place: FleetAddress) -> NoFleet:
    return NoFleet(
        f"what listens in {place.home} is no fleet", "stop what serves that folder, and start the fleet"
    )


def _stranger(place: FleetAddress) -> Stranger:
    return Stranger(
        f"the fleet in {place.home} does not take the identity kept there",
        "that file was changed while the fleet runs: stop it and start it again",
    )


def _joined(path: tuple[str, ...]) -> str:
    return "/_cloud/" + "/".join(quote(_named(part), safe="") for part in path)


def _named(part: str) -> str:
    # An empty one, as of a variable that is not set, or one in two parts would ask for something else.
    if not part or "/" in part or not part.isprintable():
        raise Refused(
            f"{part[:LONGEST_NAME]!r} names nothing", "give a name or id as the lists show it, whole"
        )
    return part


def _said(option: str, value: Any) -> Any:
    if isinstance(value, str) and not (value and value.isprintable()):
        remedy = "give it as the lists show it, whole, or leave it out"
        raise Refused(f"{option}: {value[:LONGEST_NAME]!r} names nothing", remedy)
    return value


def _read(place: FleetAddress, status: int, raw: bytes) -> Json:
    try:
        answer = json.loads(raw)
    except ValueError:
        answer = None
    if status == 500:
        raise Failed(f"the control plane at {place.base_url} crashed", "its log names the place")
    if not isinstance(answer, dict):
        raise _no_fleet(place)
    if status == 200:
        return answer
    raise _problem(place, status, answer.get("error"))


def _problem(place: FleetAddress, status: int, error: Any) -> Problem:
    said: Json = error if isinstance(error, dict) else {}
    if status == OTHER_PORT:
        return open_elsewhere(place)
    if status in NOT_PROVEN:
        return _stranger(place)
    if status >= 500:
        return Failed(f"the fleet could not do it now: {said.get('detail', status)}", "try again")
    if "problems" in said or "field" in said:
        return refused_fields(said.get("problems") or [said])
    return Refused(*parted(str(said.get("detail", f"HTTP {status}"))))
