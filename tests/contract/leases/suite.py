"""What leases promise, each guarantee in a test of its name."""

import asyncio
from datetime import timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.ports.leases import LeaseLost
from tests.contract.leases.setting import ALPHA, BETA, GATEWAY, MINUTE, NEWER


class LeasesContract:
    """The guarantees of `shared.ports.leases`."""

    async def test_a_free_lease_is_taken(self, setting):
        lease = await setting.acquire("first")
        assert (lease.tenant, lease.name, lease.holder) == (ALPHA, GATEWAY, "first")
        assert lease.expires_at == setting.clock.now() + MINUTE

    async def test_a_held_lease_is_refused(self, setting):
        await setting.acquire("first")
        setting.clock.advance(seconds=59)
        assert await setting.acquire("second") is None

    async def test_a_held_lease_is_refused_to_its_holders_namesake(self, setting):
        await setting.acquire("first")
        assert await setting.acquire("first") is None

    async def test_of_many_at_once_one_takes_it(self, setting):
        taken = await asyncio.gather(*(setting.acquire(f"{number}") for number in range(20)))
        assert sum(lease is not None for lease in taken) == 1

    async def test_of_many_at_once_one_takes_an_expired_one(self, setting):
        await setting.acquire("first")
        setting.clock.advance(minutes=1)
        taken = await asyncio.gather(*(setting.acquire(f"{number}") for number in range(20)))
        assert sum(lease is not None for lease in taken) == 1

    async def test_an_expired_lease_is_free(self, setting):
        await setting.acquire("first")
        setting.clock.advance(minutes=1)
        assert await setting.acquire("second") is not None

    async def test_a_released_lease_is_free(self, setting):
        await setting.leases.release(await setting.acquire("first"))
        assert await setting.acquire("second") is not None

    async def test_the_fence_grows_with_every_holder_for_ever(self, setting):
        fences = [(await setting.acquire("expires")).fence]
        setting.clock.advance(minutes=1)
        for _ in range(2):
            lease = await setting.acquire("releases")
            fences.append(lease.fence)
            await setting.leases.release(lease)
        setting.clock.advance(days=3650)
        await setting.reopen()
        fences.append((await setting.acquire("years later")).fence)
        assert fences == sorted(set(fences))

    async def test_a_renewed_lease_is_held_for_longer(self, setting):
        lease = await setting.acquire("first")
        setting.clock.advance(seconds=59)
        renewed = await setting.leases.renew(lease, MINUTE)
        setting.clock.advance(seconds=59)
        assert renewed.fence == lease.fence
        assert await setting.acquire("second") is None

    async def test_a_renewed_lease_can_be_renewed_and_released(self, setting):
        lease = await setting.leases.renew(await setting.acquire("first"), MINUTE)
        await setting.leases.release(await setting.leases.renew(lease, MINUTE))
        assert await setting.acquire("second") is not None

    async def test_an_expired_lease_is_not_renewed(self, setting):
        lease = await setting.acquire("first")
        setting.clock.advance(minutes=1)
        with pytest.raises(LeaseLost, match=GATEWAY):
            await setting.leases.renew(lease, MINUTE)
        assert await setting.acquire("second") is not None

    async def test_a_lease_another_has_is_not_renewed(self, setting):
        lease = await setting.acquire("first")
        setting.clock.advance(minutes=1)
        await setting.acquire("first")
        with pytest.raises(LeaseLost):
            await setting.leases.renew(lease, MINUTE)

    async def test_a_released_lease_is_not_renewed(self, setting):
        lease = await setting.acquire("first")
        await setting.leases.release(lease)
        with pytest.raises(LeaseLost):
            await setting.leases.renew(lease, MINUTE)

    async def test_a_late_release_leaves_the_next_holder_alone(self, setting):
        late = await setting.acquire("first")
        setting.clock.advance(minutes=1)
        await setting.acquire("first")
        await setting.leases.release(late)
        assert await setting.acquire("third") is None

    async def test_a_late_release_leaves_a_lease_alone_that_was_given_back_and_taken_again(self, setting):
        late = await setting.acquire("first")
        await setting.leases.release(late)
        await setting.acquire("second")
        await setting.leases.release(late)
        assert await setting.acquire("third") is None

    async def test_a_lease_is_given_back_by_whoever_took_it_though_it_was_renewed_since(self, setting):
        lease = await setting.acquire("first")
        await setting.leases.renew(lease, MINUTE)
        await setting.leases.release(lease)
        assert await setting.acquire("second") is not None

    async def test_a_lease_nobody_has_taken_since_can_be_released_late(self, setting):
        lease = await setting.acquire("first")
        setting.clock.advance(minutes=2)
        await setting.leases.release(lease)
        assert (await setting.acquire("second")).fence == lease.fence + 1

    async def test_a_lease_is_held_across_a_restart(self, setting):
        await setting.acquire("first")
        await setting.reopen()
        assert await setting.acquire("second") is None

    async def test_what_a_newer_release_wrote_beside_a_lease_stays(self, setting):
        lease = await setting.acquire("held meanwhile")
        await setting.write_as_a_newer_release()
        written = []
        await setting.leases.release(lease)
        written.append(await setting.kept())
        lease = await setting.acquire("taken anew")
        written.append(await setting.kept())
        renewed = await setting.leases.renew(lease, MINUTE)
        written.append(await setting.kept())
        await setting.leases.release(renewed)
        written.append(await setting.kept())
        assert [each.data["fence"] for each in written] == [1, 2, 2, 2]
        assert all(each.data.items() >= NEWER.items() for each in written)

    async def test_tenants_and_names_have_leases_of_their_own(self, setting):
        assert await setting.acquire("first") is not None
        assert await setting.acquire("first", tenant=BETA) is not None
        assert await setting.acquire("first", name="gateway:8") is not None

    @pytest.mark.parametrize("ttl", [timedelta(0), timedelta(seconds=-1)])
    async def test_a_lease_that_would_never_be_held_is_refused(self, setting, ttl):
        with pytest.raises(InvalidInput, match="ttl"):
            await setting.acquire("first", ttl=ttl)

    async def test_a_lease_nobody_holds_is_refused(self, setting):
        with pytest.raises(InvalidInput, match="holder"):
            await setting.acquire("")
