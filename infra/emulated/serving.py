"""A Google API on this machine: the client's own messages over a real gRPC channel."""

import inspect
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc

LARGE: Final = [("grpc.max_receive_message_length", -1)]
Types = tuple[Any, Any]


class Refusal(Exception):
    """What a service answers instead."""

    def __init__(self, code: Any, words: str) -> None:
        super().__init__(words)
        self.code = code


class Fake:
    """A service by its full name, and the types of request and answer of each method."""

    def __init__(self, service: str, **methods: Types) -> None:
        self._service, self._methods = service, methods

    def handlers(self) -> Any:
        """Return how grpc finds the methods."""
        found = {name: self._handler(name, *types) for name, types in self._methods.items()}
        return grpc.method_handlers_generic_handler(self._service, found)

    def _handler(self, name: str, request_type: Any, answer_type: Any) -> Any:
        serve: Callable[[Any], Any] = getattr(self, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())

        async def answer(request: Any, context: Any) -> Any:
            try:
                answer = serve(request)
                return await answer if inspect.isawaitable(answer) else answer
            except Refusal as refusal:
                await context.abort(refusal.code, str(refusal))

        return grpc.unary_unary_rpc_method_handler(
            answer,
            request_deserializer=getattr(request_type, "deserialize", None) or request_type.FromString,
            response_serializer=getattr(answer_type, "serialize", None) or answer_type.SerializeToString,
        )


@asynccontextmanager
async def serving(*fakes: Any) -> AsyncIterator[str]:
    """Serve fakes on one free port of loopback and yield its address."""
    server = grpc.aio.server(options=LARGE)
    server.add_generic_rpc_handlers(tuple(fake.handlers() for fake in fakes))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)
