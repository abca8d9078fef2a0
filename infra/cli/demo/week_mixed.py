"""`keyfleet demo --week --mixed`: one stay in wings of three vendors, by a clock that takes no time.

A PIN at one vendor's door, a key on the phone at another's, and a card that the desk writes for the third:
each is made in its own time, and all three are taken back at check-out. No lock hears of a card, so it is
told as left, and opens nothing once the stay would have ended.
"""

import asyncio
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Final

import orjson

from infra.cli.answer import Telling, line, plain
from infra.cli.demo.claim import Claim, Proof
from infra.cli.demo.stay import TENANT
from infra.cli.demo.week import Seen, home, lived, said, verdict
from infra.cli.demo.week_house import WeekHouse, hotel_time
from infra.cli.demo.week_story import Moment
from infra.cli.polling import Patience
from infra.local.sample.account import simulator_port, wing_addresses
from infra.local.sample.load import WINGS, read_sample
from infra.local.simulation.loop import VirtualClock, run_virtually
from infra.local.transport import InProcess
from infra.local.world import FleetConfig
from infra.simulators.generic_wiegand.desk import SimulatedDesk
from infra.simulators.generic_wiegand.doors import OfflineDoor
from infra.simulators.kit.app import Simulator
from infra.simulators.kit.world import SimWorld
from infra.simulators.registry import simulated_vendor
from shared.domain.ids import TenantId
from shared.domain.instants import instant_to_text
from shared.domain.premises import LockDevice
from shared.domain.secret import Secret
from shared.ledger.key_record import CREDENTIALS, key_record_from
from shared.ports.documents import Ref, TenantDocuments
from shared.vendor_kit.desk_jobs import DeskJobs, JobState
from shared.vendor_kit.http import Answer, Call

STAY: Final = "rsv_mixed"
HOTEL: Final = "ppt_kabul"
PIN_ROOM, PHONE_ROOM, CARD_ROOM = "rmu_101", "rmu_301", "rmu_501"
MAIL, PHONE = "guest@example.org", "+93700000001"
GUEST: Final = {
    "id": "gst_mixed",
    "displayName": "A Guest",
    "contact": {"email": MAIL, "phoneE164": PHONE},
}
A_LOOK: Final = 5.0
LOOKS: Final = 60


class MixedHouse(WeekHouse):
    """The sample hotel with its wings: each vendor's doors on a port of its own, and a desk for cards."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(clock)
        self._wings = {address: self._simulated(vendor) for vendor, address in _ADDRESSES.items()}
        self._card_door = _lock_at(CARD_ROOM)
        name = self._card_door.vendor_device
        self.desk = SimulatedDesk({name: OfflineDoor(name)})

    async def send(self, call: Call) -> Answer:
        """Be the world outside the fleet: each vendor at its own address."""
        for address, doors in self._wings.items():
            if call.url.startswith(address):
                return await doors.send(call)
        return await super().send(call)

    async def close(self) -> None:
        """Stop what the doors are about."""
        for doors in self._wings.values():
            await doors.close()
        await super().close()

    async def open_rooms(self) -> dict[str, bool]:
        """Try each room's door with what its guest has."""
        return {
            PIN_ROOM: bool(self.pins) and await self.opens(STAY, "Room 101"),
            PHONE_ROOM: await self._phone_opens(_lock_at(PHONE_ROOM)),
            CARD_ROOM: self._card_opens(),
        }

    async def at_the_desk(self) -> int:
        """Be at the desk for five minutes: write each card that is asked for; return how many there are."""
        jobs = DeskJobs(self._documents, self.clock, self._card_door.vendor, HOTEL)
        for _ in range(LOOKS):
            for job in await jobs.pulled():
                for state in (JobState.RECEIVED, JobState.PROCESSING):
                    await jobs.advance(job.id, state)
                if self.desk.write(asdict(job)) is None:
                    await jobs.advance(job.id, JobState.PROCESSED)
                await self.order("hear-of-job", tenant=TENANT, vendor=str(self._card_door.vendor), job=job.id)
            await asyncio.sleep(A_LOOK)
        return len(self.desk.written)

    async def states(self) -> dict[str, str]:
        """Return in which state the stay's key of each kind is."""
        shown, store = await self.ask(f"stays/{STAY}?tenant={TENANT}"), self._documents
        states = dict[str, str]()
        for each in shown["keys"]:
            found = await store.get(Ref(CREDENTIALS, each["id"]))
            if found is not None:
                kind = key_record_from(found).credential.core.plan.current.kind
                states[str(kind)] = str(each["state"])
        return states

    @property
    def _documents(self) -> TenantDocuments:
        return self.fleet.documents.tenant(TenantId(TENANT))

    async def _phone_opens(self, lock: LockDevice) -> bool:
        self.tried += 1
        url = f"{_ADDRESSES[lock.vendor]}/_sim/doors/{lock.vendor_device}/try"
        headers = {
            "authorization": f"Bearer {self._control.reveal()}",
            "content-type": "application/json",
        }
        answer = await self.send(Call("POST", url, headers, orjson.dumps({"ekey": MAIL})))
        return bool(orjson.loads(answer.body)["opens"])

    def _card_opens(self) -> bool:
        self.tried += 1
        now, door = self.clock.now(), self._card_door.vendor_device
        return any(self.desk.tried(job, door, now) for job in self.desk.written)

    def _simulated(self, vendor: str) -> InProcess:
        chance = Random(self.seed)  # noqa: S311 - a simulator's, repeatable on purpose
        token, now = self._control.reveal(), self.clock.now
        world = SimWorld(now=now, chance=chance, sleep=asyncio.sleep, control_token=token)
        return InProcess(Simulator(simulated_vendor(vendor), world))


