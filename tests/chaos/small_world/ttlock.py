"""TTLock's simulator behind bad lines: the real adapter calls it, and the weather decides what it hears."""

import asyncio
from random import Random
from urllib.parse import parse_qsl

import orjson

from infra.simulators.kit.door import Written
from infra.simulators.kit.faults import FaultRule
from infra.simulators.kit.latency import LatencyProfile
from infra.simulators.kit.operation import Request
from infra.simulators.kit.windows import ALWAYS
from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock.build import build_cloud, md5_hex
from infra.simulators.ttlock.hotel import sample_hotel
from infra.simulators.ttlock.platform import PLATFORM
from shared.domain.secret import Secret
from shared.vendor_kit.http import Answer, ConnectionBroken, ConnectionFailed, TimedOut
from tests.chaos.small_world.hotel import House, sample
from tests.chaos.small_world.scene import KeyAtDoor
from tests.support.vendors import TTLOCK

ADDRESS = "https://test.ttlock.com"
ACCOUNT = {
    "clientId": "sim-client",
    "clientSecret": "sim-secret",
    "username": "owner",
    "passwordMd5": md5_hex("sim-password"),
    "baseUrl": ADDRESS,
}
HOTEL = sample_hotel()
BROKEN = Answer(502, {"content-type": "text/html"}, b"<h1>502</h1>")
REFUSALS = ("errcode:-3003", "errcode:-3037", "errcode:90000", "errcode:30006", "errcode:-3036", "errcode:1")
LATEST = 45.0


class TTLockDoors:
    """The vendor's cloud and the doors behind it; as an Http, the line to it."""

    vendor = TTLOCK
    policy, able, workers, protests = None, None, 1, ()
    account = Secret(orjson.dumps(ACCOUNT))

    def __init__(self, air, clock, spawn):
        self._air, self._spawn, self._clock = air, spawn, clock
        chance = air.weather.chance
        sim = SimWorld(now=clock.now, chance=Random(chance.getrandbits(64)), sleep=asyncio.sleep, hotel=HOTEL)
        self.cloud = build_cloud(sim, HOTEL, chance.getrandbits(64))
        self.cloud.latency.profile = LatencyProfile((5, 60), (200, 1500))
        self.ever, self._staff, self._codes = [], set(), set()
        self._names = {int(device.vendor_device): str(device.id) for device in sample(House(TTLOCK)).devices}
        self._out_of_reach = chance.random() < 0.5
        self._arm(chance)

    def move_in(self, on):
        """Be called by http."""

    async def send(self, call):
        """Return the platform's answer, or what is heard instead."""
        weather, path = self._air.weather, call.url.removeprefix(ADDRESS).partition("?")[0]
        await self._air.passes(f"ttlock {path}")
        for gateway in self.cloud.gateways.values():
            gateway.online = not (weather.vendor_out and self._out_of_reach)
        if (weather.vendor_out and not self._out_of_reach) or weather.strikes("vendor-5xx"):
            return BROKEN
        if weather.strikes("vendor-silent"):
            await asyncio.sleep(weather.seconds(call.timeout))
            raise ConnectionFailed("nobody was there")
        if path.endswith("keyboardPwd/add") and weather.strikes("pin-taken"):
            self._take(dict(parse_qsl(call.body.decode())))
        # Computing a passcode is the cloud's own affair: it does not wait for any gateway.
        slow = path != "/v3/keyboardPwd/get" and weather.strikes("vendor-late")
        late = weather.chance.uniform(0, LATEST) if slow else 0.0
        serving = self._spawn(self._serve(call, late))
        done, _ = await asyncio.wait([serving], timeout=call.timeout)
        await self._air.passes("ttlock answered")
        if not done:
            raise TimedOut("nothing was heard")
        if weather.strikes("vendor-unheard"):
            raise ConnectionBroken("the line broke")
        return serving.result()

    def at_doors(self):
        """Return the keys in the locks, with the names that the cloud's lists give them."""
        for door in self.cloud.doors.values():
            rows = {row.code: row for row in self.cloud.passcodes.of(door.lock_id)}
            for code, written in door.codes.items():
                if (door.lock_id, code) in self._staff and code not in rows:
                    continue
                yield self._found(door, rows.get(code), code, written.window.end)
            for code, random in door.algorithmic.items():
                if not random.deleted:
                    yield self._found(door, rows.get(code), code, random.window.end)

    def ever_at_doors(self):
        """Return the names of all keys that anybody ever asked for."""
        return self.ever

    def hidden(self):
        """Return what nobody may read anywhere."""
        tokens = (*self.cloud.access_tokens, *self.cloud.refresh_tokens)
        return [*tokens, *self._codes, *map(str, ACCOUNT.values())]

    def _found(self, door, row, code, end):
        return KeyAtDoor(self._names[door.lock_id], row.name if row else "(not listed)", code, end / 1000)

    def _take(self, fields):
        """Let the staff have this very PIN at this lock."""
        door = self.cloud.doors[int(fields["lockId"])]
        door.codes.setdefault(fields["keyboardPwd"], Written(ALWAYS, used=True))
        self._staff.add((door.lock_id, fields["keyboardPwd"]))

    async def _serve(self, call, late):
        await asyncio.sleep(late)
        path, _, query = call.url.removeprefix(ADDRESS).partition("?")
        kind = call.headers.get("content-type", "")
        reply = await PLATFORM.serve(self.cloud, Request(call.method, path, query.encode(), kind, call.body))
        self._overhear(call.body, reply.body)
        return Answer(reply.status, {"content-type": reply.content_type}, reply.body)

    def _overhear(self, asked, answered):
        """Note every PIN that was tried, and what the vendor calls it."""
        told = orjson.loads(answered) if answered.startswith(b"{") else {}
        for said in (dict(parse_qsl(asked.decode())), told, *told.get("list", ())):
            self._codes |= {str(said[name]) for name in ("keyboardPwd", "keyboardPwdId") if name in said}

    def _arm(self, chance):
        rate = self._air.weather.climate.rates["vendor-refuses"]
        for fault in REFUSALS:
            self.cloud.faults.arm(FaultRule("*", fault, pct=min(100.0, 100 * rate)))
        self._spawn(self._clear_up())

    async def _clear_up(self):
        await asyncio.sleep(self._air.weather.climate.storm)
        self.cloud.faults.disarm()
