"""A process with a bus, to be killed: publishes numbered messages of three keys and says which are kept."""

import asyncio
import sys
from pathlib import Path

from infra.local.bus import Bus, SubscriptionSpec, TopicSpec
from infra.local.faults import crash_from_text
from shared.ports.bus import Message
from tests.contract.delivery.machine import machine

KEYS = "ABC"
EACH = 4
LONGEST_LIFE = 20.0


async def live(folder: Path, url: str, crash: str, first: int) -> None:
    """Publish EACH messages of each key from number `first`, unless killed, and wait for the pushes."""
    spec = SubscriptionSpec(
        name="on-booking", topic="bookings", push_url=url, audience=url, caller="bus@hotel", ordered=True,
        min_backoff=0.01, max_backoff=0.05,
    )  # fmt: skip
    async with asyncio.timeout(LONGEST_LIFE), machine(folder, crash_from_text(crash)) as means:
        bus = Bus(means, [TopicSpec("bookings")], [spec])
        bus.start()
        for number in range(first, first + EACH if first >= 0 else first):
            for key in KEYS:
                await bus.publish("bookings", [Message(f"{key}{number}".encode(), ordering_key=key)])
                sys.stdout.write(f"{key}{number}\n")
                sys.stdout.flush()
        while bus.backlog():
            await bus.idle()
            await asyncio.sleep(0.01)
        await bus.stop()


if __name__ == "__main__":
    asyncio.run(live(Path(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])))
