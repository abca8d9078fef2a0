"""A vendor that serves raw bytes."""

import asyncio
from contextlib import asynccontextmanager

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Mixed-Case: yes\r\nSet-Cookie: a=b\r\n\r\nok"


@asynccontextmanager
async def vendor(*answers, hang_up=True):
    """Serve raw bytes, one answer a request, and yield the address and the requests."""
    requests, left = [], list(answers)

    async def serve(reader, writer):
        while left:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                (int(line[15:]) for line in head.split(b"\r\n") if line[:15] == b"Content-Length:"), 0
            )
            requests.append(head + await reader.readexactly(length))
            writer.write(left.pop(0))
            await writer.drain()
        if hang_up:
            writer.close()
        else:
            await reader.read()
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", requests
