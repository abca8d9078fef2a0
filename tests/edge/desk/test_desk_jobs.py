"""A card hotel's booking ends as a card in the clerk's hand: pulled, written once, heard, whatever breaks."""

import asyncio
from datetime import datetime

import pytest

from edge_agent.cloud.line import CloudRefused, CloudSilent
from edge_agent.pairing.keychain import KeychainUnsafe
from edge_agent.relay.encode import WrongCard
from edge_agent.relay.jobs import JobGone
from infra.simulators.key_cards.classic_card import ClassicCard
from tests.edge.desk.paired_desk import play_desk

OTHER = bytes.fromhex("0badcafe")
ARRIVES = "2026-03-01T12:00:00Z"


async def booked(house, desk, event="evt_1", **data):
    """Book room 204, which has an offline lock, and be there as its guest comes."""
    card = {"rooms": ["rmu_204"], "preferredKinds": ["rfid_card"], "validFrom": ARRIVES}
    await desk.agent.post.pull()
    await house.publish(event, **{**card, **data})
    for _ in range(6):
        await asyncio.sleep(5)
        await desk.agent.post.pull()
    return await pulled(desk)


async def pulled(desk):
    """Pull, and return the one job that is open."""
    (row,) = await desk.agent.post.pull()
    return row


async def states(house):
    """Return the states of all keys, the oldest first."""
    return [each["state"]["type"] for each in await house.keys()]


def test_a_booking_becomes_a_card_that_opens_the_guests_door_and_no_other(tmp_path):
    async def scenario(house, desk):
        await desk.pair()
        row = await booked(house, desk)
        assert (row.step, row.document["reservationId"], row.document["rooms"]) == (
            "waiting",
            "rsv_1",
            ["rmu_204"],
        )
        assert await states(house) == ["pending"]

        plastic = desk.lay_down()
        row = await desk.agent.writer("left").write(row.id)
        assert (row.step, row.told) == ("written", True)
        await asyncio.sleep(5)
        assert await states(house) == ["active"]
        arrives = datetime.fromisoformat(ARRIVES)
        assert (await desk.door()).present(plastic, arrives) == "opens"
        assert (await desk.door("rmu_203")).present(plastic, arrives) == "another_door"

        writes = plastic.writes
        assert (await desk.agent.writer("left").write(row.id)).step == "written"
        assert plastic.writes == writes
        assert await desk.agent.post.pull() == []

    play_desk(tmp_path, scenario)


def test_an_answer_that_is_lost_or_a_wire_that_is_pulled_changes_nothing_at_the_encoder(tmp_path):
    async def scenario(house, desk):
        await desk.pair()
        row = await booked(house, desk)
        plastic, writer = desk.lay_down(), desk.agent.writer("left")
        desk.wire.down = True
        with pytest.raises(CloudSilent):
            await writer.write(row.id)
        assert plastic.writes == 0
        desk.wire.down = False
        desk.wire.lose = {"/edge/v1/jobs/step"}
        with pytest.raises(CloudSilent):
            await writer.write(row.id)
        assert plastic.writes == 0
        other = desk.lay_down(ClassicCard(OTHER))
        desk.wire.lose = set()
        row = await writer.write(row.id)
        assert (row.step, other.writes > 0, plastic.writes) == ("written", True, 0)
        await asyncio.sleep(5)
        assert await states(house) == ["active"]

    play_desk(tmp_path, scenario)


def test_an_agent_that_dies_after_the_card_is_written_adopts_that_card_and_no_other(tmp_path):
    async def scenario(house, desk):
        await desk.pair()
        row = await booked(house, desk)
        plastic = desk.lay_down()
        await dies_once_it_is_written(desk, row, plastic)
        writes = plastic.writes
        await desk.die()
        row = await pulled(desk)
        assert row.step == "writing"
        desk.lay_down(ClassicCard(OTHER))
        with pytest.raises(WrongCard, match="another card"):
            await desk.agent.writer("left").write(row.id)
        desk.wire.down = True  # the cloud has said its yes before
        desk.lay_down(plastic)
        row = await desk.agent.writer("left").write(row.id)
        assert (row.step, row.told, plastic.writes) == ("written", False, writes)
        desk.wire.down = False
        await desk.agent.post.pull()
        await asyncio.sleep(5)
        assert await states(house) == ["active"]

    play_desk(tmp_path, scenario)


def test_a_card_that_was_begun_and_is_gone_is_given_up_and_another_is_ordered(tmp_path):
    async def scenario(house, desk):
        await desk.pair()
        row = await booked(house, desk)
        plastic = desk.lay_down()
        await dies_once_it_is_written(desk, row, plastic)
        await desk.die()
        assert (await desk.agent.writer("left").give_up(row.id)).step == "failed"
        for _ in range(12):
            await asyncio.sleep(10)
            await desk.agent.post.pull()
        again = await pulled(desk)
        assert again.id != row.id
        other = desk.lay_down(ClassicCard(OTHER))
        await desk.agent.writer("left").write(again.id)
        arrives, door = datetime.fromisoformat(ARRIVES), await desk.door()
        assert [door.present(each, arrives) for each in (plastic, other, plastic)] == [
            "opens",
            "opens",
            "superseded",
        ]

    play_desk(tmp_path, scenario)


