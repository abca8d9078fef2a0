"""Somebody who calls a simulator of JSON in process, with a clock that only we move."""

from datetime import UTC, datetime, timedelta
from random import Random

import orjson

from infra.local.transport import InProcess
from infra.simulators.kit.app import Simulator
from infra.simulators.kit.world import SimWorld
from infra.simulators.registry import simulated_vendor
from shared.vendor_kit.http import Call

NINE = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ADDRESS = "http://127.0.0.1"


class JsonCaller:
    """Calls one vendor's simulator as an adapter would, or as a tester."""

    def __init__(self, code, hotel=None, seed=7):
        self.present, self.headers = NINE, {}
        world = SimWorld(now=lambda: self.present, chance=Random(seed), sleep=self._sleep, hotel=hotel)
        self.sim = Simulator(simulated_vendor(code), world)

    async def _sleep(self, seconds):
        self.present += timedelta(seconds=seconds)

    def wait(self, **time):
        """Let time pass."""
        self.present += timedelta(**time)

    async def __call__(self, method, path, body=None, **headers):
        """Return the status and what was answered; a header's underscores are hyphens."""
        told = {name.replace("_", "-"): value for name, value in headers.items()}
        all_headers = {"content-type": "application/json", **self.headers, **told}
        content = b"" if body is None else orjson.dumps(body)
        answer = await InProcess(self.sim).send(Call(method, f"{ADDRESS}{path}", all_headers, content))
        return answer.status, orjson.loads(answer.body) if answer.body[:1] in {b"{", b"["} else answer.body

    async def steer(self, method, path, **body):
        """Use the control plane."""
        status, answer = await self(method, f"/_sim/{path}", body)
        assert status < 300, answer
        return answer

    async def tries(self, door, **what):
        """Try a door, and return what it says."""
        return (await self.steer("POST", f"doors/{door}/try", **what))["reason"]
