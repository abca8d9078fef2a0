"""The agent by itself: it stays in touch, waits its turn when nobody answers, and remembers the audit log."""

import asyncio
import socket
from datetime import timedelta

from edge_agent.agent.loop import LONGEST_PAUSE, AgentLoop
from edge_agent.agent.serve import tell_service
from edge_agent.cloud.line import CloudRefused
from shared.audit.checkpoint import Checkpoint
from tests.edge.desk.paired_desk import play_desk

HOUR = 3600


async def rounds(loop, seconds):
    """Let the agent live for a while, and return the pauses that it made."""
    ends, pauses = loop.agent.parts.clock.now().timestamp() + seconds, []
    while loop.agent.parts.clock.now().timestamp() < ends:
        pauses.append(await loop.round())
        await asyncio.sleep(pauses[-1])
    return pauses


def test_an_agent_stays_in_touch_and_the_cloud_knows_when_it_does_not(tmp_path):
    async def scenario(house, desk):
        loop = AgentLoop(await desk.pair(), desk.entropy)
        await rounds(loop, 60)
        assert (loop.problem, loop.agent.reach.lately) == ("", True)
        standing = await loop.agent.papers.standing()
        assert {each.room: each.doors for each in standing.pack.rooms}["rmu_204"] == ("rmu_204",)
        assert standing.pack.fresh(desk.clock.now())
        assert not await house.jobs.desk_is_silent()

        desk.wire.down = True
        pauses = await rounds(loop, 600)
        assert max(pauses) <= LONGEST_PAUSE
        assert len({round(each, 3) for each in pauses[-10:]}) == 10
        assert await house.jobs.desk_is_silent()
        assert await loop.agent.reach.offline()
        assert "no answer" in loop.problem

        desk.wire.down = False
        await rounds(loop, 60)
        assert not await house.jobs.desk_is_silent()
        desk.encoder.there = False
        await rounds(loop, 60)
        assert await house.jobs.desk_is_silent()
        assert loop.agent.reach.lately

    play_desk(tmp_path, scenario)


def test_a_paper_that_somebody_changes_in_the_file_proves_nothing_though_it_proved_before(tmp_path):
    async def scenario(house, desk):
        agent = await desk.pair()
        await AgentLoop(agent, desk.entropy).round()
        before = await agent.papers.standing()
        for name, paper in (("arrivals", lambda it: it.pack), ("certificate", lambda it: it.certificate)):
            kept = await agent.parts.ledger.run(lambda it, name=name: it.settings.get(name))
            other = kept.replace("tnt_silk", "tnt_wool", 1)
            assert other != kept
            assert paper(before)
            await agent.parts.ledger.run(lambda it, told={name: other}: it.settings.put(**told))
            assert paper(await agent.papers.standing()) is None
            await agent.parts.ledger.run(lambda it, told={name: kept}: it.settings.put(**told))
            assert paper(await agent.papers.standing()) == paper(before)

    play_desk(tmp_path, scenario)


def test_a_certificate_is_replaced_two_weeks_before_its_end_and_an_untrue_clock_is_corrected(tmp_path):
    async def scenario(house, desk):
        loop = AgentLoop(await desk.pair(), desk.entropy)
        await loop.round()
        first = (await loop.agent.papers.standing()).certificate
        await certified(house, desk, days=75)
        await fetched_anew(loop)
        same = (await loop.agent.papers.standing()).certificate
        assert same.serial == first.serial
        await certified(house, desk, days=76)
        await fetched_anew(loop)
        second = (await loop.agent.papers.standing()).certificate
        assert (second.serial != first.serial, second.begins > same.begins) == (True, True)

        true, hours = desk.clock, 3
        desk.clock = type("Late", (), {"now": lambda _: true.now() - hours * timedelta(hours=1)})()
        loop = AgentLoop(await desk.die(), desk.entropy)
        await loop.round()
        assert (loop.problem, loop.agent.line.clock_is_untrue) == ("", True)
        assert not (await loop.agent.papers.standing()).pack.fresh(desk.clock.now())

    play_desk(tmp_path, scenario)