def test_a_stay_that_is_cancelled_calls_the_job_off_before_a_card_is_written(tmp_path):
    async def scenario(house, desk):
        await desk.pair()
        row = await booked(house, desk)
        await house.publish("evt_2", "cancelled", version=2, time="2026-03-01T12:00:00Z")
        await asyncio.sleep(60)
        plastic = desk.lay_down()
        with pytest.raises(JobGone):
            await desk.agent.writer("left").write(row.id)
        assert plastic.writes == 0
        assert await desk.agent.post.pull() == []

    play_desk(tmp_path, scenario)


def test_a_card_that_is_written_is_issued_though_the_cloud_will_not_hear_of_it_any_more(tmp_path):
    async def scenario(house, desk):
        await desk.pair()
        row = await booked(house, desk)
        desk.lay_down()
        real = desk.wire.send

        async def forgotten(call):
            if b'"processed"' in (call.body or b""):
                await house.change("desk_jobs", row.id, lambda job: {**job, "doors": ["elsewhere"]})
            return await real(call)

        desk.wire.send = forgotten
        written = await desk.agent.writer("left").write(row.id)
        assert (written.step, written.told, written.error) == ("written", True, "unheard_job")
        assert any("no job of its property" in each["message"] for each in house.logged("ALERT"))
        assert await desk.agent.post.pull() == []
        assert (await desk.agent.parts.ledger.run(lambda it: it.jobs.get(row.id))).step == "written"

    play_desk(tmp_path, scenario)


def test_a_card_that_is_written_is_issued_though_the_desk_was_stopped_meanwhile(tmp_path):
    async def scenario(house, desk):
        await desk.pair()
        row = await booked(house, desk)
        desk.lay_down()
        real = desk.wire.send

        async def stopped(call):
            if b'"processed"' in (call.body or b""):
                await desk.order(do="stop", desk=desk.agent.identity.device)
            return await real(call)

        desk.wire.send = stopped
        written = await desk.agent.writer("left").write(row.id)
        assert (written.step, written.told) == ("written", False)

    play_desk(tmp_path, scenario)


def test_codes_are_good_once_for_one_machine_and_five_tries_and_ten_minutes(tmp_path):
    async def scenario(house, desk):
        code = (await desk.order(do="invite", name="Front desk"))["code"]
        name = code.partition("-")[0]
        for _ in range(5):
            with pytest.raises(CloudRefused, match="code"):
                await desk.pair(f"{name}-AAAAAAAAAAAA")
        with pytest.raises(CloudRefused, match="code"):
            await desk.pair(code)

    play_desk(tmp_path, scenario)


def test_a_pairing_whose_answer_is_lost_is_finished_with_the_same_code_and_a_stopped_desk_is_out(tmp_path):
    async def scenario(house, desk):
        late = (await desk.order(do="invite", name="Front desk"))["code"]
        await asyncio.sleep(601)
        with pytest.raises(CloudRefused, match="code"):
            await desk.pair(late)

        good = (await desk.order(do="invite", name="Front desk"))["code"]
        desk.wire.lose = {"/edge/v1/pair"}
        with pytest.raises(CloudSilent):
            await desk.pair(good)
        await desk.pair(good)
        other = type(desk)(house, tmp_path / "other", entropy=8)
        with pytest.raises(CloudRefused, match="used"):
            await other.pair(good)
        (listed,) = (await desk.order(do="list"))["desks"]
        assert (listed["desk"], listed["name"]) == (desk.agent.identity.device, "Front desk")
        await refused_pairing(desk)
        assert await desk.agent.post.pull() == []
        await desk.order(do="stop", desk=listed["desk"])
        with pytest.raises(CloudRefused, match="stopped"):
            await desk.agent.post.pull()

    play_desk(tmp_path, scenario)


async def dies_once_it_is_written(desk, row, plastic):
    """Write a job's card, and end the process before anybody knows."""
    ledger, run = desk.agent.parts.ledger, desk.agent.parts.ledger.run

    async def dying(work):
        if plastic.writes:
            raise SystemExit
        return await run(work)

    ledger.run = dying
    with pytest.raises(SystemExit):
        await desk.agent.writer("left").write(row.id)


async def refused_pairing(desk):
    """Pair a machine that is paired: it stays the desk that it is."""
    await desk.agent.parts.ledger.close()
    with pytest.raises(KeychainUnsafe, match="paired already"):
        await desk.pair("AAAA-BBBB")
    desk.start()
