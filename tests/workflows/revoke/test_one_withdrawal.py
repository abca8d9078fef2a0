"""A withdrawal that is under way is not begun a second time."""

import asyncio

from tests.support.sample_hotel import play


def test_a_withdrawal_at_slow_locks_has_one_execution(tmp_path):
    """Five locks at ten seconds each: the sweeper comes by meanwhile, and the locks are asked once."""

    async def scenario(house):
        await house.publish("evt_1", rooms=["rmu_101", "rmu_102", "rmu_203", "rmu_204"])
        await asyncio.sleep(30)
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        await house.steer("PUT", "latency", cloudMs=[100, 100], gatewayMs=[10000, 10000])
        await house.publish("evt_2", "checked_out", time="2026-03-01T11:00:00Z")
        await asyncio.sleep(600)
        making, *withdrawing = sorted(house.fleet.sagas.listed("work_on_key"), key=lambda it: it.started_at)
        assert making.argument["generation"] == 1
        assert [each.argument["generation"] for each in withdrawing] == [2]
        assert house.logged("ALERT") == []

    play(tmp_path, scenario)
