"""What a desk decides by: who can open a room, and whether those who arrive will get in."""

import asyncio
from datetime import date

from shared.domain.ids import GrantId, KeyCredentialId, ulid
from shared.ports.documents import Create, Ref
from shared.queries.arrivals import arrivals
from shared.queries.coming import Span
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import KABUL, SILK, play

ROOM = "rooms/rmu_101/access"


def opened(told, room=True):
    """Return what is said of a room's own lock, or of the front door."""
    return [
        (each.get("reservation"), each["opens"])
        for each in told["openers"]
        if (each["label"] != "Front door") is room
    ]


def test_who_can_open_a_room_is_told_before_in_and_after_the_stay(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        assert (await desk.get(ROOM))["openers"] == []
        soon = {"validFrom": "2026-03-01T09:30:00Z"}
        await desk.do("stays", stay(reservation="rsv_1", **soon))
        await desk.do("stays", stay(reservation="rsv_2", rooms=["rmu_102"], **soon))
        await asyncio.sleep(10)
        told = await desk.get(ROOM)
        assert (opened(told), sorted(opened(told, room=False))) == (
            [("rsv_1", "later")],
            [("rsv_1", "later"), ("rsv_2", "later")],
        )
        await asyncio.sleep(1900)
        assert opened(await desk.get(ROOM)) == [("rsv_1", "now")]
        await house.steer("PATCH", "locks/1000101", inReach=False)
        await desk.do("stays/rsv_1/check-out")
        await asyncio.sleep(120)
        (left,) = [each for each in (await desk.get(ROOM))["openers"] if each["label"] == "Room 101"]
        assert (left["opens"], left["until"]) == ("perhaps", "2026-03-05T07:30:00Z")
        (residue, *_) = (await desk.get("residues"))["residues"]
        assert residue["reservation"] == "rsv_1"

    play(tmp_path, scenario)


def test_a_room_of_nowhere_and_of_elsewhere_are_answered_alike(tmp_path):
    async def scenario(house):
        herat, kabul = Desk(house, at=("ppt_herat",)), Desk(house)
        for desk, path in (
            (herat, ROOM),
            (kabul, "rooms/rmu_999/access"),
            (kabul, f"{ROOM}?property=ppt_herat"),
        ):
            assert (await desk.ask("GET", path)).status == 404, path
        assert (await herat.ask("GET", "arrivals")).status == 404

    play(tmp_path, scenario)


def test_arrivals_tell_how_ready_each_key_is_and_what_to_try_next(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await desk.do("stays", stay(reservation="rsv_1"))
        await asyncio.sleep(10)
        await house.fault("http_500", "keyboardPwd/add", times=1000)
        await desk.do("stays", stay(reservation="rsv_2", rooms=["rmu_102"], validFrom="2026-03-01T20:00:00Z"))
        await asyncio.sleep(10)
        told = await desk.get("arrivals?day=2026-03-02")
        found = {each["reservation"]: each for each in told["arrivals"]}
        assert list(found) == ["rsv_2", "rsv_1"]  # by arrival; 20:00 in UTC is the next day in Kabul
        assert (found["rsv_1"]["readiness"], found["rsv_1"]["atRisk"]) == ("on_lock", False)
        assert (found["rsv_2"]["readiness"], found["rsv_2"]["atRisk"]) == ("waiting", True)
        assert found["rsv_2"]["nextRung"] == "mobile_app"
        assert told["atRisk"] == ["rsv_2"]
        assert (await desk.get("arrivals"))["arrivals"] == []
        for wrong in ("2026-02-30", "tomorrow", "9999-12-31"):
            assert (await desk.ask("GET", f"arrivals?day={wrong}")).status == 400

    play(tmp_path, scenario)


class Counted:
    """A tenant's documents, and how often they were asked by an index, for one by its id, and for many."""

    def __init__(self, store):
        self.store, self.queries, self.reads, self.readings = store, 0, 0, 0

    async def get(self, ref):
        self.reads += 1
        return await self.store.get(ref)

    async def get_all(self, refs):
        self.readings += 1
        return await self.store.get_all(refs)

    async def query(self, *asked, **more):
        self.queries += 1
        return await self.store.query(*asked, **more)


def test_five_hundred_arrivals_are_asked_for_in_three_queries(tmp_path):
    async def scenario(house):
        await Desk(house).do("stays", stay(reservation="rsv_1"))
        await asyncio.sleep(10)
        await _multiplied(house, 500)
        store = Counted(house.fleet.documents.tenant(SILK))
        setup = await house.fleet.platform.hotels.premises(SILK, KABUL)
        day = Span.day(date(2026, 3, 2), "Asia/Kabul")
        told = await arrivals(store, setup, day, house.fleet.platform.clock.now())
        assert len(told) == 500
        assert {each["readiness"] for each in told} == {"on_lock"}
        assert (store.queries, store.readings, store.reads) == (3, 1, 0)

    play(tmp_path, scenario)


async def _multiplied(house, count):
    """Keep a stay as often as a large hotel has rooms, with its key and its locks."""
    (record,) = (await house.documents("reservations")).values()
    (key,) = (await house.documents("credentials")).values()
    grants = list((await house.documents("grants")).values())
    writes = []
    for number in range(1, count):
        name = KeyCredentialId.mint(ulid(number, number))
        core = {**key["credential"]["core"], "id": name}
        writes += [
            Create(Ref("reservations", f"rsv_m{number}"), {**record, "credentials": [name]}),
            Create(Ref("credentials", name), {**key, "credential": {**key["credential"], "core": core}}),
        ]
        for place, kept in enumerate(grants):
            id_ = GrantId.mint(ulid(number, place))
            grant = {**kept["grant"], "id": id_, "credential_id": name}
            writes.append(Create(Ref("grants", id_), {**kept, "credential_id": name, "grant": grant}))
    store = house.fleet.documents.tenant(SILK)
    for first in range(0, len(writes), 400):
        await store.commit(writes[first : first + 400])
