"""kill -9 of a real process at every boundary of the bus: nothing kept is lost, and keys stay in order."""

import asyncio
import base64
import json
import signal
import sys

import pytest
from aiohttp import web

from tests.contract.bus.doomed import EACH, KEYS
from tests.contract.delivery.sockets import listening

BOUNDARIES = ("before-commit", "after-commit", "before-push", "after-push", "before-ack", "after-ack")
TO_THE_END = -1


class Desk:
    """Receives pushes, fails every fifth, and remembers what it accepted."""

    def __init__(self):
        self.pushes, self.accepted = 0, []

    async def receive(self, request):
        message = (await request.json(loads=json.loads))["message"]
        self.pushes += 1
        if self.pushes % 5 == 0:
            return web.Response(status=500)
        self.accepted.append(base64.b64decode(message["data"]).decode())
        return web.Response(status=204)


async def life(folder, url, crash, first):
    """Run one process to its end; return how it ended and what it said it had kept."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.contract.bus.doomed", str(folder), url, crash, str(first)),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    return process.returncode, said.decode().split()


@pytest.mark.parametrize("boundary", BOUNDARIES)
async def test_a_bus_killed_at_any_boundary_loses_nothing_and_keeps_order(tmp_path, boundary):
    desk, kept = Desk(), []
    async with listening(desk.receive) as url:
        for number, nth in enumerate((1, 4, 9)):
            ended, said = await life(tmp_path, url, f"{boundary}#{nth}", number * EACH)
            assert ended == -signal.SIGKILL
            kept += said
        assert (await life(tmp_path, url, "", TO_THE_END))[0] == 0
    assert set(kept) <= set(desk.accepted)
    for key in KEYS:
        numbers = [int(text[1:]) for text in dict.fromkeys(desk.accepted) if text[0] == key]
        assert numbers == sorted(numbers)
