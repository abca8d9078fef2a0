"""The sample hotel at work: a simulated fleet, TTLock's simulator behind it, and what its doors hold."""

import asyncio
from datetime import datetime
from random import Random

import orjson

from infra.local.sample.account import simulator_address
from infra.local.simulation.loop import run_virtually
from infra.simulators.kit.world import SimWorld
from infra.simulators.ttlock.app import ttlock_app
from infra.simulators.ttlock.hotel import sample_hotel
from shared.domain.capabilities import ABILITIES
from shared.domain.ids import PropertyId, TenantId
from shared.domain.secret import Secret
from shared.ledger.premises import change_hotel
from shared.ports.bus import Message
from shared.ports.documents import Create, Delete, Ref, Update
from shared.runtime.platform import QUARANTINE_TOPIC
from tests.contract.lock.simulated_setting import Straight
from tests.support.listener import Listener, found
from tests.support.simulated import simulated_fleet

SILK, KABUL = TenantId("tnt_silk"), PropertyId("ppt_kabul")
CONTROL = "steer"
DOORS = {"101": "1000101", "102": "1000102", "203": "1000203", "204": "1000204", "front": "1000001"}
BOOKING = "melmastoon.reservation.booking"
OURS = "melmastoon.lock."
OF_DOORS = ("kca_", "lck_", "whk_")
"""What the streams are called that tell of doors: locks, attempts at them, and their vendors' webhooks."""
ARRIVES, LEAVES = "2026-03-02T09:30:00Z", "2026-03-05T07:30:00Z"


class SampleHotel:
    """A simulated fleet with doors."""

    def __init__(self, clock, seed, hotel=None):
        self.sim = ttlock_app(
            SimWorld(
                now=clock.now,
                chance=Random(seed),
                sleep=asyncio.sleep,
                hotel=hotel or sample_hotel(),
                control_token=CONTROL,
            )
        )
        self.vendor = Straight(self.sim)
        self.on = None

    async def send(self, call):
        """Be the world outside the fleet: TTLock, and nobody else."""
        assert call.url.startswith(simulator_address(8788)), call.url
        return await self.vendor.send(call)

    async def close(self):
        """Nothing is open."""

    @property
    def fleet(self):
        return self.on.fleet

    async def steer(self, method, path, **body):
        """Use the simulator's control plane."""
        from shared.vendor_kit.http import Call

        headers = {"authorization": f"Bearer {CONTROL}", "content-type": "application/json"}
        url = f"{simulator_address(8788)}/_sim/{path}"
        answer = await Straight(self.sim).send(Call(method, url, headers, orjson.dumps(body)))
        assert answer.status < 300, answer.body
        return orjson.loads(answer.body) if answer.body else None

    async def fault(self, fault, operation, **more):
        """Plant a fault at the vendor."""
        await self.steer("POST", "faults", fault=fault, operation=operation, **more)

    async def mend(self):
        """Take all faults away."""
        await self.steer("DELETE", "faults")

    async def keys_at(self, door):
        """Return the names of the keys that a lock has, and their PINs."""
        state = await self.steer("GET", "state")
        (lock,) = (each for each in state["locks"] if str(each["lockId"]) == DOORS[door])
        return lock["listed"]["passcodes"]

    async def publish(self, event, subject="confirmed", **data):
        """Publish a booking event, and give its deliveries a moment."""
        await self.fleet.bus.publish(f"{BOOKING}.{subject}.v1", [message(event, subject, **data)])

    async def policy(self, **settings):
        """Tell the fleet what the tenant wants of its keys from now on."""
        await asyncio.sleep(1)  # what it wanted at the same moment would be as new
        at = self.fleet.platform.clock.now().isoformat()
        document = {
            "specVersion": "1.0",
            "id": f"evt_policy_{at}",
            "subject": "melmastoon.tenant.config_updated.v1",
            "time": at,
            "tenantId": str(SILK),
            "data": {"keyKindPolicy": settings},
        }
        await self.fleet.bus.publish(document["subject"], [Message(orjson.dumps(document))])
        await self.fleet.bus.idle()

    async def settled(self):
        """Return once every delivery is made and every saga has ended."""
        await self.fleet.bus.idle()
        await self.fleet.sagas.settled()

    async def unmap(self, door):
        """Forget a lock."""
        ref = Ref("devices", device_at(door))
        found = await self.fleet.documents.tenant(SILK).get(ref)
        await self.rebuild([Delete(ref, found.version)])

    async def map_again(self, door, lock):
        """Remember a lock that was forgotten, or one more."""
        await self.map_as(device_at(door), lock)

    async def map_as(self, identity, device):
        """Remember a device of any sort."""
        await self.rebuild([Create(Ref("devices", identity), device)])

    async def rebuild(self, writes):
        """Change the hotel, and let the fleet read it anew."""
        await change_hotel(self.fleet.documents.tenant(SILK), KABUL, writes)
        self.fleet.platform.hotels.forget(SILK)

    async def refit(self, door, vendor):
        """Put another vendor's lock on a door."""
        await self._change_device(door, lambda device: {**device, "vendor": vendor})

    async def hang(self, other, door):
        """Hang another door's lock on a door."""
        await self._change_device(door, lambda device: {**device, "vendor_device": DOORS[other]})

    async def lead(self, door, room):
        """Map a lock to another room."""
        await self._change_device(door, lambda device: {**device, "rooms": [room]})

    async def disable(self, door):
        """Put a lock on a door that can do nothing."""
        able = dict.fromkeys(ABILITIES, False)
        await self._change_device(door, lambda device: {**device, "capabilities": able})

    async def _change_device(self, door, change):
        found = await self.fleet.documents.tenant(SILK).get(Ref("devices", device_at(door)))
        await self.rebuild([Update(found.ref, change(found.data), found.version)])

    async def change(self, collection, identity, change):
        """Change a document behind the fleet's back."""
        store = self.fleet.documents.tenant(SILK)
        found = await store.get(Ref(collection, identity))
        await store.commit([Update(found.ref, change(found.data), found.version)])

    async def open_account(self, vendor, account):
        """Keep the hotel's account at another vendor."""
        await self.fleet.platform.secrets.add(f"lock-{vendor}-tnt_silk-ppt_kabul-api", Secret(account))

    async def keys(self):
        """Return every key of the ledger, the oldest first."""
        return [entry["credential"] for entry in (await self.documents("credentials")).values()]

    async def told(self, key=""):
        """Return the events of a key, or of all keys, in order: the word of each subject that tells it."""
        rows = (await self.documents("outbox")).items()
        ours = [(id_, row) for id_, row in rows if not id_.startswith(OF_DOORS)]
        return [row["subject"].split(".")[-2] for id_, row in ours if id_.startswith(key)]

    def quarantined(self):
        """Return the notes of every message that was set aside."""
        return [letter.notes for letter in self.fleet.bus.dead_letters.page(topic=QUARANTINE_TOPIC)]

    def logged(self, severity):
        """Return the log's lines of one severity."""
        lines = map(orjson.loads, self.on.log.getvalue().splitlines())
        return [line for line in lines if line["severity"] == severity]

    async def active_keys(self):
        """Return the entries of active keys whose every event is published."""
        kept = (await self.documents("credentials")).values()
        return [entry for entry in kept if _state(entry) == "active" and not owed(entry)]

    async def keys_active(self, count):
        """Return once so many keys are active and told."""
        counters, looked = self.fleet.means.counters, None
        while True:
            if looked != counters["commits"]:
                looked = counters["commits"]
                if len(await self.active_keys()) >= count:
                    return
            await asyncio.sleep(0.001)  # virtual time, and nobody to tell us

    async def documents(self, collection):
        """Return everything of a collection, by id."""
        rows = self.fleet.means.engine.read(
            "SELECT id, unpacked(body) FROM packed WHERE db = 'main' AND collection = ? ORDER BY id",
            (collection,),
        )
        return {id_: orjson.loads(body) for id_, body in rows}


