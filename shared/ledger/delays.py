"""How long to wait: between tries at a vendor, and before somebody looks whether a saga still works."""

from datetime import datetime, timedelta
from typing import Final

from shared.ports.ambient import Entropy

FIRST_DELAY: Final = timedelta(seconds=4)
FACTOR: Final = 3
JITTER: Final = (0.75, 1.25)
"""Five waits of 4 to 324 seconds: at least six minutes in all, which outlasts five of a broken vendor."""
MOST_TRIES: Final = 6
TOLD_AT: Final = 4
"""With so many attempts refused, a minute after the first, somebody is told whose guest is here."""

LONGEST_SLEEP: Final = timedelta(minutes=1)
"""What is to wait for longer is parked: no execution waits for it, and the sweeper begins the next."""
SHORT_TROUBLE: Final = timedelta(seconds=75)
"""So long an execution tries again by itself where its vendor is in trouble: the first three waits, or a
circuit's first two rests. What lasts longer parks."""
WATCHED_FOR: Final = timedelta(minutes=10)
"""So long some of those sleep on that wait out a trouble, to see soon that it is over."""
LOOKED_EVERY: Final = timedelta(seconds=50)
"""So that each sweep looks whether a vendor is well for whom a guest who is here waits."""
LONGEST_WAIT: Final = timedelta(minutes=30)
"""A vendor that wants to be left alone for longer is as good as one that refuses."""
MOST_LOST: Final = 9
"""So often, which takes half an hour, a saga is begun and nothing comes of it, before somebody is told."""
MOST_BROKEN: Final = 4
"""So often, which takes as long, one that wrote breaks off before anything comes of it."""

STARTED_WITHIN: Final = timedelta(seconds=10)
"""Who saves work starts its saga at once; after this, whoever comes by may."""
STEP_LEASE: Final = timedelta(minutes=3)
"""A step of a saga is over by then, or lost."""
LONGEST_ROUND: Final = timedelta(seconds=30)
"""After so long at a key's locks, what came of it is saved before the others are asked."""
LONGEST_AT_A_LOCK: Final = timedelta(seconds=60)
"""With a round before it, less than an adapter may run."""
TURN_AGAIN_AFTER: Final = timedelta(seconds=15)
"""Where our own turn did not come, and nobody knows when it may: those before us need some time."""
SOONEST: Final = timedelta(seconds=2)
LONGEST_QUEUE: Final = timedelta(minutes=10)
"""Whoever is to lose a key, and has it for so long because we had no turn, is somebody to be told of."""
ASKED_STILL_EVERY: Final = timedelta(minutes=15)
NEEDED_WITHIN: Final = timedelta(hours=2)
"""A key whose saga nobody can begin is asked for still, and until so long before its stay."""
NEAR_ARRIVAL: Final = timedelta(hours=72)
"""Whoever comes within so long gets a key at once, be a lock nearly full."""
CHECKED_BEFORE: Final = (NEAR_ARRIVAL, timedelta(hours=24), NEEDED_WITHIN)
"""So long before an arrival it is looked whether its guest will get in."""
LOOK_EVERY: Final = timedelta(minutes=5)
"""So often is looked whether a vendor answers again at which a key failed; near its stay, each minute."""
LOOK_NEAR: Final = timedelta(minutes=1)
ANEW_AFTER: Final = (timedelta(minutes=15), timedelta(hours=1), timedelta(hours=6))
"""So long after a key failed another is requested, whether that helps or not: from the third on, the last."""
ANEW_BEFORE: Final = (timedelta(hours=24), NEEDED_WITHIN)
"""So long before a stay another is requested in any case."""
RESIDUE_EVERY: Final = timedelta(hours=1)
"""How often a lock that would not let go of a key is asked again."""
LAPSED_EVERY: Final = timedelta(days=1)
ASKED_AFTER_END: Final = timedelta(days=30)
"""How often, and how long, one is asked whose key opens no more: it takes a place, and clocks are wrong."""


def round_over(began: datetime, now: datetime) -> bool:
    """Say whether a round has lasted long enough; if the clock was set back, nobody knows how long it did."""
    return not began <= now < began + LONGEST_ROUND


def delay_after(tries: int, entropy: Entropy) -> timedelta:
    """Return how long to wait after so many tries: longer each time, and not in step with anybody else."""
    grown: timedelta = FIRST_DELAY * FACTOR ** (tries - 1)
    return grown * entropy.uniform(*JITTER)
