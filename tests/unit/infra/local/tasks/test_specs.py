"""Queues that cannot be served are refused at load, naming field and remedy."""

import pytest

from infra.local.delivery.backoff import Retry
from infra.local.delivery.refusal import SpecRefused
from infra.local.tasks import Tasks
from tests.contract.tasks.setting import queue
from tests.support.delivery_rig import play


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"name": "a_b"}, "queue 'a_b': name is 'a_b': use up to 100 letters"),
        ({"url": "x"}, "url is 'x': give an absolute"),
        ({"max_per_second": 0}, "max_per_second is 0: choose between"),
        ({"max_per_second": 501}, "max_per_second is 501"),
        ({"max_concurrent": 0}, "max_concurrent is 0"),
        ({"dispatch_deadline": 14}, "dispatch_deadline is 14: choose between 15 and 1800"),
        ({"retry": Retry(max_attempts=0)}, "retry.max_attempts is 0: give -1 for no limit"),
        ({"retry": Retry(max_doublings=17)}, "retry.max_doublings is 17"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_queue_production_would_refuse_is_refused(changes, finding):
    with pytest.raises(SpecRefused, match=finding):
        queue(**changes)


def test_two_queues_of_one_name_are_refused(tmp_path):
    async def scenario(world):
        with pytest.raises(SpecRefused, match="queue 'sweep-ledger': name is taken"):
            Tasks(world.means, (queue(), queue()))

    play(tmp_path, scenario)
