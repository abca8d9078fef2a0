"""Keys on Google Cloud when things come twice, at once, or not at all: one key, and no more than one."""

import asyncio
from datetime import timedelta

import orjson
import pytest

from shared.domain.ids import TenantId
from shared.domain.instants import milliseconds
from shared.ledger.delays import STARTED_WITHIN, STEP_LEASE
from shared.ledger.indexes import AT_DEVICE, DUE
from tests.support.sample_hotel import SILK, device_at

LAPIS = TenantId("tnt_lapis")
LOCKS = ("101", "front")
MANY = 20


async def assert_one_key(house):
    """There is one key, active and told once; each of its locks has it once."""
    (entry,) = await house.issued()
    assert entry["credential"]["state"]["type"] == "active"
    assert [grant["state"]["type"] for grant in await house.grants()] == ["placed"] * len(LOCKS)
    assert [len(await house.doors.keys_at(door)) for door in LOCKS] == [1, 1]
    assert await house.executed("keyboardPwd/add") == len(LOCKS)
    assert len(house.cloud.post.of("issued")) == 1


@pytest.mark.parametrize("event", ["evt_same", "evt_{}"])
async def test_a_booking_delivered_twenty_times_at_once_makes_one_key(house, event):
    owed = [event.format(number) for number in range(MANY)]
    while owed:  # as Pub/Sub does, until every delivery is taken
        answers = await asyncio.gather(*map(house.deliver, owed))
        assert set(answers) <= {204, 503}
        owed = [each for each, status in zip(owed, answers, strict=True) if status != 204]
    await assert_one_key(house)
    (record,) = (await house.documents("reservations")).values()
    assert len(record["heard"]) == len({event.format(number) for number in range(MANY)})


async def test_of_two_executions_that_write_at_once_one_goes_on_and_the_other_never_asks_the_vendor(house):
    house.cloud.waker.ground.starts = 2
    house.cloud.firestore.hold(_updates_a_key, parties=2)
    await house.deliver("evt_1")
    sagas = house.cloud.waker.process.sagas
    await sagas.settled()
    assert sorted(house.cloud.internet.answers_of("adapter-ttlock")) == [200, 200, 503]
    outcomes = [kept.execution.result["outcome"] for kept in sagas.listed()]
    assert sorted(outcomes) == ["done", "superseded"]
    assert house.cloud.firestore.counts["refused commits"] > 0
    await assert_one_key(house)
    assert len(await house.documents("key_secrets", sealed=True)) == 1


async def test_the_sweeper_finds_the_sagas_that_nobody_started_in_every_tenant_and_starts_them(house):
    await house.settle_in(LAPIS)
    house.cloud.executions.down = True
    assert await house.deliver("evt_1") >= 500
    assert await house.deliver("evt_2", tenant=LAPIS, rooms=["rmu_203"]) >= 500
    house.cloud.executions.down = False
    assert await _swept(house) == 0
    house.clock.ahead += STARTED_WITHIN
    assert await _swept(house) == 2
    await house.cloud.post.told("issued", 2)
    for tenant in (SILK, LAPIS):
        (entry,) = await house.at_rest(tenant=tenant)
        assert entry["credential"]["state"]["type"] == "active"
    assert [len(await house.doors.keys_at(door)) for door in ("101", "203", "front")] == [1, 1, 2]
    assert await _swept(house) == 0


async def test_the_sweeper_leaves_a_saga_alone_that_rests_between_two_tries(house):
    await house.doors.fault("http_502", "*")
    await house.deliver("evt_1")
    async with asyncio.timeout(10):
        while not house.cloud.internet.answers_of("adapter-ttlock"):  # noqa: ASYNC110 - nobody to tell us
            await asyncio.sleep(0.002)
    house.clock.ahead += STEP_LEASE + timedelta(minutes=1)
    assert await _swept(house) == 1
    assert len(house.cloud.waker.process.sagas.listed()) == 1


async def test_of_two_sweeps_that_find_the_same_key_only_one_starts_its_saga(house):
    house.cloud.executions.down = True
    await house.deliver("evt_1")
    house.cloud.executions.down = False
    house.clock.ahead += STARTED_WITHIN
    house.cloud.firestore.hold(_updates_a_key, parties=2)
    assert sorted(await asyncio.gather(_swept(house), _swept(house))) == [0, 1]
    assert len(house.cloud.waker.process.sagas.listed()) == 1
    await assert_one_key(house)


async def test_a_sweep_goes_by_the_number_of_an_entrys_instant_to_the_millisecond(house):
    house.cloud.executions.down = True
    await house.deliver("evt_1")
    ((key, entry),) = (await house.documents("credentials")).items()
    assert entry["due_at"] <= milliseconds(house.clock.now() + STARTED_WITHIN)
    for early, found in ((1, []), (0, [(SILK, key)])):
        assert list(await house.platform.documents.sweep(DUE, {}, until=entry["due_at"] - early)) == found


async def test_a_key_whose_making_was_never_answered_is_found_at_its_lock_and_not_made_again(house):
    await house.doors.fault("timeout_after_success", "keyboardPwd/add", times=1)
    await house.publish("evt_1")
    await assert_one_key(house)


async def test_a_key_is_made_and_taken_back_once_though_the_answer_to_every_commit_is_lost(house):
    counts, house.cloud.firestore.loses_answers = house.cloud.firestore.counts, True
    before = counts["commits"]
    await house.publish("evt_1")
    await assert_one_key(house)
    assert counts["refused commits"] == counts["commits"] - before > 0
    entry = await house.taken_back()
    assert entry["credential"]["state"]["type"] == "revoked"
    assert await house.executed("keyboardPwd/delete") == len(LOCKS)
    assert [await house.doors.keys_at(door) for door in LOCKS] == [[], []]
    assert await house.documents("key_secrets", sealed=True) == {}


async def test_a_service_that_breaks_down_for_a_moment_is_asked_again_by_the_workflow(house):
    house.cloud.firestore.break_once(_updates_a_key)
    await house.deliver("evt_1")
    await assert_one_key(house)
    assert house.cloud.internet.answers_of("adapter-ttlock") == [503, 200]


async def test_the_grants_at_a_lock_are_found_by_the_number_of_their_end(house):
    await house.deliver("evt_1")
    await house.deliver("evt_2", reservationId="rsv_2", validUntil="2026-03-06T07:30:00Z")
    await house.issued(keys=2)
    store, at_front = house.platform.documents.tenant(SILK), {"device_id": device_at("front")}
    ends = [kept.data["until"] for kept in await store.query(AT_DEVICE, at_front)]
    assert ends == sorted(ends)
    assert [len(await store.query(AT_DEVICE, at_front, until=end)) for end in (ends[0] - 1, *ends)] == [
        0,
        1,
        2,
    ]


def _updates_a_key(write):
    return "/credentials/" in write.update.name and bool(write.current_document.update_time)


async def _swept(house):
    return orjson.loads((await house.sweep()).body)["tended"]
