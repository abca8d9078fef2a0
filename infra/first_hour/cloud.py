"""How the first hour reaches a project: by gcloud, and by calls with identity tokens that gcloud mints."""

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPSConnection
from threading import Event
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from infra.local.ambient import stopwatch

PATIENCE_SECONDS: Final = 140.0
LARGEST: Final = 64 * 1024


class Unreached(Exception):
    """gcloud, or Google, did not do what was asked: told with the command, never with a token."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What a function answered, and how long it took."""

    status: int
    text: str = field(repr=False)
    seconds: float = 0.0


class Runs(Protocol):
    """Runs a command and returns what it printed."""

    def __call__(self, command: Sequence[str]) -> str:
        """Run it, or raise Unreached."""


class Calls(Protocol):
    """Makes a POST and returns the answer."""

    def __call__(self, url: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """Call it, or raise Unreached."""


def run(command: Sequence[str]) -> str:
    """Run a command of gcloud."""
    try:
        done = subprocess.run(  # noqa: S603 - gcloud, with words of checks.py, and no shell
            command, capture_output=True, text=True, check=False, timeout=600
        )
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise Unreached(f"{' '.join(command[:4])} did not run ({type(fault).__name__})") from None
    if done.returncode:
        raise Unreached(f"{' '.join(command[:4])}: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout


def rest(seconds: float) -> None:
    """Wait, with nobody to wake us."""
    Event().wait(seconds)


def call(url: str, headers: Mapping[str, str], body: bytes) -> Answered:
    """Make one POST over https."""
    parts, began = urlsplit(url), stopwatch()
    connection = HTTPSConnection(parts.netloc, timeout=PATIENCE_SECONDS)
    try:
        connection.request("POST", parts.path, body, dict(headers))
        answer = connection.getresponse()
        text = answer.read(LARGEST).decode(errors="replace")
    except OSError as fault:
        raise Unreached(f"{url} was not reached ({type(fault).__name__})") from None
    finally:
        connection.close()
    return Answered(answer.status, text, stopwatch() - began)


@dataclass(frozen=True, slots=True)
class Cloud:
    """One cell, as an operator reaches it."""

    project: str
    region: str
    plan: Mapping[str, Any] = field(repr=False)
    run: Runs = run
    call: Calls = call
    sleep: Callable[[float], object] = rest

    @property
    def base_url(self) -> str:
        """Where functions are served."""
        return f"https://{self.region}-{self.project}.cloudfunctions.net"

    def gcloud(self, *words: str) -> str:
        """Return what a command of gcloud prints for the project."""
        return self.run(["gcloud", *words, f"--project={self.project}"])

    def told(self, *words: str) -> Any:
        """Return what a command of gcloud says, as JSON."""
        return json.loads(self.gcloud(*words, "--format=json") or "null")

    def token(self, account: str, function: str, *, email: bool = True) -> str:
        """Return an identity token of an account for a function; without an e-mail it names nobody."""
        return self.gcloud(
            *("auth", "print-identity-token"),
            f"--impersonate-service-account={account}@{self.project}.iam.gserviceaccount.com",
            f"--audiences={self.base_url}/{function}",
            *(("--include-email",) if email else ()),
        ).strip()

    def ask(self, function: str, account: str | None = "operator", *, email: bool = True) -> Answered:
        """Call a function as an account, or as nobody."""
        headers = {"content-type": "application/json"}
        if account is not None:
            headers["authorization"] = f"Bearer {self.token(account, function, email=email)}"
        return self.call(f"{self.base_url}/{function}", headers, b"{}")

    def lines(self, filter_: str, minutes: int = 60) -> list[Mapping[str, Any]]:
        """Return lines of the log of the last minutes."""
        words = ("logging", "read", f'resource.type="cloud_run_revision" AND ({filter_})')
        found: list[Mapping[str, Any]] = self.told(*words, f"--freshness={minutes}m", "--limit=20")
        return found or []
