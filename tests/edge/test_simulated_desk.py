"""The simulated encoder as a program: it says where it is, and takes orders while somebody uses it."""

import asyncio
import json
import subprocess
import sys

import pytest

from edge_agent.hardware.encoders.models import MODELS
from edge_agent.hardware.errors import LinkLost
from infra.simulators.encoders.acr122 import Acr122
from infra.simulators.encoders.hid import ProximityHandle, StreamHandle
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.wires.device import HostMistake


@pytest.fixture
def program():
    """Start the program, and return what gives it orders."""
    command = [sys.executable, "-m", "infra.simulators.encoders", "pn532", "--latency", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def order(**what):
            if what:
                process.stdin.write(json.dumps(what) + "\n")
                process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield order
        process.stdin.close()
        assert process.wait() == 0


async def reader_at(path):
    """Return a reader on a port."""
    model = MODELS["pn532_serial"]
    return await model.wake(await model.connect(path))


async def test_program_is_an_encoder_whose_card_and_plug_obey_orders(program):
    reader = await reader_at(program()["path"])
    assert await reader.find() is not None
    assert await asyncio.to_thread(program, do="card", kind="none") == {"card": "none"}
    assert await reader.find() is None
    assert program(do="fault", faults=["nack"]) == {"planned": ["nack"]}
    program(do="card", kind="ntag")
    assert (await reader.find()).kind.name == "NTAG"
    program(do="unplug")
    with pytest.raises(LinkLost):
        await reader.find()
    await reader.close()

    again = await reader_at(program(do="plug")["path"])
    assert await again.find() is not None
    assert program(do="busy")["busy"] > 0
    assert "do:" in program(do="dance")["error"]
    await again.close()


@pytest.mark.parametrize(
    "mistake",
    [
        lambda: Acr122(Pn532()).receive(b"\x6f\x05\x00\x00\x00\x00\x00\x00\x00\x00"),
        lambda: StreamHandle(Pn532()).write(b"\x00\x01\x55"),
        lambda: ProximityHandle().send_feature_report(b"\x01"),
        lambda: ProximityHandle().get_feature_report(1, 256),
    ],
)
def test_simulator_says_loudly_what_no_device_would_take(mistake):
    with pytest.raises(HostMistake):
        mistake()