def test_a_row_that_the_cloud_refuses_keeps_no_desk_from_its_papers_and_jobs(tmp_path, monkeypatch):
    async def scenario(house, desk):
        loop = AgentLoop(await desk.pair(), desk.entropy)

        async def refused(_):
            raise CloudRefused("row_time", "dated ahead")

        with monkeypatch.context() as patched:
            pushed = []
            patched.setattr(
                type(loop.agent.outbox),
                "push",
                lambda _, certificate: (pushed.append(desk.clock.now()), refused(certificate))[1],
            )
            await rounds(loop, 300)
            assert len(pushed) == 1
            await rounds(loop, 400)
        assert len(pushed) == 2
        assert "row_time" in loop.problem
        assert (await loop.agent.papers.standing()).pack.fresh(desk.clock.now())
        await rounds(loop, 601)
        assert loop.problem == ""

    play_desk(tmp_path, scenario)


async def certified(house, desk, days):
    """Say that the desk was certified so many days ago."""
    then = desk.clock.now() - timedelta(days=days)
    told = {"certified_at": int(then.timestamp()) * 1000}
    await house.change("desks", desk.agent.identity.device, lambda data: {**data, **told})


async def fetched_anew(loop):
    """Let the agent fetch its certificate, whenever it did so last."""
    loop.chores["certificate"].done_at = None
    await loop.round()


async def witnesses_of(house, date):
    """Return who cosigned a day of the cell."""
    _, asked = await house.on.send("audit-witness", {"date": date}, caller="operator")
    return asked["witnesses"]


async def day_closed(house):
    """Close yesterday's log, as each night does."""
    await asyncio.sleep(15.1 * HOUR)
    await house.on.send("anchor-due", {}, caller="operator")
    await asyncio.sleep(300)


def test_a_desk_cosigns_the_cells_log_and_tells_when_it_is_not_what_it_was(tmp_path):
    async def scenario(house, desk):
        agent = await desk.pair()
        assert await agent.witness.cosign() is None
        await house.publish("evt_1", rooms=["rmu_204"])
        await day_closed(house)
        date = await agent.witness.cosign()
        assert (date is not None, await witnesses_of(house, date)) == (True, [])
        trust = {"do": "trust", "key": str(agent.witness.key)}
        await house.on.send("audit-cosign", trust, caller="operator")
        assert await agent.witness.cosign() == date
        assert await witnesses_of(house, date) == [agent.witness.key.name]

        seen = Checkpoint.parse(await agent.parts.ledger.run(lambda it: it.settings.get("witnessed")))
        ahead = Checkpoint(seen.origin, seen.size + 5, seen.root)
        await agent.parts.ledger.run(lambda it: it.settings.put(witnessed=ahead.text))
        assert await agent.witness.cosign() is None
        assert await agent.witness.cosign() is None
        assert await agent.outbox.push() == 1
        assert any("remembers another audit log" in each["message"] for each in house.logged("ALERT"))

        other = Checkpoint(seen.origin, seen.size, bytes(32))
        await agent.parts.ledger.run(lambda it: it.settings.put(witnessed=other.text))
        assert await agent.witness.cosign() is None
        assert await agent.outbox.push() == 1
        (_, row) = (await house.documents("desk_rows")).values()
        assert row["outcome"] == "alarmed"

    play_desk(tmp_path, scenario)


async def test_an_agent_tells_its_service_that_it_is_there_and_says_nothing_where_nobody_asked(
    tmp_path, monkeypatch
):
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        tell_service("READY=1")
        assert manager.recv(64) == b"READY=1"
    tell_service("WATCHDOG=1")
    monkeypatch.delenv("NOTIFY_SOCKET")
    tell_service("WATCHDOG=1")
