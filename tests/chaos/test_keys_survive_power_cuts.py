"""The power fails at every boundary of a stay in turn, simulated: the stay always has one key, then none.

Booked, then checked out: every commit, push, acknowledgement, saga step and vendor call of both, before and
after, each time it is reached. The publisher repeats what was not acknowledged to it, as publishers must.
What fleets do to their own high-water mark is left to test_kill_nine.
"""

import asyncio

import orjson
import pytest

from tests.chaos.power_cut import CutAt, Street
from tests.chaos.verdict import ISSUED, Books, assert_one_active_key, assert_taken_back

A_MOMENT, A_MINUTE, HALF_AN_HOUR = 5, 60, 30
KINDS = ("commit", "call", "push", "ack", "vendor-call")
BOUNDARIES = [f"{when}-{kind}" for kind in KINDS for when in ("before", "after")]
EVENTS = {
    "booked": {"event": "evt_in"},
    "left": {"event": "evt_out", "subject": "checked_out", "time": "2026-03-05T07:00:00Z"},
}
BOOKED, LEFT = ("booked",), ("booked", "left")


class Stay:
    """One stay of one guest, in as many lives of the fleet as it takes."""

    def __init__(self, home):
        self.street, self.books = Street(home), Books(home)
        self._acknowledged = set()

    def happening(self, course):
        """Let the events of a stay happen, a moment apart."""

        async def happen(house):
            for event in course:
                await self._tell(house, event)
                await asyncio.sleep(A_MOMENT)

        return happen

    def recovering(self, course):
        """Go on where the last life ended, and judge what comes of it within half an hour."""

        async def recover(house):
            if course == BOOKED:
                await self._tell(house, "booked")
                await self._settle()
                assert_one_active_key(self.books, await house.steer("GET", "state"))
            await self._tell(house, "left")
            await self._settle()
            assert_taken_back(self.books, await house.steer("GET", "state"))

        return recover

    async def _tell(self, house, event):
        if event not in self._acknowledged:
            await house.publish(**EVENTS[event])
            self._acknowledged.add(event)

    async def _settle(self):
        for _ in range(HALF_AN_HOUR):
            await asyncio.sleep(A_MINUTE)
            if self.books.settled:
                return


def _assert_survived(home, boundary, nth, course):
    stay = Stay(home)
    lived = stay.street.live(stay.happening(course), CutAt(boundary, nth))
    assert not lived, "the boundary was not reached"
    assert stay.street.live(stay.recovering(course))
    _assert_every_event_was_published(stay)


def _assert_every_event_was_published(stay):
    """What was published is what is kept: each event at least once, and never another in its place."""
    (entry,) = stay.books.keys()
    kept = {row["eventId"] for row in stay.books.events(entry["credential"]["core"]["id"])}
    told = [(topic, orjson.loads(data)["id"]) for topic, data in stay.street.published if ".lock." in topic]
    assert {event for _, event in told} == kept
    assert len({event for topic, event in told if topic == ISSUED}) == 1


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    """How often each boundary is reached until a stay is booked, and until it is over."""
    return {course: _counted(tmp_path_factory.mktemp("census"), course) for course in (BOOKED, LEFT)}


def _counted(home, course):
    stay = Stay(home)
    return stay.street.census(stay.happening(course))


def test_every_boundary_of_a_stay_is_in_the_list_above(census):
    assert set(census[LEFT]) - {"before-mark"} == set(BOUNDARIES)
    assert census[LEFT]["before-vendor-call"] > census[BOOKED]["before-vendor-call"] > 0


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_stay_outlives_the_power_wherever_it_fails(tmp_path, census, boundary):
    for nth in range(1, census[LEFT][boundary] + 1):
        try:
            course = BOOKED if nth <= census[BOOKED][boundary] else LEFT
            _assert_survived(tmp_path / str(nth), boundary, nth, course)
        except AssertionError as error:
            error.add_note(f"the power failed at {boundary}#{nth}")
            raise
