"""Whose turn a lock is: the vendor is asked once, and again when it may have another gateway."""

import asyncio
from datetime import timedelta

import pytest

from shared.vendor_kit import relay_notes as module
from shared.vendor_kit.http import TimedOut
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import VendorRefused
from shared.vendor_kit.relay_notes import Reach, RelayNotes
from shared.vendor_kit.relays import ASKED_AGAIN_AFTER, Relays
from shared.vendors.ttlock.inventory import HEARERS
from tests.contract.lock.setting import TENANT
from tests.contract.lock.ttlock_setting import TTLockSetting

ROOM, OTHER_ROOM, UPSTAIRS = "1000101", "1000102", "1000203"
HEARD = {"501": {ROOM: -65, OTHER_ROOM: -70}, "502": {UPSTAIRS: -60, OTHER_ROOM: -80}}
OF_LOCK, OF_GATEWAY = "/v3/gateway/listByLock", "/v3/gateway/listLock"


class Told:
    """A platform that knows who hears whom, and nothing else."""

    def __init__(self):
        self.heard = {gateway: {**locks} for gateway, locks in HEARD.items()}
        self.asked, self.fault = [], None

    async def ask(self, ask, urgency):
        self.asked.append((ask.path.rpartition("/")[2], *ask.params.values()))
        await asyncio.sleep(0)
        if self.fault is not None and self.fault[0] in (None, ask.path):
            raise self.fault[1]
        return ask.read({"list": self._rows(ask)})

    def _rows(self, ask):
        if ask.path == OF_GATEWAY:
            locks = self.heard[ask.params["gatewayId"]]
            return [{"lockId": int(lock), "rssi": rssi} for lock, rssi in locks.items()]
        lock = ask.params["lockId"]
        return [
            {"gatewayId": int(g), "rssi": heard[lock]} for g, heard in self.heard.items() if lock in heard
        ]


@pytest.fixture
async def setting(tmp_path):
    async with TTLockSetting(tmp_path) as setting:
        setting.told = Told()
        yield setting


def gateways(setting, property_id="ppt_kabul"):
    """Return what another instance would open."""
    notes = RelayNotes(setting.means.documents.tenant(TENANT), "ttlock", property_id)
    return Relays(setting.told, notes, HEARERS, setting.clock)


async def turn(known, lock=ROOM):
    """Return whose turn a lock is, in short."""
    return (await known.turn_at(lock, Urgency.ISSUE)).removeprefix("gateway:ttlock:")


async def test_lock_is_asked_about_when_it_is_first_needed(setting):
    assert await turn(gateways(setting)) == "501"
    assert setting.told.asked == [("listByLock", ROOM), ("listLock", "501")]


async def test_known_lock_costs_no_call_and_one_read_for_each_instance(setting):
    await turn(gateways(setting))
    setting.told.asked.clear()
    reads = setting.engine.counters["document_reads"]
    again = gateways(setting)
    assert [await turn(again, lock) for lock in (ROOM, OTHER_ROOM, ROOM)] == ["501"] * 3
    assert setting.told.asked == []
    assert setting.engine.counters["document_reads"] == reads + 1


async def test_lock_in_reach_of_two_gateways_takes_turns_at_the_one_that_hears_it_best(setting):
    assert await turn(gateways(setting), OTHER_ROOM) == "501"
    setting.told.heard["502"][OTHER_ROOM] = -50
    assert await turn(gateways(setting, "ppt_herat"), OTHER_ROOM) == "502"


@pytest.mark.parametrize("order", [(ROOM, UPSTAIRS), (UPSTAIRS, ROOM)])
async def test_neighbour_goes_to_the_gateway_that_hears_it_best_whichever_was_asked_first(setting, order):
    known = gateways(setting)
    for lock in order:
        await turn(known, lock)
    assert await turn(known, OTHER_ROOM) == "501"


async def test_known_gateway_is_not_asked_for_its_locks_again(setting):
    known = gateways(setting)
    await turn(known)
    setting.told.heard["501"]["1000299"] = -60
    setting.told.asked.clear()
    assert await turn(known, "1000299") == "501"
    assert setting.told.asked == [("listByLock", "1000299")]


async def test_lock_without_a_gateway_is_in_nobody_s_way_and_asked_about_again_within_the_hour(setting):
    known = gateways(setting)
    assert await turn(known, "1000999") == "lock-1000999"
    setting.told.heard["501"]["1000999"] = -60
    setting.clock.advance(minutes=59)
    assert await turn(known, "1000999") == "lock-1000999"
    setting.clock.advance(minutes=1)
    assert await turn(known, "1000999") == "501"


