"""Bus contract: the same again from the same seed."""

import asyncio
from datetime import timedelta

from tests.contract.bus.setting import (
    BusSetting,
    numbered,
)


class Determinism(BusSetting):
    """The same again from the same seed."""

    def test_the_same_seed_gives_the_same_trace(self, tmp_path):
        def trace(seed, folder):
            seen = []

            async def scenario(world, bus):
                world.receiver.answer = lambda _: 500 if world.entropy.uniform(0, 1) < 0.4 else 204
                await asyncio.gather(*(bus.publish("bookings", numbered(4, key)) for key in "ABCD"))
                await asyncio.sleep(timedelta(minutes=2).total_seconds())
                seen.extend((each.at, each.text) for each in world.receiver.received)

            folder.mkdir()
            self.play(folder, scenario, seed=seed)
            return seen

        assert trace(7, tmp_path / "first") == trace(7, tmp_path / "second") != trace(8, tmp_path / "third")
