"""Each hotel of a company is handed the share of its keys that the step gives it, pilot or not."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from infra.bench import hotel
from infra.local.documents import SqliteDocuments
from infra.local.sample.load import add_house, move_in
from shared.domain.documents import from_document
from shared.domain.ids import PropertyId, RoomId
from shared.domain.premises import NextBuild, Property
from shared.ledger.canary import Canary
from shared.runtime.indexes import INDEXES
from shared.usecases.canary.judge import STEPS
from shared.usecases.canary.shares import hand_over, hand_over_nothing
from tests.contract.embedded import Embedded
from tests.support.vendors import SALTO, TTLOCK

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PILOT, OTHER = hotel.PROPERTY, PropertyId("ppt_other")
WEIGHTS = [(25, 0), (100, 0), (100, 25), (100, 100)]
"""Of a hundred keys at the pilot and at another hotel, step by step."""


def house(property_id):
    """Return a hotel of one room and no locks."""
    sample = hotel.hotel(str(TTLOCK), rooms=1)
    own = replace(sample.property, id=property_id)
    (room,) = sample.rooms
    room = replace(room, id=RoomId(f"rmu_{property_id[4:]}"), property_id=property_id)
    return replace(sample, property=own, rooms=(room,), devices=())


@pytest.fixture
async def store(tmp_path):
    async def made(embedded):
        documents = SqliteDocuments(embedded.engine, embedded.clock, INDEXES, "main")
        await documents.prepare()
        return documents

    async with Embedded(tmp_path, made, threaded=False) as embedded:
        now = embedded.clock.now()
        await move_in(house(PILOT), embedded.subject, now)
        await add_house(house(OTHER), embedded.subject, now)
        yield embedded.subject.tenant(hotel.TENANT)


async def handed(store):
    """Return what each hotel is handed of its keys."""
    refs = [
        ref for id_ in (PILOT, OTHER) for ref, part in house(id_).documents() if isinstance(part, Property)
    ]
    found = [from_document(Property, (await store.get(ref)).data) for ref in refs]
    return [each.next_builds for each in found]


def trial(step, vendor=TTLOCK):
    """Return a trial at a step."""
    return Canary(vendor=vendor, pilot=PILOT, by="usr_1", began_at=NOON, step_at=NOON, step=step, turn=3)


@pytest.mark.parametrize(("step", "weights"), [*enumerate(WEIGHTS)])
async def test_each_hotel_has_the_weight_that_the_step_gives_it(store, step, weights):
    await hand_over(trial(step), store)
    expected = [(NextBuild(TTLOCK, share, 3),) if share else () for share in weights]
    assert await handed(store) == expected


async def test_a_trial_that_is_over_takes_every_hotel_back_and_leaves_another_vendor_s_alone(store):
    await hand_over(trial(0, SALTO), store)
    await hand_over(trial(len(STEPS) - 1), store)
    await hand_over_nothing(trial(len(STEPS) - 1), store)
    assert await handed(store) == [(NextBuild(SALTO, 25, 3),), ()]


def test_every_step_has_its_weights():
    assert len(WEIGHTS) == len(STEPS)
