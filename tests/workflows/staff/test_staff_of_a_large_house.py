"""A master key of more locks than one credential can have: 160 rooms, at TTLock's simulator."""

import pytest

from tests.support.large_hotel import play
from tests.support.shifts import begun, ended, words

ROOMS = range(1001, 1161)


@pytest.mark.soak
def test_rooms_all_of_a_house_of_160_rooms_open_by_two_credentials_of_one_master_key(tmp_path):
    async def scenario(house):
        await begun(house, scopes=["rooms:all"], seconds=1800)
        assert len(await house.doors_with_keys(ROOMS)) == len(ROOMS)
        keys = await house.keys()
        assert [key["state"]["type"] for key in keys] == ["active", "active"]
        (master,) = (await house.documents("master_keys")).values()
        assert sorted(master["master_key"]["credentials"]) == sorted(key["core"]["id"] for key in keys)
        assert await words(house) == ["issued"]
        await ended(house, seconds=1800)
        assert await house.doors_with_keys(ROOMS) == []
        assert await words(house) == ["issued", "expired"]

    play(tmp_path, scenario, ROOMS)
