"""The simulated doors as the sandbox steers them: the control plane of the simulator beside the fleet."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from shared.runtime.problems import NotNow, NotThere
from shared.runtime.responses import TryLater
from shared.vendor_kit.http import Call, CallFault, Http

TOKEN_FILE: Final = "simulator.token"  # noqa: S105 - a file's name
PATIENCE_SECONDS: Final = 10.0
Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class SimulatedDoors:
    """Where the simulator is, and the home that keeps the token of its control plane."""

    url: str
    home: Path
    http: Http

    async def get(self, path: str) -> Any:
        """Look at something."""
        return await self._call("GET", path, None)

    async def patch(self, path: str, change: Json) -> Any:
        """Change something."""
        return await self._call("PATCH", path, change)

    async def post(self, path: str, body: Json) -> Any:
        """Have something done."""
        return await self._call("POST", path, body)

    async def delete(self, path: str) -> Any:
        """Take something away."""
        return await self._call("DELETE", path, None)

    async def _call(self, method: str, path: str, body: Json | None) -> Any:
        headers = {"authorization": f"Bearer {self._token()}", "content-type": "application/json"}
        raw = b"" if body is None else orjson.dumps(body)
        try:
            call = Call(method, f"{self.url}/_sim/{path}", headers, raw, PATIENCE_SECONDS)
            answer = await self.http.send(call)
        except CallFault:
            raise NotNow("no simulated doors answer: start keyfleet up --sample --simulators") from None
        if answer.status == 404:
            raise NotThere("no such thing at the simulated doors")
        if answer.status >= 500:
            raise TryLater("the simulator is in trouble")
        if answer.status >= 300:
            raise NotNow(f"the simulated doors refuse that ({answer.status})")
        return orjson.loads(answer.body) if answer.body else None

    def _token(self) -> str:
        file = self.home / TOKEN_FILE
        return file.read_text(encoding="ascii").strip() if file.exists() else ""
