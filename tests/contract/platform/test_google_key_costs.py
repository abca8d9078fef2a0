"""What a key costs on Google Cloud, counted on the way to Firestore: as much as the embedded cloud counts."""

import sys

import pytest

from tests.support.sample_hotel import play

SECOND_BOOKING = {"reservationId": "rsv_2", "rooms": ["rmu_102"]}
MOST = {"writes": 17, "reads": 6}
"""Of a key to two locks: 14, and 2 for the further one; and beside its own path 1 for the guest's contact."""

TELLING = {"writes": 0, "reads": 2}
"""What the embedded cloud reads besides to tell the guest: here those who tell are spared."""
TELLERS = frozenset({"on-key-told", "on-anything-told", "hear-neighbours"})


@pytest.fixture
def embedded_cost(tmp_path):
    """What the embedded cloud counts for the second key, once the first has warmed everything up."""

    async def scenario(guesthouse):
        await guesthouse.publish("evt_1")
        await guesthouse.settled()
        before = guesthouse.fleet.counters.copy()
        await guesthouse.publish("evt_2", **SECOND_BOOKING)
        await guesthouse.settled()
        return {
            name: guesthouse.fleet.counters[f"document_{name}"] - before[f"document_{name}"] for name in MOST
        }

    return play(tmp_path / "embedded", scenario)


async def test_a_key_costs_firestore_no_more_than_the_embedded_cloud_counts(embedded_cost, house, capsys):
    house.cloud.post.spared = TELLERS
    await house.publish("evt_1")
    await house.issued()
    counts = house.cloud.firestore.counts
    before = counts.copy()
    await house.publish("evt_2", **SECOND_BOOKING)
    await house.issued(keys=2)
    cost = {name: counts[name] - before[name] for name in (*MOST, "commits", "refused commits")}
    with capsys.disabled():
        sys.stdout.write(f"\none key to 2 locks on Firestore: {cost}\n")
    assert {name: cost[name] + TELLING[name] for name in MOST} == embedded_cost
    assert {name: cost[name] for name, most in MOST.items() if cost[name] > most} == {}
    assert cost["refused commits"] == 0
