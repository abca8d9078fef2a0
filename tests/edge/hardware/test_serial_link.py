"""Serial ports: pyserial on a pseudo-terminal, with pacing, odd pieces, a busy port and a pulled plug."""

import asyncio
import time

import pytest

from edge_agent.hardware.cards.classic import ClassicCard
from edge_agent.hardware.cards.keys import KeyMaterial
from edge_agent.hardware.er302.reader import Er302Reader
from edge_agent.hardware.errors import LinkLost
from edge_agent.hardware.link import EventLink
from edge_agent.hardware.pn532.chip import Pn532Chip
from edge_agent.hardware.pn532.reader import Pn532Reader
from edge_agent.hardware.serial_link import LoopEars, ThreadEars, open_serial
from infra.simulators.encoders.er302 import Er302
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard as Plastic
from infra.simulators.wires.device import Answer
from infra.simulators.wires.pty_port import PtyPort
from shared.domain.secret import Secret

OURS = KeyMaterial(1, Secret(b"guesthouse by the lake, 16+"))
CONTENT = (bytes(range(16)), b"keyfleet keycard", bytes(16))


class Echo:
    """A device that says what it hears."""

    def receive(self, data):
        return [Answer(data)]


class WakeWords:
    """A codec whose every event is three bytes."""

    def __init__(self):
        self.kept = b""

    def feed(self, data):
        whole, self.kept = divmod(len(self.kept + data), 3)[0] * 3, self.kept + data
        events = [self.kept[at : at + 3] for at in range(0, whole, 3)]
        self.kept = self.kept[whole:]
        return events

    def reset(self):
        self.kept = b""


async def pn532(path):
    """Return a PN532 reader that is awake."""
    chip = Pn532Chip(await open_serial(path))
    await chip.wake()
    return Pn532Reader(chip)


async def er302(path):
    """Return an ER302 reader."""
    return Er302Reader(await open_serial(path))


@pytest.mark.parametrize(("device", "reader"), [(Pn532, pn532), (Er302, er302)])
@pytest.mark.parametrize("port", [{}, {"piece": 1}, {"baud": 115_200}, {"latency": 0.016}])
async def test_card_is_written_over_a_port(device, reader, port):
    with PtyPort(device(Plastic()), **port) as line:
        encoder = await reader(line.path)
        card = ClassicCard(encoder, await encoder.find(), OURS)

        await card.write(1, CONTENT)

        assert await card.read(1) == b"".join(CONTENT)
        await encoder.close()


async def test_port_is_ours_alone():
    with PtyPort(Echo()) as line:
        link = await open_serial(line.path)

        with pytest.raises(LinkLost):
            await open_serial(line.path)
        await link.close()
        again = await open_serial(line.path)
        await again.close()


async def test_byte_that_comes_after_somebody_stopped_waiting_is_not_lost():
    with PtyPort(Echo()) as line:
        link = await open_serial(line.path)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await link.receive()

        await link.send(b"ok")

        assert await link.receive() in (b"o", b"ok")
        await link.close()


@pytest.mark.parametrize("ears", [LoopEars, ThreadEars])
async def test_answer_that_came_while_the_machine_was_busy_is_no_silence(ears):
    with PtyPort(Echo()) as line:
        events = EventLink(await open_serial(line.path, ears=ears), WakeWords())
        await events.send(b"ack")
        waiting = asyncio.ensure_future(events.next(0.02))
        await asyncio.sleep(0)

        time.sleep(0.1)  # noqa: ASYNC251 - the loop itself is what is late

        assert await waiting == b"ack"
        await events.close()


@pytest.mark.parametrize("ears", [LoopEars, ThreadEars])
async def test_pulled_plug_is_lost_to_who_reads_and_who_writes(ears):
    with PtyPort(Echo()) as line:
        link = await open_serial(line.path, ears=ears)
        reading = asyncio.create_task(link.receive())
        await asyncio.sleep(0)

        line.unplug()

        with pytest.raises(LinkLost):
            await reading
        with pytest.raises(LinkLost):
            await link.send(b"hello")
        await link.close()


@pytest.mark.parametrize("ears", [LoopEars, ThreadEars])
async def test_closed_link_ends_whoever_waits(ears):
    with PtyPort(Echo()) as line:
        link = await open_serial(line.path, ears=ears)
        reading = asyncio.create_task(link.receive())
        await asyncio.sleep(0)

        await link.close()

        with pytest.raises(LinkLost):
            await reading


async def test_port_that_is_not_there_is_lost(tmp_path):
    with pytest.raises(LinkLost):
        await open_serial(str(tmp_path / "ttyUSB0"))


async def test_pace_of_a_port_is_what_its_baud_rate_allows():
    with PtyPort(Echo(), baud=9600) as line:
        link = await open_serial(line.path)
        begun = asyncio.get_running_loop().time()
        await link.send(bytes(48))
        got = b""
        while len(got) < 48:
            got += await link.receive()
        took = asyncio.get_running_loop().time() - begun
        await link.close()

    assert line.busy == pytest.approx(2 * 48 * 10 / 9600)
    assert took >= line.busy
