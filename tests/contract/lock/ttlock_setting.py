"""The contracts' setting at TTLock: a guest with the vendor's app, and gateways that take turns."""

from infra.simulators.ttlock.hotel import AccountPlan, sample_hotel
from tests.contract.lock.setting import GUEST_ACCOUNT, HOUR, TENANT
from tests.contract.lock.simulated_setting import SimulatedSetting
from tests.support.vendors import TTLOCK


async def turns_at(setting, thing):
    """Return how many turns were taken at a gateway, which must be free by now."""
    lease = await setting.means.leases.acquire(TENANT, f"gateway:ttlock:{thing}", "a test", HOUR)
    await setting.means.leases.release(lease)
    return lease.fence - 1


class TTLockSetting(SimulatedSetting):
    """Simulated TTLock locks, behind one gateway."""

    vendor_code = TTLOCK
    address = "https://test.ttlock.com"

    def __init__(self, folder, *, clock=None, seed=7, hour_grid="lock"):
        self._hour_grid = hour_grid
        super().__init__(folder, clock=clock, seed=seed)

    def hotel(self):
        """Return the sample hotel, with a guest who has the vendor's app."""
        hotel = sample_hotel()
        guest = AccountPlan(username=GUEST_ACCOUNT, password="a-guest-s-own")
        changes = {"accounts": (*hotel.accounts, guest), "hour_grid": self._hour_grid}
        return hotel.model_copy(update=changes)
