"""The demo's front desk: a simulated encoder on a pseudo-terminal, and the desk's own agent as a process.

The agent finds its keys as under systemd: in a folder that was made for it alone, as encrypted credentials
are. Its line to the fleet goes by a relay of ours, so that it can be pulled without the fleet noticing.
"""

import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infra.cli.address import FleetAddress
from infra.cli.control import ControlPlane
from infra.cli.demo.stay import TENANT
from infra.cli.polling import Patience
from infra.local.ambient import SystemEntropy
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard
from infra.simulators.wires.pty_port import PtyPort

PROPERTY: Final = "ppt_bamiyan"
CLERK, ROLE = "usr_night", "night_auditor"
KEY_BYTES: Final = 32
STOP_SECONDS: Final = 8.0
Json = Mapping[str, Any]


class PulledWire:
    """A line between the agent and the fleet that somebody may pull, and put in again."""

    def __init__(self, to_port: int) -> None:
        self._to, self.down = to_port, False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._serve, name="wire", daemon=True).start()

    @property
    def port(self) -> int:
        """Where the agent finds it."""
        port: int = self._listening.getsockname()[1]
        return port

    def pull(self) -> None:
        """Break what is open, and let nobody through."""
        self.down = True
        for each in list(self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def put_in(self) -> None:
        """Let everybody through again."""
        self.down = False

    def close(self) -> None:
        """End it."""
        self.pull()
        self._listening.close()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._listening.accept()
                if self.down:
                    here.close()
                    continue
                there = socket.create_connection(("127.0.0.1", self._to))
                for one, other in ((here, there), (there, here)):
                    self._open.add(one)
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    @staticmethod
    def _named(port: int) -> bytes:
        return f"Host: 127.0.0.1:{port}".encode()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(65536):
                # The fleet answers to its own name alone; ours differs in the port, and is as long.
                other.sendall(data.replace(self._named(self.port), self._named(self._to), 1))
        self._open.discard(one)
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        one.close()  # the other is read by the thread that closes it


@dataclass
class FrontDesk:
    """The machine at the desk of the house with the card locks."""

    at: FleetAddress
    folder: Path
    patience: Patience
    stack: ExitStack
    pin: str = field(default_factory=lambda: f"{int.from_bytes(SystemEntropy().token(8)) % 10**8:08d}")
    device: Pn532 = field(default_factory=lambda: Pn532(None))
    device_id: str = ""

    def __post_init__(self) -> None:
        self.wire = PulledWire(self.at.port)
        self.stack.callback(self.wire.close)
        self.port = self.stack.enter_context(PtyPort(self.device))
        keys = self.folder / "keys"
        keys.mkdir(parents=True, mode=0o700)
        for name in ("device-key", "ledger-key"):
            (keys / name).write_bytes(SystemEntropy().token(KEY_BYTES))
        self._process: subprocess.Popen[bytes] | None = None
        self.stack.callback(self.stop)

    @property
    def words(self) -> str:
        """Everything that the agent ever said."""
        log = self.folder / "agent.log"
        return log.read_text(errors="replace") if log.exists() else ""

    def paired(self) -> str:
        """Give out a code, pair the machine with it, and return what the command said."""
        control = ControlPlane(self.at)
        about = {"tenant": TENANT, "property": PROPERTY}
        staff = {"do": "staff", "user": CLERK, "roles": [ROLE], "pin": self.pin, **about}
        control.call("desk-orders", staff)
        invited = control.call("desk-orders", {"do": "invite", "by": "usr_gm", "name": "Front desk", **about})
        self.device_id = invited["device"]
        address = f"http://127.0.0.1:{self.wire.port}/edge-gateway"
        return self._ran("pair", "--cloud", address, "--tenant", TENANT, invited["code"])

    def start(self) -> None:
        """Start the agent."""
        options = ("--encoder", f"left=pn532_serial@{self.port.path}")
        with (self.folder / "agent.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own command, and no shell
                self._command("run", *options), env=self._environment(), stdout=log, stderr=log
            )

    def kill(self) -> int:
        """kill -9 the agent."""
        if self._process is None:
            return 0
        self._process.kill()
        return self._process.wait()

    def stop(self) -> None:
        """Stop the agent."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
        self.kill()

    def status(self) -> Json | None:
        """Return how the agent says that it stands, or None."""
        from infra.cli.demo.clerk import status_of

        return status_of(self.folder)

    def lay_down(self) -> ClassicCard:
        """Lay a new card on the encoder."""
        card = ClassicCard(SystemEntropy().token(4))
        self.device.card = card
        return card

    def take_away(self) -> None:
        """Take the card from the encoder."""
        self.device.card = None

    def _ran(self, *arguments: str) -> str:
        done = subprocess.run(  # noqa: S603 - our own command, and no shell
            self._command(*arguments), env=self._environment(), capture_output=True, text=True, check=False
        )
        return done.stdout if done.returncode == 0 else f"✗ {done.stderr}"

    def _command(self, what: str, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "edge_agent", what, "--home", str(self.folder), *arguments]

    def _environment(self) -> dict[str, str]:
        import os

        return {**os.environ, "CREDENTIALS_DIRECTORY": str(self.folder / "keys")}
