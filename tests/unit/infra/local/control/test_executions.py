"""What executions tell a timeline of how they ended: by what became of the key, not by how the file ran."""

import asyncio

from tests.support.sample_hotel import play


async def _ends(house):
    (key,) = await house.documents("credentials")
    _, answer = await house.on.send(f"_cloud/timeline/{key}", caller="operator", method="GET")
    saga = [each for each in answer["timeline"] if each["source"] == "saga"]
    return [(each["kind"], each["what"]) for each in saga if each["what"].startswith("work_on_key ")][1:]


def test_story_of_a_key_that_nobody_could_make_does_not_end_with_a_success(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.refit("101", "mock")
        await house.publish("evt_1")
        await asyncio.sleep(20 * 60)
        assert [key["state"]["type"] for key in await house.keys()] == ["failed"]
        ends = [(kind, what) for kind, what in await _ends(house) if kind != "started"]
        assert ends[-1] == ("failed", "work_on_key ended: failed")
        assert {kind for kind, _ in ends} == {"parked", "failed"}

    play(tmp_path, scenario)


def test_story_of_a_key_that_was_made_ends_with_that(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(30)
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        assert await _ends(house) == [("succeeded", "work_on_key ended: done")]

    play(tmp_path, scenario)


def test_execution_that_broke_off_says_so(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await asyncio.sleep(30)
        (key,) = await house.documents("credentials")
        broken = {"saga_id": key, "adapter": "adapter-nobody", "generation": 9}
        await house.fleet.sagas.start("work_on_key", broken)
        await asyncio.sleep(1200)
        assert (await _ends(house))[-1] == ("failed", "work_on_key FAILED")

    play(tmp_path, scenario)
