"""A thousand desktops that listen at one hotel, in one process: how long news takes, and what each holds.

They are the streams themselves, with the store and the bells of the embedded cloud, and without sockets:
what a server adds to each is measured where servers are.
"""

import asyncio
import gc
import json
import math
import sys
from pathlib import Path
from typing import Final

import uvloop

from infra.local.fleet import open_fleet
from infra.local.world import FleetConfig
from shared.domain.ids import DesktopDeviceId, PropertyId, SessionId, TenantId, UserId
from shared.domain.permissions import Role
from shared.runtime.platform import Platform
from shared.usecases.backoffice.feed import feed_of
from shared.usecases.backoffice.listening import Listeners, Stream, bell_of
from shared.usecases.backoffice.sessions import Session

TENANT, HOUSE = TenantId("tnt_bench"), PropertyId("ppt_bench")
EVENTS, WORD = 20, "alerts.new"
PATIENCE_SECONDS: Final = 30.0


async def listen(on: Platform, desktops: int, events: int) -> dict[str, float]:
    """Have desktops listen, tell them something now and then, and return when each heard of it."""
    store, listeners = on.documents.tenant(TENANT), Listeners(on.documents, on.nudges, on.log)
    before, heard = resident_kilobytes(), asyncio.Queue[float]()
    tasks = [asyncio.ensure_future(_desktop(each, on, listeners, heard)) for each in range(desktops)]
    for _ in tasks:
        await heard.get()  # each is there
    await asyncio.sleep(1)
    gc.collect()
    held, waits = resident_kilobytes() - before, list[float]()
    for number in range(events):
        began = asyncio.get_running_loop().time()
        feed = await feed_of(HOUSE, store)
        await feed.told(WORD, f"alt_{number}", on.clock.now()).saved(store)
        await on.nudges.ring(TENANT, bell_of(HOUSE))
        async with asyncio.timeout(PATIENCE_SECONDS):
            waits += [await heard.get() - began for _ in tasks]
    for each in tasks:
        each.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    p95 = sorted(waits)[math.ceil(0.95 * len(waits)) - 1]
    return {"heard_p95_ms": p95 * 1e3, "held_kb_each": held / desktops, "heard": len(waits)}


async def _desktop(number: int, on: Platform, listeners: Listeners, heard: "asyncio.Queue[float]") -> None:
    stream = Stream(_session(number, on), HOUSE, on.documents.tenant(TENANT), listeners, on.clock, on.entropy)
    async for said in stream.events(None):
        if said.startswith(b"retry") or WORD.encode() in said:
            heard.put_nowait(asyncio.get_running_loop().time())


def _session(number: int, on: Platform) -> Session:
    now = on.clock.now()
    return Session(
        id=SessionId(f"bos_{number:026d}"),
        operator=UserId(f"usr_{number}"),
        device=DesktopDeviceId(f"dev_{number}"),
        roles=(Role.FRONT_DESK,),
        properties=(HOUSE,),
        primary=HOUSE,
        locale="en",
        app_version="1.0",
        app_platform="win32",
        fingerprint="",
        secret="",
        opened_at=now,
        seen_at=now,
    )


def resident_kilobytes() -> float:
    """Return what this process holds in memory."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(each.split()[1]) for each in lines if each.startswith("VmRSS"))


async def _main(home: Path, desktops: int) -> dict[str, float]:
    async with open_fleet(FleetConfig(home)) as fleet:
        return await listen(fleet.platform, desktops, EVENTS)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(uvloop.run(_main(Path(sys.argv[1]), int(sys.argv[2])))))
