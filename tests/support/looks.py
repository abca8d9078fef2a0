"""Locks looked at, and changed before somebody looks again."""

import asyncio

from tests.support.sample_hotel import DOORS

SITE = {"tenant": "tnt_silk", "property": "ppt_kabul", "vendor": "ttlock"}


async def look(house, hours=0):
    """Have the locks looked at, after some hours."""
    await asyncio.sleep(hours * 3600)
    begun = {**SITE, "adapter": "adapter-ttlock", "work": "look"}
    await house.fleet.sagas.start("hear_doors", begun)
    await house.settled()


async def lock(house, door, **change):
    await house.steer("PATCH", f"locks/{DOORS[door]}", **change)
