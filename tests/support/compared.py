"""Locks compared with the ledger, and what is found there judged."""

import asyncio
from dataclasses import replace

from infra.simulators.kit.door import Written
from infra.simulators.kit.windows import Window
from tests.support.sample_hotel import DOORS, SILK

ALL = ["rmu_101", "rmu_102", "rmu_203", "rmu_204"]


async def compare(house, occasion="asked", **where):
    """Have all locks compared, or those named, and wait until they are."""
    status, answer = await house.on.send("compare-locks", {"occasion": occasion, **where}, caller="operator")
    assert status == 200, answer
    await house.settled()
    return answer


async def findings(house, kind=None):
    """Return the findings that are not settled."""
    kept = (await house.documents("findings")).values()
    return [each for each in kept if each["end"] is None and kind in (None, each["kind"])]


async def judge(house, finding, word, **more):
    """Say what is to become of a finding."""
    body = {"tenant": str(SILK), "finding": finding["id"], "word": word, "by": "usr_7", **more}
    status, answer = await house.on.send("judge-finding", body, caller="operator")
    await house.settled()
    return status, answer


async def swept(house):
    """Let the sweeper come by, twice."""
    await asyncio.sleep(125)
    await house.settled()


def lose(house, door):
    """Let a lock and its cloud forget all codes."""
    cloud, lock = house.sim.cloud, int(DOORS[door])
    for row in list(cloud.passcodes.of(lock)):
        cloud.doors[lock].forget_code(row.code)
        cloud.passcodes.drop(row.passcode_id)


def opens(house, door, code):
    return code in house.sim.cloud.doors[int(DOORS[door])].codes


async def booked(house, count=1, **more):
    """Have stays with keys."""
    for number in range(count):
        await house.publish(
            f"evt_{number}",
            reservationId=f"rsv_{number}",
            guest={"id": f"gst_{number}"},
            rooms=[ALL[number % 4]],
            **more,
        )
    await house.keys_active(count)
    await house.settled()


def stranger(house, door, code="905173", name="Cleaner", end=None):
    """Let somebody add a code in the vendor's app; return its number there."""
    cloud, lock = house.sim.cloud, int(DOORS[door])
    pattern = next(iter(cloud.passcodes.of(lock)))
    number = cloud.next_id()
    window = Window(pattern.window.start, end or pattern.window.end)
    cloud.passcodes.put(number, replace(pattern, passcode_id=number, code=code, name=name, window=window))
    cloud.doors[lock].codes[code] = Written(window)
    return number


def restored(house, door, row):
    """Let the vendor go back to a backup in which a code still was."""
    from infra.simulators.ttlock.rows import Passcode

    cloud, lock = house.sim.cloud, int(DOORS[door])
    window = Window(**row["window"])
    cloud.passcodes.put(row["passcode_id"], Passcode(**{**row, "window": window}))
    cloud.doors[lock].codes[row["code"]] = Written(window)
