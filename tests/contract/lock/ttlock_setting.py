"""The contracts' setting at TTLock: the adapter, the simulator, and the doors behind it."""

import asyncio
from random import Random

import orjson

from infra.local.transport import InProcess
from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock.app import ttlock_app
from infra.simulators.ttlock.build import md5_hex
from infra.simulators.ttlock.hotel import AccountPlan, sample_hotel
from shared.vendor_kit.http import Call, TimedOut
from shared.vendors.ttlock.adapter import open_vendor
from tests.contract.lock.setting import DOOR_101, GUEST_ACCOUNT, HOUR, PIN, TENANT, VENDOR_NAMES, Setting
from tests.support.vendors import TTLOCK

CONTROL = "steer"
ADDRESS = "https://test.ttlock.com"
ACCOUNT = {
    "clientId": "sim-client",
    "clientSecret": "sim-secret",
    "username": "owner",
    "passwordMd5": md5_hex("sim-password"),
    "baseUrl": ADDRESS,
}


class Straight:
    """Calls the simulator without a socket, and notes what was asked."""

    def __init__(self, app):
        self._way, self.asked = InProcess(app), []

    async def send(self, call):
        self.asked.append(call)
        serving = asyncio.ensure_future(self._way._serve(call))
        serving.add_done_callback(_heard)
        done, _ = await asyncio.wait({serving}, timeout=call.timeout)
        if not done:
            raise TimedOut("nothing was heard")
        return serving.result()

    @property
    def paths(self):
        """The paths asked for, in order."""
        return [call.url.removeprefix(ADDRESS).partition("?")[0] for call in self.asked]


async def turns_at(setting, thing):
    """Return how many turns were taken at a gateway, which must be free by now."""
    lease = await setting.means.leases.acquire(TENANT, f"gateway:ttlock:{thing}", "a test", HOUR)
    await setting.means.leases.release(lease)
    return lease.fence - 1


def _heard(serving):
    # What breaks after we hung up is nobody's to hear, and asyncio would complain of that.
    if not serving.cancelled():
        serving.exception()


class TTLockSetting(Setting):
    """Simulated TTLock locks, behind one gateway."""

    vendor_code = TTLOCK
    account = ACCOUNT

    def __init__(self, folder, *, clock=None, seed=7, hour_grid="lock"):
        super().__init__(folder, clock=clock)
        self._hour_grid = hour_grid
        self.sim = ttlock_app(
            SimWorld(
                now=self.clock.now,
                chance=Random(seed),
                sleep=asyncio.sleep,
                hotel=self.hotel(),
                control_token=CONTROL,
            )
        )
        self.straight = Straight(self.sim)

    def hotel(self):
        """Return the sample hotel, with a guest who has the vendor's app."""
        hotel = sample_hotel()
        guest = AccountPlan(username=GUEST_ACCOUNT, password="a-guest-s-own")
        changes = {"accounts": (*hotel.accounts, guest), "hour_grid": self._hour_grid}
        return hotel.model_copy(update=changes)

    def http(self):
        return self.straight

    def binding(self, account=None, **changes):
        return super().binding(orjson.dumps(account or self.account), **changes)

    def make_vendor(self):
        return open_vendor(self.binding(), self.means)

    async def steer(self, method, path, **body):
        """Use the control plane."""
        headers = {"authorization": f"Bearer {CONTROL}", "content-type": "application/json"}
        call = Call(method, f"{ADDRESS}/_sim/{path}", headers, orjson.dumps(body))
        answer = await InProcess(self.sim).send(call)
        assert answer.status < 300, answer.body
        return orjson.loads(answer.body) if answer.body else None

    async def opens(self, secret=PIN, device=DOOR_101):
        tried = await self.steer("POST", f"doors/{VENDOR_NAMES[device]}/try", pin=secret)
        return tried["opens"]

    async def count(self, device=DOOR_101):
        state = await self.steer("GET", "state")
        number = int(VENDOR_NAMES[device])
        (lock,) = (each for each in state["locks"] if each["lockId"] == number)
        return sum(len(lock["listed"][kind]) for kind in ("passcodes", "cards", "ekeys"))

    async def lose_the_next_answer(self):
        await self.fault("timeout_after_success", "keyboardPwd/add", times=1)

    async def break_down(self):
        await self.fault("http_502", "*")

    async def mend(self):
        await self.steer("DELETE", "faults")

    async def fault(self, fault, operation, **more):
        """Plant a fault."""
        await self.steer("POST", "faults", fault=fault, operation=operation, **more)
