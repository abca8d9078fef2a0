"""The probe: one execution wins, the retry and the callback are proven, the address stays sealed."""

import asyncio

import pytest

from shared.ports.documents import AlreadyExists, Ref
from shared.ports.sagas import ExecutionState
from shared.usecases.upkeep.probe_platform import PLATFORM, ProbeMissing, begin_probe, count_visit, reply
from tests.support.simulated import play


def test_a_probe_comes_back(tmp_path):
    async def scenario(on):
        platform = on.fleet.platform
        probe, execution = await begin_probe(platform.sagas, platform.ids)
        await asyncio.sleep(60)
        return probe, await platform.sagas.get(execution)

    probe, execution = play(tmp_path, scenario)
    assert execution.state is ExecutionState.SUCCEEDED
    assert execution.result == {"probe": probe, "visits": 2, "answer": "here"}


def test_of_two_executions_of_one_probe_one_goes_on(tmp_path):
    async def scenario(on):
        ids = [await on.fleet.sagas.start("probe_platform", {"probe": "p"}) for _ in range(2)]
        await asyncio.sleep(60)
        return [(await on.fleet.sagas.get(each)).result for each in ids]

    results = play(tmp_path, scenario)
    assert sorted(result.get("superseded", False) for result in results) == [False, True]


def test_of_two_first_visits_at_once_one_is_first_whatever_their_interleaving(tmp_path):
    async def scenario(on):
        platform = on.fleet.platform
        visits = [count_visit(platform.documents, platform.clock, "p", each) for each in ("a", "b")]
        return await asyncio.gather(*visits, return_exceptions=True)

    pairs = [play(tmp_path / str(seed), scenario, seed) for seed in range(6)]
    assert all(pair.count(1) == 1 for pair in pairs)
    others = {type(visit) for pair in pairs for visit in pair if visit != 1}
    assert others == {int, AlreadyExists}  # 0 to the later one, and the lost race to one at the same time


def test_the_callbacks_address_is_kept_sealed_only(tmp_path):
    async def scenario(on):
        await on.fleet.sagas.start("probe_platform", {"probe": "p", "wait_seconds": 100})
        await asyncio.sleep(30)
        kept = await on.fleet.sealed.tenant(PLATFORM).get(Ref("probe_callbacks", "p"))
        return kept.data["url"], on.log.getvalue()

    sealed, lines = play(tmp_path, scenario)
    assert b"callbacks" not in bytes.fromhex(sealed)
    assert "callbacks/" not in lines


def test_a_reply_nobody_asked_for_is_refused(tmp_path):
    async def scenario(on):
        platform = on.fleet.platform
        with pytest.raises(ProbeMissing):
            await reply(platform.sealed, platform.cipher, platform.sagas, "nobody")

    play(tmp_path, scenario)