def device_at(door):
    """Return the id of the lock on a door."""
    return f"lck_01KSAMP1E{DOORS[door][-3:]:0>17}"


def _state(entry):
    return entry["credential"]["state"]["type"]


def owed(entry):
    """Say whether somebody must do something about a key before its stay is over.

    At one that failed it is looked until then, whether its vendor answers again.
    """
    if _state(entry) == "failed":
        return False
    leaves = datetime.fromisoformat(entry["credential"]["core"]["window"]["end"])
    return "due_at" in entry and entry["due_at"] < leaves.timestamp() * 1000


def message(event, subject="confirmed", time="2026-03-01T09:00:00Z", tenant="tnt_silk", **data):
    """Return a booking event as reservation-service publishes it."""
    confirmed = {
        "propertyId": "ppt_kabul",
        "guest": {"id": "gst_1", "displayName": "A Guest"},
        "rooms": ["rmu_101"],
        "validFrom": ARRIVES,
        "validUntil": LEAVES,
    }
    document = {
        "specVersion": "1.0",
        "id": event,
        "subject": f"{BOOKING}.{subject}.v1",
        "time": time,
        "tenantId": tenant,
        "data": {"reservationId": "rsv_1", **(confirmed if subject == "confirmed" else {}), **data},
    }
    return Message(orjson.dumps(document))


def play(home, scenario, seed=0, hotel=SampleHotel, **world):
    """Run a scenario in the sample hotel."""

    async def main(clock):
        house = hotel(clock, seed)
        async with simulated_fleet(home, clock, seed, outside=house, **world) as on:
            house.on = on
            return await hunted(house, scenario)

    return run_virtually(main, seed)


async def hunted(house, scenario):
    """Run a scenario; whatever it is about, nothing that opens a door may be read anywhere after it."""
    listener = Listener(house)
    outcome = await scenario(house)
    ours = [told for topic, told in listener.published if topic.startswith(OURS)]
    kept = house.fleet.means.engine.read(
        "SELECT collection, id, keys, unpacked(body) FROM packed WHERE db = 'main'", ()
    )
    # All but the checksums: those are numbers by chance, and sooner or later one of them is somebody's PIN.
    journals = house.fleet.means.engine.read("SELECT execution, seq, unpacked(entry) FROM journal", ())
    places = {"log": house.on.log.getvalue(), "calls": "\n".join(listener.inside), "events": "\n".join(ours)}
    places |= {"documents": str(kept), "journals": str(journals)}
    leaks = [place for place, text in places.items() if found(text, listener.secrets)]
    assert not leaks, f"what opens a door can be read in {', '.join(leaks)}"
    return outcome
