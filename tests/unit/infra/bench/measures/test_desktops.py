"""Desktops that listen: each hears each thing once, and the measure notices if one does not."""

import asyncio

import pytest

from infra.bench.figures import BenchError
from infra.bench.measures import desktops
from infra.bench.programs.desktops import PATH

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 2000\n\n"
DONE = b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
NEWS = b"id: 1\nevent: alerts.new\ndata: {}\n\n"


class Instance:
    """Whoever streams to desktops: it tells each piece of news so often."""

    def __init__(self, times):
        self.times, self.listening, self.port = times, [], 0

    def memory_megabytes(self):
        return (float(len(self.listening)), 0.0)

    async def serve(self, reader, writer):
        asked = await reader.readuntil(b"\r\n\r\n")
        if asked.startswith(b"GET"):
            self.listening.append(writer)
            writer.write(HEAD)
            return
        assert f"POST {PATH}".encode() in asked
        for each in self.listening:
            each.write(NEWS * self.times)
        writer.write(DONE)
        writer.close()


async def listened(times, desks=5):
    instance = Instance(times)
    server = await asyncio.start_server(instance.serve, "127.0.0.1", 0)
    instance.port = server.sockets[0].getsockname()[1]
    try:
        return await desktops._listened(instance, [{"x": str(number)} for number in range(desks)])
    finally:
        for writer in instance.listening:
            writer.close()
        server.close()


async def test_each_of_the_desktops_hears_each_thing_and_what_all_hold_is_shared_out():
    told = await listened(1)
    assert 0 < told[desktops.HEARD] < 5000
    assert told[desktops.HELD] == 1000  # a megabyte each


@pytest.mark.parametrize(("times", "said"), [(0, "did not hear everything"), (2, "heard of something twice")])
async def test_a_measure_of_desktops_that_missed_something_or_heard_it_twice_is_none(
    monkeypatch, times, said
):
    monkeypatch.setattr(desktops, "PATIENCE_SECONDS", 0.3)
    with pytest.raises(BenchError, match=said):
        await listened(times)