_ADDRESSES: Final = wing_addresses(simulator_port(FleetConfig(Path()).port))


def _lock_at(room: str) -> LockDevice:
    return next(each for each in read_sample(WINGS).devices if room in each.rooms)


async def booked(house: MixedHouse) -> Proof:
    """One stay in three rooms: the PIN and the phone's key are made, the card waits for its guest."""
    window = [instant_to_text(hotel_time(day, clock)) for day, clock in (("Mon", "14:00"), ("Tue", "12:00"))]
    data = {"propertyId": HOTEL, "guest": GUEST, "rooms": [PIN_ROOM, PHONE_ROOM, CARD_ROOM]}
    await house.tell("confirmed", STAY, **data, validFrom=window[0], validUntil=window[1])
    (code,) = await house.at("Room 101")
    house.pins[STAY] = Secret(code)
    kinds = sorted(await house.states())
    early = not any((await house.open_rooms()).values())
    return Proof(kinds == ["mobile_app", "pin_code", "rfid_card"] and early, {"kinds": kinds, "shut": early})


async def carded(house: MixedHouse) -> Proof:
    """The desk writes the card that it is asked for."""
    written = await house.at_the_desk()
    states = await house.states()
    return Proof(written == 1 and set(states.values()) == {"active"}, {"written": written, "states": states})


async def arrived(house: MixedHouse) -> Proof:
    """Each key opens its room."""
    rooms = await house.open_rooms()
    return Proof(all(rooms.values()), {"rooms": rooms})


async def left(house: MixedHouse) -> Proof:
    """Checked out: the PIN and the phone open nothing, and the card is told as left."""
    await house.tell("checked_out", STAY)
    rooms = await house.open_rooms()
    states = {*(await house.states()).values()}
    owed = len((await house.ask("residues"))["residues"])
    shut = not rooms[PIN_ROOM] and not rooms[PHONE_ROOM]
    return Proof(shut and states == {"revoked"} and owed == 1, {"rooms": rooms, "residues": owed})


async def ended(house: MixedHouse) -> Proof:
    """The stay would have ended: nothing of it opens anything."""
    rooms = await house.open_rooms()
    return Proof(not any(rooms.values()), {"rooms": rooms})


MOMENTS: Final = (
    Moment(
        "booked",
        ("Sun", "15:00"),
        "One stay, three vendors, three kinds of key; no door opens.",
        booked,
    ),
    Moment("carded", ("Mon", "01:59"), "Twelve hours ahead the desk writes the card.", carded),
    Moment("arrived", ("Mon", "14:05"), "PIN, phone and card each open their room.", arrived),
    Moment("left", ("Tue", "11:00"), "Checked out: PIN and phone are dead, the card is told as left.", left),
    Moment("ended", ("Tue", "12:01"), "At the stay's end the card opens nothing either.", ended),
)
"""The stay, in order."""


def mixed_week() -> Telling:
    """Play the stay, and say of each moment whether what must be so was so."""
    patience = Patience()
    began = patience.seconds()
    yield line(plain("keyfleet demo --week --mixed", "bold"), ": one stay in the wings of three vendors.")
    claims, seen = played(patience)
    for moment, claim in zip(MOMENTS, claims, strict=False):
        yield said(moment, claim)
    return verdict(claims, seen, round(patience.seconds() - began, 3), MOMENTS)


def played(patience: Patience) -> tuple[list[Claim], Seen]:
    """Return the claims of the stay, the first that does not hold the last, and what else was seen of it."""
    with home() as folder:
        config = FleetConfig(folder, sample=True, wings=True)
        claims, seen = run_virtually(lambda clock: lived(MixedHouse(clock), config, patience, MOMENTS), 0)
    return claims, {**seen, "lacking": {}}
