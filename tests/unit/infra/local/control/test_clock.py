"""The clock over the control plane: told by every fleet, moved by none that goes by another's clock."""

import pytest

from tests.support.sample_hotel import play


@pytest.mark.parametrize(("method", "body"), [("POST", {"seconds": 60}), ("POST", {})])
def test_a_fleet_without_a_clock_of_its_own_tells_the_time_and_refuses_to_move_it(tmp_path, method, body):
    async def scenario(house):
        told = await house.on.send("_cloud/clock", caller="operator", method="GET")
        return told, await house.on.send("_cloud/clock", body, caller="operator", method=method)

    (told, time), (refused, error) = play(tmp_path, scenario)
    assert (told, time["movable"], time["ahead_seconds"]) == (200, False, 0)
    assert (refused, error["error"]["field"]) == (400, "seconds")
