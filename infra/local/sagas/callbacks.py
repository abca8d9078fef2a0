"""Calling back, from a function of ours: over the endpoint, with the function's own identity."""

from collections.abc import Mapping
from typing import Any

import orjson

from infra.local.wire import Call, Tokens, Transport
from shared.ports.sagas import CallbackGone, SagaError
from shared.runtime.platform import deployed

GONE, BUSY = 404, 429


class CallBack:
    """Posts to callback URLs for whichever function asks."""

    def __init__(self, transport: Transport, tokens: Tokens, audience: str) -> None:
        self._transport, self._tokens, self._audience = transport, tokens, audience

    async def __call__(self, url: str, body: Mapping[str, Any]) -> None:
        """Wake the execution that waits, or say that none does."""
        if not url.startswith(f"{self._audience}/callbacks/"):
            raise SagaError("not a callback URL of this fleet")
        token = self._tokens.token(deployed.get().name, self._audience)
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        answer = await self._transport.send(Call("POST", url, headers, orjson.dumps(body)))
        if answer.status == GONE:
            raise CallbackGone("its execution has ended, or never was")
        if answer.status not in {200, BUSY}:  # busy: an earlier call of ours is still to be taken
            raise SagaError(f"the callback endpoint answered {answer.status}")
