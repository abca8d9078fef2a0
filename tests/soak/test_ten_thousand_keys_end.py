"""Ten thousand keys of a closed property go at the vendor's published rate, through a death in the middle.

Another company's house, in the name of the same application, gets a guest's key meanwhile.

The keys are written into the ledger as if each had been made; their locks are TTLock's simulator's, which
counts a hundred calls a minute and refuses more.
"""

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import timedelta

import orjson
import pytest

from infra.local.simulation.loop import run_virtually
from infra.simulators.ttlock.hotel import GatewayPlan, LockPlan, sample_hotel
from shared.domain.commands import Accept, Provision
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.grant_lifecycle import Place, Placement
from shared.domain.ids import GuestId, KeyCredentialId, ReservationId, RoomId
from shared.domain.kinds import ClaimKey, KeyCredentialKind, VendorCode
from shared.domain.plan import Choice, IssuePlan
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.keywork.prepare import new_grant
from shared.ledger.key_at_lock import KeyAtLockRecord
from shared.ledger.key_record import Cause, KeyRecord, Saga, Target, Work
from shared.ledger.ledger import Change, Ledger
from shared.ports.bus import Message
from shared.ports.documents import Create, Ref
from tests.support.sample_hotel import KABUL, SILK, SampleHotel, message
from tests.support.simulated import simulated_fleet
from tests.unit.functions.lock_api.test_hotels import FILE

KEYS, ROOMS, AT_ONCE, PER_MINUTE = 10_000, range(1101, 1141), 60, 100
SHARE = 0.95
"""Blocks are spread so that no minute of the vendor's sees more than its limit: 96 calls fit (0046, 0178)."""
WITHIN_MINUTES = 5
"""Revocations come first, and leave what they cannot use; a guest at a door comes before other keys."""
DEACTIVATED = "melmastoon.tenant.property.deactivated.v1"
CLAIM = ClaimKey("sha256:" + "0" * 64)


def plan():
    """Return the sample hotel with forty more rooms of ten to a gateway, and the published limit."""
    base = sample_hotel()
    locks = [LockPlan(lock_id=1_000_000 + room, alias=f"Room {room}") for room in ROOMS]
    ids = [lock.lock_id for lock in locks]
    gateways = [
        GatewayPlan(gateway_id=600 + first, name=f"Wing {first}", locks=tuple(ids[first : first + 10]))
        for first in range(0, len(ids), 10)
    ]
    (application,) = base.applications
    limited = application.model_copy(update={"calls_per_minute": PER_MINUTE})
    more = {
        "locks": (*base.locks, *locks),
        "gateways": (*base.gateways, *gateways),
        "applications": (limited,),
    }
    return base.model_copy(update=more)


async def map_rooms(house):
    """Map a lock to each room of the wing, and move the sample's own rooms to another property."""
    store = house.fleet.documents.tenant(SILK)
    pattern = (await store.get(Ref("devices", "lck_01KSAMP1E00000000000000101"))).data
    await house.unmap("front")
    wing = []
    for room in ROOMS:
        own = {"id": f"lck_01KSAMP1E{room:0>17}", "vendor_device": str(1_000_000 + room)}
        data = {**pattern, **own, "rooms": [f"rmu_{room}"], "label": str(room)}
        wing.append(Create(Ref("devices", own["id"]), data))
    await house.rebuild(wing)


