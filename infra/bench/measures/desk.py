"""The desk's hardware: what our own work adds to the time that wires and radio take by themselves."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from statistics import median
from time import perf_counter
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from shared.domain.secret import Secret

BAUD, BITS_A_BYTE, INTERVAL = "115200", 10, 0.030
ENCODE, WIRE, ENCODE_ABOVE = "desk.encode_card_ms", "raw.wire_and_rf_ms", "desk.encode_above_wire_ratio"
PASSCODE, AIR, PASSCODE_ABOVE = (
    "desk.add_passcode_ms",
    "raw.packets_by_interval_ms",
    "desk.passcode_above_air_ratio",
)
FIGURES = {
    WIRE: Figure("ms", "lower"),
    ENCODE: Figure("ms", "lower", floor=2500, beside=WIRE),
    ENCODE_ABOVE: Figure("ratio", "lower", floor=0.15),
    AIR: Figure("ms", "lower"),
    PASSCODE: Figure("ms", "lower", floor=3000, beside=AIR),
    PASSCODE_ABOVE: Figure("ratio", "lower", floor=0.15),
}
CARDS, PASSCODES = 7, 5
SECTORS = 3
STEPS = {
    # Bytes on the line (command, its ACK, reply) and seconds of radio, as chip and card have them.
    "list": (36, 0.0025),
    "open": (38, 0.002),
    "write": (44, 0.0055),
    "read": (44, 0.0025),
}
A_SECTOR = {"open": 3, "write": 4, "read": 4}
"""Of a new card: opened with its own key; three blocks and the trailer written, and all four read back; and
each of its two new keys tried. A card that is written with less is not proved."""
ARRIVAL = datetime(2026, 11, 19, 14, tzinfo=UTC)


def take(ground: Ground) -> Sample:
    """Encode key cards on a paced line, and add passcodes over a paced radio."""
    rounds = (2, 1) if ground.effort.quick else (CARDS, PASSCODES)
    try:
        cards, passcodes = asyncio.run(_cards(rounds[0])), asyncio.run(_passcodes(rounds[1]))
    except ImportError as missing:
        raise BenchError(f"{missing.name} is missing: pip install keyfleet[edge]") from missing
    return {
        **_figures((ENCODE, WIRE, ENCODE_ABOVE), cards),
        **_figures((PASSCODE, AIR, PASSCODE_ABOVE), passcodes),
    }


def _figures(names: tuple[str, str, str], samples: list[tuple[float, float]]) -> Sample:
    took, least = (median(column) for column in zip(*samples, strict=True))
    # Of the quietest one: what else this machine does is not our work.
    above = min((seconds - floor) / floor for seconds, floor in samples)
    return {names[0]: took * 1e3, names[1]: least * 1e3, names[2]: above}


def least_for_a_card() -> float:
    """Return the seconds that a new card of three sectors takes the line and the radio, whoever writes it."""
    steps = {"list": 1, **{step: SECTORS * times for step, times in A_SECTOR.items()}}
    wire = sum(STEPS[step][0] * times for step, times in steps.items()) * BITS_A_BYTE / int(BAUD)
    return wire + sum(STEPS[step][1] * times for step, times in steps.items())


async def _cards(count: int) -> list[tuple[float, float]]:
    """Return, for some new cards, the seconds they took and the least that the line allows."""
    from nacl.signing import SigningKey

    from edge_agent.hardware.cards.keycard import Desk, KeyCardPress
    from edge_agent.hardware.cards.keys import KeyMaterial
    from edge_agent.hardware.cards.layout import CardRecord, door_digest, property_digest
    from edge_agent.hardware.pn532.chip import Pn532Chip
    from edge_agent.hardware.pn532.reader import Pn532Reader
    from edge_agent.hardware.serial_link import open_serial

    key = SigningKey(bytes(32))
    desk = Desk(KeyMaterial(1, Secret(bytes(16))), key, (key.verify_key,))
    record = CardRecord(
        property_digest("ppt_bench"), 1, ARRIVAL, ARRIVAL + timedelta(days=2), (door_digest("rmu_1"),)
    )
    with _encoder() as order:
        chip = Pn532Chip(await open_serial(order({"do": "plug"})["path"]))
        await chip.wake()
        press = KeyCardPress(Pn532Reader(chip), desk)
        samples = []
        for _ in range(count):
            order({"do": "card", "kind": "classic"})
            begun = perf_counter()
            await press.make(record)
            samples.append((perf_counter() - begun, least_for_a_card()))
        await chip.close()
    return samples


async def _passcodes(count: int) -> list[tuple[float, float]]:
    """Return, for some passcodes, the seconds after connecting and those of the packets alone."""
    from edge_agent.hardware.ttlock.commands import LockKeys
    from edge_agent.hardware.ttlock.door import TtlockDoor
    from edge_agent.hardware.ttlock.frames import LockVersion
    from infra.simulators.ble_locks.ble_lock import BleLock
    from infra.simulators.ble_locks.radio import Radio

    lock = BleLock(now=lambda: ARRIVAL)
    keys = LockKeys(Secret(lock.key), Secret(lock.admin), Secret(lock.unlock.to_bytes(4, "big")))

    class LockRadio(Radio):
        version = LockVersion()

    radios: list[LockRadio] = []

    async def connect() -> LockRadio:
        radios.append(LockRadio(lock, INTERVAL))
        return radios[-1]

    door = TtlockDoor(connect, keys, SimpleNamespace(now=lambda: ARRIVAL), ZoneInfo("UTC"))
    window = door.validity(ARRIVAL, ARRIVAL + timedelta(days=2))
    samples = []
    for number in range(count):
        code, begun = Secret(f"{480000 + number}"), perf_counter()
        await door.visit(lambda visit, code=code: visit.add_passcode(code, window))  # type: ignore[misc]  # bound now
        samples.append((perf_counter() - begun, radios[-1].packets * INTERVAL))
    return samples


@contextmanager
def _encoder() -> Iterator[Any]:
    """Run the simulated encoder in a process of its own, and yield what gives it orders."""
    command = [sys.executable, "-m", "infra.simulators.encoders", "pn532", "--baud", BAUD]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        orders, answers = process.stdin, process.stdout
        if orders is None or answers is None or not answers.readline():
            raise BenchError("the simulated encoder did not start")

        def order(what: dict[str, Any]) -> Any:
            orders.write(json.dumps(what) + "\n")
            orders.flush()
            return json.loads(answers.readline())

        try:
            yield order
        finally:
            orders.close()


MEASURE = Measure("desk", FIGURES, take)
