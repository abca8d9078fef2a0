"""A thousand desks at one gateway, ten cards each: none lost, none written twice, and idling costs little."""

import asyncio
import resource
import time
from datetime import timedelta

import pytest

from edge_agent.agent.loop import AgentLoop
from infra.simulators.key_cards.classic_card import ClassicCard
from shared.ledger.premises import change_hotel
from shared.ports.documents import Create, Ref
from shared.vendor_kit.desk_jobs import DeskJob, DeskJobs, JobState, job_id
from tests.edge.desk.paired_desk import PairedDesk
from tests.support.mixed_hotel import play_mixed
from tests.support.sample_hotel import DOORS, KABUL, SILK, device_at
from tests.support.vendors import GENERIC_WIEGAND

DESKS, JOBS = 1000, 10
IDLE = 60.0


async def properties(house, count):
    """Return so many properties, each with a room whose cards a desk writes."""
    store = house.fleet.documents.tenant(SILK)
    patterns = [("properties", KABUL), ("rooms", "rmu_204"), ("devices", device_at("204"))]
    kept = [(await store.get(Ref(*each))).data for each in patterns]
    for number in range(count):
        place, room, lock = f"ppt_desk{number}", f"rmu_desk{number}", f"lck_01KSAMP1E{10_000 + number:017d}"
        own = [
            {"id": place},
            {"id": room, "property_id": place},
            {"id": lock, "property_id": place, "rooms": [room]},
        ]
        writes = [
            Create(Ref(collection, changed["id"]), {**data, **changed})
            for (collection, _), data, changed in zip(patterns, kept, own, strict=True)
        ]
        await change_hotel(store, place, writes)
    return [f"ppt_desk{number}" for number in range(count)]


async def ordered(served, number):
    """Order a card, as the vendor's adapter does."""
    now, doors = served.desk.clock.now(), (DOORS["204"],)
    minute = now.replace(second=0, microsecond=0)
    card = DeskJob(
        id=job_id(served.place, number),
        name=f"card {number}",
        kind="rfid_card",
        dialect="encoder",
        doors=doors,
        rooms=doors,
        starts=minute,
        ends=minute + timedelta(days=2),
        overrides=True,
        ordered_at=now,
        number=int(now.timestamp() * 1000) + number,
    )
    return await served.jobs.order(card)


class Served:
    """One desk of the thousand: in touch, and with somebody who writes whatever comes."""

    def __init__(self, house, desk, place):
        self.desk, self.place, self.cards = desk, place, {}
        self.loop = AgentLoop(desk.agent, desk.entropy)
        documents = house.fleet.documents.tenant(SILK)
        self.jobs = DeskJobs(documents, desk.clock, GENERIC_WIEGAND, place)

    async def live(self):
        """Stay in touch, and write each card on a plastic of its own, once."""
        await asyncio.gather(self.loop.forever(), self.clerk())

    async def clerk(self):
        """Write what is open, of which nobody tells: a look is a reading of an enciphered ledger."""
        while True:
            await asyncio.sleep(5)
            for row in await self.desk.agent.parts.ledger.run(lambda it: it.jobs.open()):
                plastic = self.desk.lay_down(ClassicCard((0x20000000 + len(self.cards)).to_bytes(4, "big")))
                self.cards[row.id] = plastic
                await self.desk.agent.writer("left").write(row.id)

    async def written(self):
        """Return which of the jobs the cloud knows as written."""
        found = [await self.jobs.find(name) for name in self.cards]
        return [job.id for job in found if job is not None and job.state is JobState.PROCESSED]


async def paired(house, home):
    """Pair a desk at each of a thousand properties."""
    served = []
    for number, place in enumerate(await properties(house, DESKS)):
        desk = PairedDesk(house, home / f"desk{number}", entropy=number)
        invited = await desk.order(do="invite", name=f"Desk {number}", property=place)
        await desk.pair(invited["code"])
        served.append(Served(house, desk, place))
    return served


async def worked(served):
    """Order ten cards of each desk, and return the CPU seconds that a desk costs in an idle one."""
    await asyncio.sleep(30)
    for number in range(JOBS):
        for each in served:
            await ordered(each, number)
        await asyncio.sleep(15)
    for _ in range(24):
        await asyncio.sleep(5)
        if all(len(each.cards) == JOBS for each in served):
            break
    await asyncio.sleep(15)
    begun = time.process_time()
    await asyncio.sleep(IDLE)
    return (time.process_time() - begun) / len(served) / IDLE


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_a_thousand_desks_lose_no_job_and_idle_for_little(tmp_path, capsys):
    async def scenario(house):
        await house.open_all_accounts()
        served = await paired(house, tmp_path)
        lives = [asyncio.create_task(each.live()) for each in served]
        idle = await worked(served)
        for life in lives:
            life.cancel()
        await asyncio.gather(*lives, return_exceptions=True)
        assert [len(each.cards) for each in served] == [JOBS] * DESKS
        assert [len(await each.written()) for each in served] == [JOBS] * DESKS
        for each in served:
            await each.desk.agent.parts.ledger.close()
        return idle

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # each desk holds its ledger open
    try:
        idle = play_mixed(tmp_path / "cloud", scenario)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with capsys.disabled():
        cost = f"an idle desk costs {idle * 1000:.2f} ms of CPU a second, both ends together"
        print(f"\n{DESKS} desks, {DESKS * JOBS} cards, none lost; {cost}")  # noqa: T201 - what a soak is read for
