"""A vendor that does nothing but answer: `... vendor_stub PORT [TLS_PORT CERTIFICATE KEY]`.

A GET says how many keys were posted, on whichever port.
"""

import asyncio
import ssl
import sys
from typing import cast

import httptools
import uvloop

CONNECTIONS = 1024


class Stub(asyncio.Protocol):
    """One keep-alive connection; all of them count together."""

    posted = 0

    def __init__(self) -> None:
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Be ready to answer."""
        self._transport = cast("asyncio.WriteTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request."""
        self._parser.feed_data(data)

    def on_message_complete(self) -> None:
        """Answer the request."""
        assert self._transport is not None
        if self._parser.get_method() == b"POST":
            type(self).posted += 1
        answer = b'{"vendorRef":"v-%d","posted":%d}' % (self.posted, self.posted)
        head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
        self._transport.write(head % len(answer) + answer)


async def serve(port: int, *over_tls: str) -> None:
    """Serve on loopback, and over TLS on a port of its own if a certificate is given."""
    loop = asyncio.get_running_loop()
    if over_tls:
        tls_port, certificate, key = over_tls
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        await loop.create_server(Stub, "127.0.0.1", int(tls_port), backlog=CONNECTIONS, ssl=context)
    server = await loop.create_server(Stub, "127.0.0.1", port, backlog=CONNECTIONS)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), *sys.argv[2:]))
