"""Names are drawn a good deal at a time, grow, and never repeat."""

from infra.local.ambient import SeededEntropy
from shared.kernel.ids import DRAWN_AT_ONCE, DrawnIds
from tests.contract.embedded import ManualClock


def test_names_grow_and_never_repeat_over_several_draws():
    draws = []
    entropy, clock = SeededEntropy(3), ManualClock()

    def draw(size):
        draws.append(size)
        return entropy.token(size)

    ids, names = DrawnIds(clock.now, draw), []
    for _ in range(300):
        clock.advance(milliseconds=1)
        names.append(ids.ulid())
    assert names == sorted(set(names))
    assert draws == [DRAWN_AT_ONCE] * 3
