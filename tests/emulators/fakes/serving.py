"""A Google API in the process of the test: the client's own messages over a real gRPC channel."""

import inspect
import re
from contextlib import asynccontextmanager

import grpc


class Refusal(Exception):
    """What a service answers instead."""

    def __init__(self, code, words):
        super().__init__(words)
        self.code = code


class Fake:
    """A service by its full name, and the types of request and answer of each method."""

    def __init__(self, service, **methods):
        self._service, self._methods = service, methods

    def handlers(self):
        """Return how grpc finds the methods."""
        found = {name: self._handler(name, *types) for name, types in self._methods.items()}
        return grpc.method_handlers_generic_handler(self._service, found)

    def _handler(self, name, request_type, answer_type):
        serve = getattr(self, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())

        async def answer(request, context):
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
async def serving(fake):
    """Serve a fake on a free port of loopback and yield its address."""
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])
    server.add_generic_rpc_handlers((fake.handlers(),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)
