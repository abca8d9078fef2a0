"""kill -9 of a real process at every boundary of the bus: nothing kept is lost, and keys stay in order."""

import asyncio
import base64
import itertools
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
    """Receives pushes, fails every fifth, and remembers what it accepted in each life of the bus."""

    def __init__(self):
        self.pushes, self.lives = 0, []

    @property
    def accepted(self):
        return list(itertools.chain(*self.lives))

    async def receive(self, request):
        message = (await request.json(loads=json.loads))["message"]
        self.pushes += 1
        if self.pushes % 5 == 0:
            return web.Response(status=500)
        self.lives[-1].append(base64.b64decode(message["data"]).decode())
        return web.Response(status=204)


async def life(folder, url, crash, first):
    """Run one process to its end; return how it ended and what it said it had kept."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.contract.bus.doomed", str(folder), url, crash, str(first)),
        stdout=asyncio.subprocess.PIPE,
    )
    said, _ = await process.communicate()
    return process.returncode, said.decode().split()


def keeps_order(lives):
    """Whether one key kept its order, given the numbers that were accepted in each life of the bus.

    A crash may cost acknowledgements, but only the latest of a key: a life may begin again with an earlier
    message, and then all that follow it come again too.
    """
    seen = list(itertools.chain(*lives))
    firsts, lasts = list(dict.fromkeys(seen)), list(dict.fromkeys(reversed(seen)))[::-1]
    return all(order == sorted(order) for order in (*lives, firsts, lasts))


@pytest.mark.parametrize(
    ("lives", "kept"),
    [
        ([[0, 1, 2], [3, 4]], True),
        ([[0, 0, 1], [1, 2, 2]], True),
        ([[0, 1, 2], [1], [2, 3]], True),
        ([[0, 1], [], [0, 1, 2]], True),
        ([[0, 1], [0, 2]], False),
        ([[0, 1, 2], [1], [3]], False),
        ([[0, 1, 0, 1]], False),
        ([[1], [0, 1]], False),
    ],
)
def test_an_earlier_message_after_a_later_one_that_was_acknowledged_is_seen(lives, kept):
    assert keeps_order(lives) is kept


@pytest.mark.parametrize("boundary", BOUNDARIES)
async def test_a_bus_killed_at_any_boundary_loses_nothing_and_keeps_order(tmp_path, boundary):
    desk, kept = Desk(), []
    async with listening(desk.receive) as url:
        for number, nth in enumerate((1, 4, 9)):
            desk.lives.append([])
            ended, said = await life(tmp_path, url, f"{boundary}#{nth}", number * EACH)
            assert ended == -signal.SIGKILL
            kept += said
        desk.lives.append([])
        assert (await life(tmp_path, url, "", TO_THE_END))[0] == 0
    assert set(kept) <= set(desk.accepted)
    for key in KEYS:
        lives = [[int(text[1:]) for text in each if text[0] == key] for each in desk.lives]
        assert keeps_order(lives), lives
