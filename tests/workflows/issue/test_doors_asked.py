"""A timeline says of each door whether its vendor was asked for it, and nothing that nobody knows."""

import asyncio

from shared.queries.hotels import Cell
from shared.queries.timeline import NO_EXECUTIONS, UNHEARD, timeline
from shared.vendor_kit.http import ConnectionFailed
from tests.support.sample_hotel import SILK, play

FRONT, ROOM = "Front door", "Room 101"


async def asked(house):
    """Return what a timeline says of each door, the first time that it speaks of it."""
    told = await timeline(Cell(house.fleet.documents, "local"), NO_EXECUTIONS, "rsv_1", str(SILK))
    lines = [each["what"] for each in told["timeline"] if each["kind"] == "place"]
    return {door: next(line for line in lines if door in line) for door in (FRONT, ROOM)}


def test_a_door_whose_turn_has_not_come_is_not_said_to_be_asked(tmp_path):
    async def scenario(house):
        await house.steer("PUT", "latency", cloudMs=[1, 1], gatewayMs=[8_000, 8_000])
        await house.publish("evt_1")
        await asyncio.sleep(3)
        early = await asked(house)
        await house.keys_active(1)
        return early, await asked(house)

    early, late = play(tmp_path, scenario)
    assert set(early.values()) == {f"ttlock was to place pin_code at {door}: {UNHEARD}" for door in early}
    assert set(late.values()) == {f"ttlock was asked to place pin_code at {door}: on_lock" for door in late}


def test_a_door_is_not_said_to_be_asked_where_no_vendor_was_reached(tmp_path):
    async def scenario(house):
        async def unreachable(_call):
            raise ConnectionFailed("nobody is there")

        house.vendor.send = unreachable
        await house.publish("evt_1")
        await asyncio.sleep(2)
        return await asked(house)

    told = play(tmp_path, scenario)
    said = "ttlock was not asked to place pin_code at {}: no_connection"
    assert set(told.values()) == {said.format(door) for door in told}


def test_a_door_that_its_vendor_refused_was_asked(tmp_path):
    async def scenario(house):
        await house.fault("http_500", "keyboardPwd/add")
        await house.publish("evt_1")
        await asyncio.sleep(2)
        return await asked(house)

    told = play(tmp_path, scenario)
    assert set(told.values()) == {f"ttlock was asked to place pin_code at {d}: server_error" for d in told}
