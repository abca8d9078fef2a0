"""A guard counts a vendor that cannot answer against it, and nothing else."""

import pytest

from shared.vendor_kit.breaker import BreakerPolicy, CircuitOpen
from shared.vendor_kit.guard import GuardPolicy, Guards, VendorDown
from shared.vendor_kit.http import TimedOut
from shared.vendor_kit.rate import Urgency
from tests.contract.embedded import ManualClock

POLICY = GuardPolicy(per_minute=6000, burst=100, breaker=BreakerPolicy(fewest=2))


class Watch:
    """Guards, and what they told."""

    def __init__(self):
        self.told = []
        self.guards = Guards(POLICY, ManualClock(), lambda name, change: self.told.append((name, change)))

    def end(self, error=None, name="first"):
        """Let a call end."""
        with self.guards.of(name).watched():
            if error is not None:
                raise error


@pytest.mark.parametrize("error", [TimedOut("late"), VendorDown("broken")])
async def test_guard_opens_on_a_vendor_that_cannot_answer_and_says_so(error):
    watch = Watch()
    for _ in range(2):
        with pytest.raises(type(error)):
            watch.end(error)
    with pytest.raises(CircuitOpen):
        await watch.guards.of("first").turn(Urgency.REVOKE)
    assert [(name, change.after) for name, change in watch.told] == [("first", "open")]


async def test_guard_lets_answers_through_whatever_they_say():
    watch = Watch()
    for _ in range(2):
        with pytest.raises(ValueError, match="refused"):
            watch.end(ValueError("refused"))
    watch.end()
    await watch.guards.of("first").turn(Urgency.ISSUE)
    assert watch.told == []


async def test_accounts_have_guards_of_their_own():
    watch = Watch()
    for _ in range(2):
        with pytest.raises(TimedOut):
            watch.end(TimedOut("late"))
    await watch.guards.of("second").turn(Urgency.ISSUE)
    assert watch.guards.of("first") is watch.guards.of("first")