async def test_what_is_a_week_old_is_asked_anew(setting):
    known = gateways(setting)
    await turn(known)
    setting.told.heard["502"][ROOM] = -40
    setting.clock.advance(days=6)
    assert await turn(known) == "501"
    setting.clock.advance(days=1)
    assert await turn(known) == "502"
    assert await turn(gateways(setting)) == "502"


async def test_doubt_makes_the_vendor_be_asked_again_but_not_at_every_refusal(setting):
    known = gateways(setting)
    await turn(known)
    setting.told.heard["502"][ROOM] = -40
    known.doubt(ROOM)
    assert await turn(known) == "501"
    setting.clock.advance(seconds=ASKED_AGAIN_AFTER.total_seconds())
    setting.told.asked.clear()
    assert await turn(known) == "502"
    known.doubt(ROOM)
    assert await turn(known) == "502"
    assert [path for path, *_ in setting.told.asked].count("listByLock") == 1


async def test_doubt_is_settled_by_what_another_instance_was_told(setting):
    known, other = gateways(setting), gateways(setting)
    await turn(known)
    await turn(other)
    setting.told.heard["502"][ROOM] = -40
    setting.clock.advance(hours=1)
    for each in (other, known):
        each.doubt(ROOM)
    assert await turn(other) == "502"
    setting.told.asked.clear()
    assert await turn(known) == "502"
    setting.clock.advance(hours=1)
    assert await turn(known) == "502"
    assert setting.told.asked == []


@pytest.mark.parametrize("fault", [VendorRefused("-2018"), TimedOut("nothing was heard")])
async def test_lock_nobody_tells_about_takes_the_turn_of_the_whole_property_for_a_while(setting, fault):
    known = gateways(setting)
    setting.told.fault = None, fault
    assert [await turn(known), await turn(known)] == ["ppt_kabul", "ppt_kabul"]
    assert len(setting.told.asked) == 1
    setting.told.fault = None
    setting.clock.advance(seconds=ASKED_AGAIN_AFTER.total_seconds())
    assert await turn(known) == "501"


async def test_what_was_known_is_gone_by_while_the_vendor_does_not_answer(setting):
    known = gateways(setting)
    await turn(known)
    setting.told.fault = None, TimedOut("nothing was heard")
    setting.clock.advance(days=8)
    assert await turn(known) == "501"


async def test_gateway_that_does_not_tell_its_locks_still_serves_the_one_in_question(setting):
    setting.told.fault = OF_GATEWAY, VendorRefused("-4037")
    assert await turn(gateways(setting)) == "501"


async def test_many_who_need_a_lock_ask_about_it_once(setting):
    known = gateways(setting)
    assert set(await asyncio.gather(*(turn(known) for _ in range(5)))) == {"501"}
    assert [path for path, *_ in setting.told.asked].count("listByLock") == 1


async def test_two_instances_that_learn_at_once_both_leave_their_notes(setting):
    await asyncio.gather(turn(gateways(setting), ROOM), turn(gateways(setting), UPSTAIRS))
    setting.told.asked.clear()
    again = gateways(setting)
    assert [await turn(again, lock) for lock in (ROOM, UPSTAIRS)] == ["501", "502"]
    assert setting.told.asked == []


async def test_what_has_not_changed_is_not_written_again(setting):
    told = {ROOM: Reach("501", -65, setting.clock.now())}
    await gateways(setting).note(told)
    written = setting.engine.counters["document_writes"]
    later = {ROOM: Reach("501", -71, setting.clock.now() + timedelta(days=1))}
    await gateways(setting).note(later)
    assert setting.engine.counters["document_writes"] == written
    await gateways(setting).note({ROOM: Reach(None, -999, setting.clock.now() + timedelta(days=1))})
    assert setting.engine.counters["document_writes"] == written + 1


async def test_notes_of_before_there_were_times_are_as_good_as_none(setting):
    from shared.ports.documents import Create, Ref

    documents = setting.means.documents.tenant(TENANT)
    old = {"schema_version": 1, "gateways": {ROOM: "777"}}
    await documents.commit([Create(Ref("vendor_gateways", "ttlock-ppt_kabul"), old)])
    assert await turn(gateways(setting)) == "501"
    assert await turn(gateways(setting)) == "501"
    assert [path for path, *_ in setting.told.asked].count("listByLock") == 1


async def test_properties_have_notes_of_their_own(setting):
    await turn(gateways(setting))
    setting.told.asked.clear()
    await turn(gateways(setting, "ppt_herat"))
    assert setting.told.asked


async def test_of_more_locks_than_a_hotel_has_those_told_of_longest_ago_are_forgotten(setting, monkeypatch):
    monkeypatch.setattr(module, "MOST_KNOWN", 3)
    known = gateways(setting)
    await turn(known)
    setting.clock.advance(minutes=1)
    await known.note({f"{number}": Reach("501", -60, setting.clock.now()) for number in range(3)})
    assert set(known._known) == {"0", "1", "2"}
