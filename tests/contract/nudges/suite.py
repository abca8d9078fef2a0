"""What nudges promise, each guarantee in a test of its name."""

import asyncio

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId

SILK, LINEN = TenantId("tnt_silk"), TenantId("tnt_linen")
SOON, NOT_AGAIN = 10.0, 0.3


class NudgesContract:
    """The guarantees of `shared.ports.nudges.Nudges`."""

    async def test_a_ring_is_heard(self, setting):
        async with setting.subject.listen(SILK, "dev_1") as bell:
            await setting.subject.ring(SILK, "dev_1")
            assert await bell.heard(SOON)

    async def test_without_a_ring_the_wait_ends(self, setting):
        async with setting.subject.listen(SILK, "dev_1") as bell:
            assert not await bell.heard(NOT_AGAIN)

    async def test_a_ring_is_heard_once(self, setting):
        async with setting.subject.listen(SILK, "dev_1") as bell:
            await setting.subject.ring(SILK, "dev_1")
            assert await bell.heard(SOON)
            assert not await bell.heard(NOT_AGAIN)

    async def test_a_ring_between_two_waits_is_not_missed(self, setting):
        async with setting.subject.listen(SILK, "dev_1") as bell:
            assert not await bell.heard(NOT_AGAIN)
            await setting.subject.ring(SILK, "dev_1")
            await asyncio.sleep(NOT_AGAIN)
            assert await bell.heard(SOON)

    async def test_a_bell_rings_again_and_again(self, setting):
        async with setting.subject.listen(SILK, "dev_1") as bell:
            for _ in range(3):
                await setting.subject.ring(SILK, "dev_1")
                assert await bell.heard(SOON)

    async def test_what_rang_before_somebody_listened_is_not_heard(self, setting):
        await setting.subject.ring(SILK, "dev_1")
        async with setting.subject.listen(SILK, "dev_1") as bell:
            assert not await bell.heard(NOT_AGAIN)

    async def test_a_ring_is_for_one_desk_of_one_tenant(self, setting):
        async with setting.subject.listen(SILK, "dev_1") as bell:
            await setting.subject.ring(SILK, "dev_2")
            await setting.subject.ring(LINEN, "dev_1")
            assert not await bell.heard(NOT_AGAIN)

    async def test_everybody_who_listens_hears_it(self, setting):
        async with (
            setting.subject.listen(SILK, "dev_1") as here,
            setting.elsewhere.listen(SILK, "dev_1") as there,
        ):
            await setting.subject.ring(SILK, "dev_1")
            assert await asyncio.gather(here.heard(SOON), there.heard(SOON)) == [True, True]

    async def test_nobody_need_listen(self, setting):
        await setting.subject.ring(SILK, "dev_1")

    @pytest.mark.parametrize("desk", ["", "a/b", "..", "a b", "x" * 200])
    async def test_a_malformed_name_is_refused(self, setting, desk):
        with pytest.raises(InvalidInput, match="desk"):
            await setting.subject.ring(SILK, desk)
        with pytest.raises(InvalidInput, match="desk"):
            async with setting.subject.listen(SILK, desk):
                pass

    @pytest.mark.parametrize("within", [0, -1, 3601])
    async def test_nobody_waits_for_ever_nor_not_at_all(self, setting, within):
        async with setting.subject.listen(SILK, "dev_1") as bell:
            with pytest.raises(InvalidInput, match="within"):
                await bell.heard(within)
