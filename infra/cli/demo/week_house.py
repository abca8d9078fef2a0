"""The sample hotel for a week that takes seconds: a fleet and its doors on one thread, in virtual time."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

import orjson

from infra.cli.demo.stay import BOOKING, TENANT
from infra.local.ambient import SystemEntropy
from infra.local.fleet import Fleet
from infra.local.sample.load import sample_vendor
from infra.local.simulation.loop import BEGINNING, VirtualClock
from infra.local.transport import InProcess
from infra.simulators.kit.app import Simulator
from infra.simulators.kit.world import SimWorld
from infra.simulators.registry import simulated_vendor
from shared.domain.ids import TenantId
from shared.domain.instants import instant_to_text
from shared.domain.secret import Secret
from shared.ledger.indexes import DAYS
from shared.vendor_kit.calm.blocks import PLATFORM
from shared.vendor_kit.http import Answer, Call

HOTEL: Final = ZoneInfo("Asia/Kabul")
SUNDAY: Final = BEGINNING.astimezone(HOTEL).replace(hour=0, minute=0)
DAYS_OF_WEEK: Final = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
SIMULATED: Final = "http://127.0.0.1:1"
FRONT: Final = "Front door"
A_MINUTE: Final = 60.0
MOST_EVENTS: Final = 1000
Json = Mapping[str, Any]


def hotel_time(day: str, clock: str) -> datetime:
    """Return a time of the week by the clock on the hotel's wall."""
    hours, minutes = map(int, clock.split(":"))
    return SUNDAY + timedelta(days=DAYS_OF_WEEK.index(day), hours=hours, minutes=minutes)


@dataclass(slots=True)
class WeekHouse:
    """A fleet in virtual time, its doors, and what each guest was told."""

    clock: VirtualClock
    seed: int = 0
    fleet: Fleet = field(init=False)
    pins: dict[str, Secret[str]] = field(default_factory=dict)
    tried: int = 0
    told: int = 0
    _control: Secret[str] = field(default_factory=lambda: Secret(SystemEntropy().token(16).hex()))
    _doors: InProcess = field(init=False)

    def __post_init__(self) -> None:
        vendor = simulated_vendor(sample_vendor())
        chance = Random(self.seed)  # noqa: S311 - a simulator's, repeatable on purpose
        world = SimWorld(
            now=self.clock.now,
            chance=chance,
            sleep=asyncio.sleep,
            hotel=vendor.sample(),
            control_token=self._control.reveal(),
            post=self._heard,
        )
        self._doors = InProcess(Simulator(vendor, world))

    async def send(self, call: Call) -> Answer:
        """Be the world outside the fleet: the lock vendor, and nobody else."""
        return await self._doors.send(call)

    async def close(self) -> None:
        """Stop what the doors are about."""
        await self._doors.close()

    async def until(self, day: str, clock: str) -> None:
        """Let time pass until then."""
        await asyncio.sleep(max(0.0, (hotel_time(day, clock) - self.clock.now()).total_seconds()))

    async def tell(self, what: str, stay: str, **data: Any) -> None:
        """Tell what happened to a booking, as the reservation system does, and let it be done."""
        await self.publish(f"{BOOKING}.{what}.v1", reservationId=stay, **data)

    async def publish(self, subject: str, **data: Any) -> None:
        """Publish an event of another service, and let it be done."""
        await self.put_out(subject, **data)
        await asyncio.sleep(A_MINUTE)

    async def put_out(self, subject: str, **data: Any) -> None:
        """Publish an event of another service, and go on."""
        self.told += 1
        event = {
            "specVersion": "1.0",
            "id": f"evt_week_{self.told}",
            "subject": subject,
            "time": instant_to_text(self.clock.now()),
            "tenantId": TENANT,
            "data": data,
        }
        await self.order("_cloud/publish", subject=subject, event=event)

    async def order(self, path: str, **body: Any) -> Json:
        """Call the fleet as its operator."""
        return await self._called("POST", path, orjson.dumps(body))

    async def ask(self, path: str) -> Json:
        """Ask the fleet's control plane."""
        return await self._called("GET", f"_cloud/{path}", b"")

    async def _called(self, method: str, path: str, body: bytes) -> Json:
        config = self.fleet.config
        url = f"{config.base_url}/{path}"
        audience = config.control_url if path.startswith("_cloud") else url
        token = self.fleet.identity.token("operator", audience)
        headers = {"authorization": f"Bearer {token}"}
        answer = await self.fleet.means.transport.send(Call(method, url, headers, body, timeout=60))
        found: Json = orjson.loads(answer.body or b"{}")
        return found

    async def _heard(self, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Any]:
        """Be the wire from the vendor's cloud to the fleet."""
        answer = await self.fleet.means.transport.send(Call("POST", url, dict(headers), body, timeout=60))
        return answer.status, answer.body

    async def listen(self) -> None:
        """Have the vendor tell the fleet what its doors do, at an address that nobody guesses."""
        secret = SystemEntropy().token(16).hex()
        vendor = sample_vendor()
        name = f"lock-{vendor}-{TENANT}-ppt_kabul-webhook"
        await self.fleet.platform.secrets.add(name, Secret(secret.encode()))
        url = f"{self.fleet.config.base_url}/webhook-{vendor}/{TENANT}/ppt_kabul/{secret}"
        await self.steer("PUT", "callbacks", {"client_id": "sim-client", "url": url})

    async def at(self, door: str) -> set[str]:
        """Return the codes in a lock's memory."""
        (lock,) = [each for each in await self._locks() if each["alias"] == door]
        return {str(code["code"]) for code in lock["codes"]}

    async def anywhere(self) -> list[str]:
        """Return the doors whose locks have any code."""
        return sorted(lock["alias"] for lock in await self._locks() if lock["codes"])

    async def opens(self, guest: str, *doors: str) -> bool:
        """Say whether a guest's PIN opens each of these doors, now."""
        return all([await self._reason(door, self.pins[guest]) == "open" for door in doors])

    async def shut(self, guest: str, *doors: str) -> bool:
        """Say whether a guest's PIN opens none of these doors, now."""
        return all([await self._reason(door, self.pins[guest]) != "open" for door in doors])

    async def _reason(self, door: str, pin: Secret[str]) -> str:
        self.tried += 1
        number = await self.number_of(door)
        return str((await self.steer("POST", f"doors/{number}/try", {"pin": pin.reveal()}))["reason"])

    async def number_of(self, door: str) -> int:
        """Return what the vendor calls a door's lock."""
        (number,) = [each["lockId"] for each in await self._locks() if each["alias"] == door]
        return int(number)

    async def _locks(self) -> list[Json]:
        locks: list[Json] = (await self.steer("GET", "state"))["locks"]
        return locks

    async def steer(self, method: str, path: str, body: Json | None = None) -> Json:
        """Change the vendor's world, or look at it."""
        headers = {
            "authorization": f"Bearer {self._control.reveal()}",
            "content-type": "application/json",
        }
        call = Call(method, f"{SIMULATED}/_sim/{path}", headers, orjson.dumps(dict(body or {})))
        found: Json = orjson.loads((await self._doors.send(call)).body or b"{}")
        return found

    async def subjects(self) -> list[str]:
        """Return every subject of ours that was really told."""
        whose = (TenantId(TENANT), PLATFORM)  # how a vendor is belongs to nobody
        told = [await self.fleet.documents.tenant(each).query(DAYS, {}, limit=MOST_EVENTS) for each in whose]
        return sorted({row.data["subject"] for rows in told for row in rows})
