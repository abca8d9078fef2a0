"""Every board of arrivals tells the same of a stay: who comes without a key stands on each, and first."""

import asyncio

from shared.domain.ids import PropertyId
from shared.queries.attention import residues
from shared.queries.boards import VIEWS, WIDGETS, Lobby
from shared.queries.hotels import Cell
from shared.queries.keys import keys_in_work
from shared.queries.readiness import readiness
from tests.support.ordered_keys import order
from tests.support.sample_hotel import SILK, play

KABUL = PropertyId("ppt_kabul")
TODAY = {"validFrom": "2026-03-01T14:00:00Z"}


async def boards(house):
    """Return who comes, by each board: the desk's, today's, and the operator's."""
    platform = house.fleet.platform
    store, now = platform.documents.tenant(SILK), platform.clock.now()
    lobby = Lobby(store, KABUL, now)
    views = {name: await VIEWS[name](lobby) for name in ("arrivals", "today")}
    told = (await readiness(Cell(platform.documents, platform.cell), SILK, now))["arrivals"]
    shown = {
        name: [(each["reservation"], each["readiness"]) for each in found] for name, found in views.items()
    }
    return {**shown, "doors": [(each["reservation"], each["ready"], each["risks"]) for each in told]}


def test_a_stay_without_a_key_is_on_every_board_and_first(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", reservationId="rsv_1", version=1, **TODAY)
        await asyncio.sleep(10)
        lost = {"version": 2, "rooms": ["rmu_999"], "time": "2026-03-01T11:00:00Z"}
        await house.publish("evt_2", reservationId="rsv_2", version=1, rooms=["rmu_102"], **TODAY)
        await asyncio.sleep(10)
        await house.publish("evt_3", reservationId="rsv_2", **lost, **TODAY)
        await asyncio.sleep(30)
        found = await boards(house)
        assert found["arrivals"] == [("rsv_2", "keyless"), ("rsv_1", "ready")]
        assert found["today"] == found["arrivals"]
        assert sorted(found["doors"]) == [("rsv_1", "on_lock", []), ("rsv_2", "none", ["no key"])]

    play(tmp_path, scenario)


STAYS_ON = {"guest": {"id": "gst_a"}, "rooms": ["rmu_101"]}
ARRIVED, TURN, END = "2026-02-28T09:30:00Z", "2026-03-01T16:30:00Z", "2026-03-07T07:30:00Z"


async def seen(house):
    """Return who comes, is there and leaves, with the times of each and of a key of two stays."""
    platform = house.fleet.platform
    lobby = Lobby(platform.documents.tenant(SILK), KABUL, platform.clock.now())
    return {
        name: [
            (each["reservation"], each["from"], each["until"], each.get("turn"))
            for each in await VIEWS[name](lobby)
        ]
        for name in ("arrivals", "in_house", "departures")
    }


def test_each_of_two_stays_with_one_key_has_its_own_times_and_says_what_the_key_does(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", reservationId="rsv_1", validFrom=ARRIVED, validUntil=TURN, **STAYS_ON)
        await house.settled()
        later = {"validFrom": TURN, "validUntil": END, "time": "2026-03-01T11:00:00Z"}
        await house.publish("evt_2", reservationId="rsv_2", **later, **STAYS_ON)
        await asyncio.sleep(60)
        first, following = (
            (name, *times, {"reservation": other, "from": ARRIVED, "until": END})
            for name, times, other in (("rsv_1", (ARRIVED, TURN), "rsv_2"), ("rsv_2", (TURN, END), "rsv_1"))
        )
        assert await seen(house) == {"arrivals": [following], "in_house": [first], "departures": [first]}
        async with house.on.unscheduled():
            await asyncio.sleep(9 * 3600 - 60)
        await asyncio.sleep(60)  # it is half past ten in the evening, and nobody told of the turn
        assert await seen(house) == {"arrivals": [following], "in_house": [following], "departures": [first]}
        await house.publish("evt_3", "early_checkout", reservationId="rsv_1", time="2026-03-01T17:00:00Z")
        await asyncio.sleep(60)
        assert await seen(house) == {"arrivals": [following], "in_house": [following], "departures": []}

    play(tmp_path, scenario)


async def spent(house, names, *, together):
    """Return how many documents are read for some views, in one look or in one for each."""
    counters, platform = house.fleet.counters, house.fleet.platform
    before, one = (
        counters["document_reads"],
        Lobby(platform.documents.tenant(SILK), KABUL, platform.clock.now()),
    )
    for name in names:
        await WIDGETS[name](one if together else Lobby(one.store, KABUL, one.now))
    return counters["document_reads"] - before


def test_a_whole_dashboard_reads_its_hotel_once(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", reservationId="rsv_1", **TODAY)
        await house.publish("evt_2", reservationId="rsv_2", rooms=["rmu_102"], **TODAY)
        await house.settled()
        boards_ = ("housekeeping_board", "maintenance_board", "residues")
        alone = await spent(house, ("arrivals", "in_house", *boards_), together=False)
        assert await spent(house, WIDGETS, together=True) == alone
        assert await spent(house, WIDGETS, together=False) > alone

    play(tmp_path, scenario)


def test_what_is_owed_at_a_hotel_is_found_there_however_long_ago_its_keys_were_made(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", reservationId="rsv_1", **TODAY)
        await asyncio.sleep(10)
        platform = house.fleet.platform
        store, cell = platform.documents.tenant(SILK), Cell(platform.documents, platform.cell)
        assert await keys_in_work(store, KABUL, 9) == []
        await house.fault("http_500", "keyboardPwd/delete", times=1000)
        await house.publish("evt_4", "checked_out", reservationId="rsv_1", time="2026-03-01T15:00:00Z")
        await asyncio.sleep(120)
        (owed,) = await keys_in_work(store, KABUL, 9)
        assert (owed["reservation"], owed["state"]) == ("rsv_1", "revoked")
        assert await keys_in_work(store, "ppt_herat", 9) == []
        left = await residues(cell, SILK, platform.clock.now(), KABUL)
        assert {each["reservation"] for each in left} == {"rsv_1"}
        assert await residues(cell, SILK, platform.clock.now(), "ppt_herat") == []

    play(tmp_path, scenario)


def test_one_more_key_that_is_used_up_makes_no_guest_keyless(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", **TODAY)
        await house.settled()
        (own,) = await house.keys()
        _, told = await order(house, "copy-key", own["core"]["id"], once=True)
        await order(house, "end-key", told["copies"][0], reason="lost")
        found = await boards(house)
        assert found["arrivals"] == [("rsv_1", "ready")]
        assert found["doors"] == [("rsv_1", "on_lock", [])]

    play(tmp_path, scenario)
