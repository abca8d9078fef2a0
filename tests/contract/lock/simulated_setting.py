"""The contracts' setting at any simulated vendor: its adapter, its simulator, and the doors behind it."""

import asyncio
from random import Random

import orjson

from infra.local.transport import InProcess
from infra.simulators.kit.app import Simulator
from infra.simulators.kit.world import SimWorld
from infra.simulators.registry import simulated_vendor
from shared.domain.kinds import VendorCode
from shared.vendor_kit.http import Call, TimedOut
from shared.vendor_kit.registry import opener_of
from tests.contract.lock.setting import DOOR_101, VENDOR_NAMES, Setting

CONTROL = "steer"
TRIED_AS = {"pin_code": "pin", "mobile_app": "ekey", "rfid_card": "card", "nfc_tag": "card", "qr_code": "qr"}


def _heard(serving):
    # What breaks after we hung up is nobody's to hear, and asyncio would complain of that.
    if not serving.cancelled():
        serving.exception()


class Straight:
    """Calls a simulator without a socket, and notes what was asked."""

    def __init__(self, app, address=""):
        self._way, self._address, self.asked = InProcess(app), address, []

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
        return [call.url.removeprefix(self._address).partition("?")[0] for call in self.asked]


class SimulatedSetting(Setting):
    """A vendor's simulated locks; subclasses say whose, and perhaps where and in which hotel."""

    address = None

    def __init__(self, folder, *, vendor=None, clock=None, seed=7):
        super().__init__(folder, clock=clock)
        self.vendor_code = VendorCode(vendor or self.vendor_code)
        self.simulated = simulated_vendor(self.vendor_code)
        self.address = self.address or f"https://api.{self.vendor_code}.example"
        self.account = self.simulated.account(self.address)
        world = {"now": self.clock.now, "chance": Random(seed), "sleep": asyncio.sleep}
        self.sim = Simulator(self.simulated, SimWorld(**world, hotel=self.hotel(), control_token=CONTROL))
        self.straight = Straight(self.sim, self.address)

    def hotel(self):
        """Return the hotel whose locks are simulated."""
        return self.simulated.hotel_of([int(lock) for lock in VENDOR_NAMES.values()])

    def http(self):
        return self.straight

    def binding(self, account=None, **changes):
        return super().binding(orjson.dumps(account or self.account), **changes)

    def make_vendor(self):
        return opener_of(self.vendor_code)(self.binding(), self.means)

    async def steer(self, method, path, **body):
        """Use the control plane."""
        headers = {"authorization": f"Bearer {CONTROL}", "content-type": "application/json"}
        call = Call(method, f"{self.address}/_sim/{path}", headers, orjson.dumps(body))
        answer = await InProcess(self.sim).send(call)
        assert answer.status < 300, answer.body
        return orjson.loads(answer.body) if answer.body else None

    async def opens(self, secret=None, device=DOOR_101):
        tried = {TRIED_AS[self.kind]: secret or self.secret}
        return (await self.steer("POST", f"doors/{VENDOR_NAMES[device]}/try", **tried))["opens"]

    async def count(self, device=DOOR_101):
        state = await self.steer("GET", "state")
        (lock,) = (each for each in state["locks"] if str(each["lockId"]) == VENDOR_NAMES[device])
        return sum(len(rows) for rows in lock["listed"].values())

    @property
    def adding(self):
        """Return what the vendor's operation is called that makes a key."""
        return self.simulated.adding

    async def lose_the_next_answer(self):
        await self.fault("timeout_after_success", self.adding, times=1)

    async def lose_the_next_request(self):
        """Lose a request that makes a key, of which nobody knows whether it arrives yet."""
        await self.fault("drop", self.adding, times=1)

    async def break_down(self):
        await self.fault("http_502", "*")

    async def mend(self):
        await self.steer("DELETE", "faults")

    async def fault(self, fault, operation, **more):
        """Plant a fault."""
        await self.steer("POST", "faults", fault=fault, operation=operation, **more)
