"""Calling back, from a function of ours: over the endpoint, with the function's own identity."""

import re
from collections.abc import Mapping
from typing import Any

import orjson

from infra.local.sagas.run import CALLBACKS
from infra.local.wire import Tokens, Transport
from shared.ports.sagas import CallbackGone, SagaError
from shared.runtime.platform import deployed
from shared.vendor_kit.http import Call

GONE, BUSY = 404, 429
PATIENCE = 60.0
LOOPBACK = re.compile(r"http://127\.0\.0\.1:\d+")


class CallBack:
    """Posts to callback URLs for whichever function asks."""

    def __init__(self, transport: Transport, tokens: Tokens, audience: str) -> None:
        self._transport, self._tokens, self._audience = transport, tokens, audience

    async def __call__(self, url: str, body: Mapping[str, Any]) -> None:
        """Wake the execution that waits, or say that none does."""
        # The fleet may have moved to another port since the address was made.
        base, at, rest = url.partition(CALLBACKS)
        if not at or not LOOPBACK.fullmatch(base):
            raise SagaError("not a callback URL of this fleet")
        url = f"{self._audience.removesuffix('/_cloud')}{CALLBACKS}{rest}"
        token = self._tokens.token(deployed.get().name, self._audience)
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        answer = await self._transport.send(Call("POST", url, headers, orjson.dumps(body), PATIENCE))
        if answer.status == GONE:
            raise CallbackGone("its execution has ended, or never was")
        if answer.status not in {200, BUSY}:  # busy: an earlier call of ours is still to be taken
            raise SagaError(f"the callback endpoint answered {answer.status}")
