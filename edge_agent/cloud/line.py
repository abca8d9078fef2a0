"""Requests to the cloud, signed with the device key.

| what came back | told as |
|---|---|
| nothing, or a crash, or "not now" | CloudSilent: ask again later |
| 401 because of the time | the clock's error is noted, and it is asked once more |
| 401 else | CloudRefused: this desk is not let in |
| 400 | CannotBeDone: what was asked cannot be done, and never will |

The cloud says in each answer what time it is. By how much our clock is wrong is used to date requests, and
for nothing else: what a desk may do alone is judged by its own clock, which the network cannot set.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from nacl.signing import SigningKey

from shared.domain.errors import InvalidInput
from shared.domain.instants import instant_from_text
from shared.offline.requests import CLOUD_TIME, NONCE_BYTES, Asking, signed_headers
from shared.ports.ambient import Clock, Entropy
from shared.vendor_kit.http import Answer, Call, CallFault, Http

ALIVE: Final = "/edge/v1/alive"
PATIENCE: Final = 10.0
UNTRUE_CLOCK: Final = timedelta(minutes=5)
"""A clock that is wrong by more is told of: what the desk may do alone depends on it."""


class CloudSilent(OSError):
    """No answer, or none that says anything: the line is down, or the cloud is busy."""


class CloudRefused(Exception):
    """The cloud answered no; `reason` says why in a word or a field's name."""

    def __init__(self, reason: str, problem: str = "") -> None:
        super().__init__(f"{reason}: {problem}" if problem else reason)
        self.reason, self.problem = reason, problem


class CannotBeDone(CloudRefused):
    """The desk is let in, and what it asks can never be done: it is not to ask so again."""


@dataclass(frozen=True, slots=True)
class DeskOnLine:
    """Who asks: which desk of whom, with which key, and by which clock."""

    tenant: str
    device: str
    key: SigningKey = field(repr=False)
    clock: Clock
    entropy: Entropy


class CloudLine:
    """Asks the cloud in a desk's name."""

    def __init__(self, http: Http, address: str, desk: DeskOnLine) -> None:
        self._http, self._address, self._desk = http, address, desk
        self.ahead = timedelta(0)
        """By how much the cloud's clock is ahead of ours."""

    @property
    def clock_is_untrue(self) -> bool:
        """Say whether our clock and the cloud's differ by too much."""
        return abs(self.ahead) > UNTRUE_CLOCK

    async def alive(self) -> None:
        """Ask for a sign of life; raise CloudSilent without one."""
        await self._sent(Call("GET", self._address + ALIVE, timeout=PATIENCE))

    async def ask(self, path: str, body: Mapping[str, Any], patience: float = PATIENCE) -> dict[str, Any]:
        """Return the answer to a signed request, or raise CloudSilent or CloudRefused."""
        raw = json.dumps(body).encode()
        answer = await self._asked(path, raw, patience)
        if answer.status == 401 and _refused(answer) == "time":
            # Our clock was wrong, and we have just learned by how much.
            answer = await self._asked(path, raw, patience)
        return _told(answer)

    async def _asked(self, path: str, raw: bytes, patience: float) -> Answer:
        desk = self._desk
        who, at = (desk.tenant, desk.device), desk.clock.now() + self.ahead
        signed = signed_headers(Asking("POST", path, raw), who, desk.key, at, desk.entropy.token(NONCE_BYTES))
        headers = {**signed, "content-type": "application/json"}
        return await self._sent(Call("POST", self._address + path, headers, raw, patience))

    async def _sent(self, call: Call) -> Answer:
        try:
            answer = await self._http.send(call)
        except CallFault:
            raise CloudSilent("no answer from the cloud") from None
        if answer.status >= 402 or answer.status < 200:
            raise CloudSilent(f"the cloud answers {answer.status}")
        self._learn(answer.headers.get(CLOUD_TIME))
        return answer

    def _learn(self, told: str | None) -> None:
        if told is None:
            return
        try:
            there: datetime = instant_from_text(told, CLOUD_TIME)
        except InvalidInput:
            return
        self.ahead = there - self._desk.clock.now()


@dataclass(frozen=True, slots=True)
class Introducing:
    """Asks the cloud as nobody: for pairing alone."""

    http: Http
    address: str

    async def ask(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer, or raise CloudSilent or CloudRefused."""
        raw = json.dumps(body).encode()
        call = Call("POST", self.address + path, {"content-type": "application/json"}, raw, PATIENCE)
        try:
            answer = await self.http.send(call)
        except CallFault:
            raise CloudSilent("no answer from the cloud") from None
        if answer.status >= 402:
            raise CloudSilent(f"the cloud answers {answer.status}")
        return _told(answer)


def _told(answer: Answer) -> dict[str, Any]:
    if answer.status == 401:
        raise CloudRefused(_refused(answer))
    told = _json(answer.body)
    if answer.status == 400:
        error = told.get("error", {})
        raise CannotBeDone(str(error.get("field", "request")), str(error.get("problem", "")))
    return told


def _refused(answer: Answer) -> str:
    error = _json(answer.body).get("error", {})
    return str(error.get("refused", "refused")) if isinstance(error, dict) else "refused"


def _json(body: bytes) -> dict[str, Any]:
    try:
        told = json.loads(body)
    except ValueError:
        raise CloudSilent("the cloud answers something else than JSON") from None
    if not isinstance(told, dict):
        raise CloudSilent("the cloud answers something else than an object")
    return told