def made(number, door, now, ids):
    """Return a key as it stands once it was made."""
    window = StayWindow(now - timedelta(hours=1), now + timedelta(days=1 + number % 300), "Asia/Kabul")
    core = CredentialCore(
        id=KeyCredentialId.mint(ids.ulid()),
        tenant=SILK,
        property_id=KABUL,
        holder=Guest(GuestId("gst_1"), ReservationId(f"rsv_{number}")),
        rooms=(RoomId(door.rooms[0]),),
        window=window,
        plan=IssuePlan((Choice(VendorCode("ttlock"), KeyCredentialKind.PIN_CODE),)),
        claim=CLAIM,
    )
    credential, facts = KeyCredential.request(core, at=now)
    for command in (Accept(at=now), Provision(at=now)):
        credential, told = credential.apply(command)
        facts = (*facts, *told)
    cause = Cause("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    entry = KeyRecord(credential, Saga(kind=Work.ISSUE, claim=CLAIM), cause, announced=3)
    grant = new_grant(entry, door, Target(core.rooms, window), (), now, ids)
    placed = grant.applied(Place(at=now, placement=Placement.ACCEPTED))
    standing = KeyAtLockRecord(window.start, window.end)
    return Change(entry, facts, (replace(placed, standing=standing),))


async def fill(house, many):
    platform = house.fleet.platform
    setup = await platform.hotels.premises(SILK, KABUL)
    doors = [door for door in setup.devices if door.rooms[0] in {f"rmu_{room}" for room in ROOMS}]
    ledger = Ledger(house.fleet.documents.tenant(SILK), platform.ids)
    for first in range(0, many, AT_ONCE):
        numbers = range(first, min(many, first + AT_ONCE))
        now = platform.clock.now()
        await ledger.save_all([made(n, doors[n % len(doors)], now, platform.ids) for n in numbers])


def progress(house):
    rows = house.fleet.means.engine.read(
        "SELECT unpacked(body) FROM packed WHERE collection = 'bulk_jobs'", ()
    )
    return orjson.loads(rows[0][0]) if rows else None


async def reached(house, far):
    """Return the job once it has come so far: it is looked at each minute of virtual time."""
    for _ in range(7 * 24 * 60):
        await asyncio.sleep(60)
        if (job := progress(house)) is not None and far(job):
            return job
    raise AssertionError(f"a week later the job is no further than {progress(house)}")


@pytest.mark.soak
@pytest.mark.parametrize("many", [KEYS])
def test_ten_thousand_keys_go_at_the_published_rate_through_a_death_in_the_middle(tmp_path, many):
    async def main(clock):
        house = SampleHotel(clock, 0, plan())
        async with simulated_fleet(tmp_path, clock, 0, outside=house) as on:
            house.on = on
            await map_rooms(house)
            await open_another_hotel(house)
            await fill(house, many)
            await close(house)
            await reached(house, lambda job: job["page"] >= 1)
            await made_elsewhere(house)
            before, began = taken(house), clock.now()
            halfway = await reached(house, lambda job: job["page"] >= many // 200)
            used = (taken(house) - before) / ((clock.now() - began) / timedelta(minutes=1) * PER_MINUTE)
            assert used >= SHARE, used
            assert halfway["stage"] == "removing"
            assert halfway["revoked"] == many
        async with simulated_fleet(tmp_path, clock, 1, outside=house) as on:
            house.on = on
            done = await reached(house, lambda job: job["stage"] == "done")
            return done, await states(house), house.logged("ALERT")

    done, standing, alerts = run_virtually(main, 0)
    assert (done["revoked"], done["removed"], done["residual"]) == (many, many, 0)
    # The other hotel's guest has a key to the end.
    assert standing == [{"revoked": many, "active": 1}, {"removed": many, "placed": 2}]
    assert not alerts


async def close(house):
    """Tell that the hotel is closed."""
    told = {"id": "evt_closed", "data": {"propertyId": "ppt_kabul"}}
    document = orjson.loads(message("evt_closed").data) | told | {"subject": DEACTIVATED}
    await house.fleet.bus.publish(DEACTIVATED, [Message(orjson.dumps(document))])


async def open_another_hotel(house):
    """Bring in a house of another company, whose account is of the same application: they share its limit."""
    for door in ("203", "204"):
        await house.unmap(door)
    status, told = await house.on.send("_cloud/hotels", FILE, caller="operator")
    assert (status, told["created"]) == (200, 6), told
    secrets = house.fleet.platform.secrets
    account = orjson.loads((await secrets.latest("lock-ttlock-tnt_silk-ppt_kabul-api")).value.reveal())
    own = orjson.dumps({**account, "note": "another house's"})
    await secrets.add("lock-ttlock-tnt_fresh-ppt_fresh-api", Secret(own))


async def made_elsewhere(house):
    """Book a room there while the job has the limit: its guest is at the door, and has a key in minutes."""
    now = house.fleet.platform.clock.now()
    window = {"validFrom": now.isoformat(), "validUntil": (now + timedelta(days=2)).isoformat()}
    stay = {"reservationId": "rsv_fresh", "propertyId": "ppt_fresh", "rooms": ["rmu_f1"], **window}
    booking = orjson.loads(message("evt_fresh", time=now.isoformat(), **stay).data)
    document = orjson.dumps(booking | {"tenantId": "tnt_fresh"})
    await house.fleet.bus.publish(booking["subject"], [Message(document)])
    for _ in range(WITHIN_MINUTES):
        await asyncio.sleep(60)
        if len(await house.keys_at("203")) == len(await house.keys_at("204")) == 1:
            return
    raise AssertionError(f"no key of another hotel within {WITHIN_MINUTES} minutes, while {progress(house)}")


async def states(house):
    """Return how many keys and grants are in each state."""
    kept = {"credentials": "credential", "grants": "grant"}
    return [
        Counter([each[part]["state"]["type"] for each in (await house.documents(name)).values()])
        for name, part in kept.items()
    ]


def taken(house):
    """Return how many calls were taken of the limit so far this month."""
    (row,) = house.fleet.means.engine.read("SELECT unpacked(body) FROM packed WHERE collection = 'rates'", ())
    return orjson.loads(row[0])["spent"]
