"""A simulator's control plane, as the commands call it."""

import http.client
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, Final
from urllib.parse import urlencode

from infra.cli.address import ADDRESS, HOME, PORT, FleetAddress
from infra.cli.control import exchange
from infra.cli.problems import Failed, Refused, Unreachable, parted, refused_fields
from infra.local.sample.account import simulator_address, simulator_port

TOKEN_FILE: Final = "simulator.token"  # noqa: S105 - a file's name
TOKEN_BYTES: Final = 16
PATIENCE_SECONDS: Final = 30.0
LONGEST_PROOF: Final = 1024
Json = Mapping[str, Any]
_TOKEN: Final = re.compile(rb"[!-~]+")


@dataclass(frozen=True, slots=True)
class Simulator:
    """A simulator's port on this machine, and the home that keeps the token of its control plane."""

    home: Path
    port: int

    @property
    def base_url(self) -> str:
        """The address at which it plays the vendor."""
        return simulator_address(self.port)

    @property
    def flags(self) -> str:
        """The options that name this simulator again, as a remedy quotes them; empty for the usual one."""
        home = f" --home {quote(str(self.home))}" if self.home != HOME else ""
        return home + (f" --port {self.port}" if self.port != simulator_port(PORT) else "")

    def token(self) -> str:
        """Return the token of the control plane, which is drawn when it is first asked for."""
        from infra.local.ambient import SystemEntropy
        from infra.local.keyfile import KeyFileRefused, read_or_create

        try:
            token = read_or_create(
                self.home / TOKEN_FILE, lambda: SystemEntropy().token(TOKEN_BYTES).hex().encode()
            )
        except KeyFileRefused as refusal:
            problem, _ = parted(str(refusal))
            raise self._unfit(problem) from None
        except OSError as error:
            remedy = "name a folder of yours with --home or KEYFLEET_HOME"
            raise Failed(f"cannot use {self.home}: {error.strerror}", remedy) from None
        if not _TOKEN.fullmatch(token):
            raise self._unfit(f"{TOKEN_FILE} holds no token")
        return token.decode()

    def get(self, path: str, **query: str) -> Any:
        """Ask for something."""
        return self._call("GET", path + (f"?{urlencode(query)}" if query else ""), None)

    def post(self, path: str, body: Json) -> Any:
        """Have something done."""
        return self._call("POST", path, body)

    def patch(self, path: str, body: Json) -> Any:
        """Have something changed."""
        return self._call("PATCH", path, body)

    def delete(self, path: str) -> Any:
        """Have something taken away."""
        return self._call("DELETE", path, None)

    def _call(self, method: str, path: str, body: Json | None) -> Any:
        try:
            token = self._known_token()
            self._check(token)
            connection = http.client.HTTPConnection(ADDRESS, self.port, timeout=PATIENCE_SECONDS)
            status, raw = exchange(connection, method, f"/_sim/{path}", body, token)
        except TimeoutError:
            remedy = "stop it and start it again: it forgets everything"
            raise Unreachable(f"the simulator at {self.base_url} does not answer", remedy) from None
        except OSError:
            raise self._not_running() from None
        except http.client.HTTPException:
            raise self._no_simulator() from None
        return self._read(status, raw)

    def _check(self, token: str) -> None:
        """Have whoever listens prove that it knows the token, before it is shown to them."""
        from hmac import compare_digest, digest

        from infra.local.ambient import SystemEntropy

        nonce = SystemEntropy().token(TOKEN_BYTES).hex()
        connection = http.client.HTTPConnection(ADDRESS, self.port, timeout=PATIENCE_SECONDS)
        try:
            connection.request("GET", f"/_sim/proof?{nonce}")
            answer = _parsed(connection.getresponse().read(LONGEST_PROOF))
        finally:
            connection.close()
        proof = answer.get("proof") if isinstance(answer, dict) else None
        if not isinstance(proof, str):
            raise self._no_simulator()
        expected = digest(token.encode(), nonce.encode(), "sha256").hex()
        if not compare_digest(proof.encode(), expected.encode()):
            raise self._stranger()

    def _known_token(self) -> str:
        # A question makes no token: where none is kept, no simulator was started from this home.
        return self.token() if (self.home / TOKEN_FILE).exists() else ""

    def _read(self, status: int, raw: bytes) -> Any:
        answer = _parsed(raw)
        if status in {200, 201, 204} and answer is not None:
            return answer
        error = answer.get("error") if isinstance(answer, dict) else None
        if not isinstance(error, dict) or "fields" not in error:
            raise self._no_simulator()
        if status == 401:
            raise self._stranger()
        raise refused_fields(_complaints(error), "see keyfleet sim --help for what there is")

    def _unfit(self, problem: str) -> Refused:
        # It opens simulated doors only: a new one is quicker than a mended one.
        file = self.home / TOKEN_FILE
        return Refused(problem, f"delete {file}, and start the simulator again: it draws another")

    def _not_running(self) -> Unreachable:
        # Beside a fleet that has the port before ours, it listens on ours.
        from infra.local.sample.load import sample_vendor

        fleet = FleetAddress(self.home, self.port - 1 or PORT)
        return Unreachable(
            f"no simulator answers at {self.base_url}",
            f"start one with `keyfleet sim run {sample_vendor()}{self.flags}` or, with a fleet, "
            f"`keyfleet up --sample --simulators{fleet.flags}`; or name its port with --port or "
            "KEYFLEET_SIM_PORT",
        )

    def _no_simulator(self) -> Unreachable:
        return Unreachable(
            f"what listens at {self.base_url} is no simulator",
            "name the simulator's port, which is the fleet's and one, with --port or KEYFLEET_SIM_PORT",
        )

    def _stranger(self) -> Unreachable:
        return Unreachable(
            f"the simulator at {self.base_url} does not take the token kept in {self.home}",
            "name the folder it was started with: --home or KEYFLEET_HOME",
        )


def simulator_at(fleet: FleetAddress, port: int | None) -> Simulator:
    """Return the simulator on a port, or the one next to a fleet."""
    found = simulator_port(fleet.port) if port is None else port
    if found > 65535:
        raise Refused("no port comes after the fleet's", "name the simulator's: KEYFLEET_SIM_PORT")
    return Simulator(fleet.home, found)


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw or b"{}")
    except ValueError:
        return None


def _complaints(error: Json) -> list[Json]:
    return [_complaint(each) for each in error["fields"]] or [{"problem": error.get("detail")}]


def _complaint(about: Json) -> Json:
    problem, _, remedy = str(about.get("problem")).removeprefix("Value error, ").partition(": ")
    return {"field": about.get("field"), "problem": problem, "remedy": remedy}
