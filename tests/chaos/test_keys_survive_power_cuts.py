"""The power fails at every boundary of a stay in turn, simulated: the stay always has one key, then none.

Booked, then checked out: every commit, push, acknowledgement, saga step and vendor call of both, before and
after, each time it is reached. The publisher repeats what was not acknowledged to it, as publishers must.
What fleets do to their own high-water mark is left to test_kill_nine.
"""

import asyncio

import orjson
import pytest

from tests.chaos.power_cut import CutAt, Street
from tests.support.verdict import ISSUED, Books, assert_one_active_key, assert_taken_back

A_MOMENT, A_MINUTE, HALF_AN_HOUR = 5, 60, 30
KINDS = ("commit", "call", "push", "ack", "vendor-call")
BOUNDARIES = [f"{when}-{kind}" for kind in KINDS for when in ("before", "after")]
STEPS = [each for each in BOUNDARIES if "call" in each]
EVENTS = {
    "booked": {"event": "evt_in"},
    "left": {"event": "evt_out", "subject": "checked_out", "time": "2026-03-05T07:00:00Z"},
}
BOOKED, LEFT = ("booked",), ("booked", "left")
TROUBLE = (
    {"operation": "keyboardPwd/add", "fault": "errcode:-3007", "times": 1, "after": 1},
    {"operation": "keyboardPwd/add", "fault": "timeout_after_success", "times": 1, "after": 1},
    {"operation": "keyboardPwd/delete", "fault": "timeout_after_success", "times": 1},
)
"""The second lock has the PIN already, the next answer to a new one is lost, and one to a removal."""
LONG_ENOUGH = 120
SOME = 9
"""Each so many of a kind are played in `make test`, and the others in `make soak`."""


class Stay:
    """One stay of one guest, in as many lives of the fleet as it takes."""

    def __init__(self, home, moment=A_MOMENT, trouble=()):
        self.street, self.books = Street(home), Books(home)
        self._moment, self._trouble, self._acknowledged = moment, trouble, set()

    def happening(self, course):
        """Let the events of a stay happen, a moment apart."""

        async def happen(house):
            for fault in self._trouble:
                await house.fault(**fault)
            for event in course:
                await self._tell(house, event)
                await asyncio.sleep(self._moment)

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


def _assert_survived(stay, boundary, nth, course):
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


def _census(home, **how):
    """Return how often each boundary is reached until a stay is booked, and until it is over."""
    stays = {course: Stay(home / course[-1], **how) for course in (BOOKED, LEFT)}
    return {course: stay.street.census(stay.happening(course)) for course, stay in stays.items()}


def _all(times):
    return range(1, times + 1)


def _some(times):
    return range(1, times + 1, SOME)


def _others(times):
    return [nth for nth in _all(times) if nth not in _some(times)]


def _assert_survived_everywhere(home, boundary, census, chosen=_all, **how):
    for nth in chosen(census[LEFT][boundary]):
        try:
            course = BOOKED if nth <= census[BOOKED][boundary] else LEFT
            _assert_survived(Stay(home / str(nth), **how), boundary, nth, course)
        except AssertionError as error:
            error.add_note(f"the power failed at {boundary}#{nth}")
            raise


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    """The census of a stay in which all goes well."""
    return _census(tmp_path_factory.mktemp("census"))


def test_every_boundary_of_a_stay_is_in_the_list_above(census):
    assert set(census[LEFT]) - {"before-mark"} == set(BOUNDARIES)
    assert census[LEFT]["before-vendor-call"] > census[BOOKED]["before-vendor-call"] > 0


@pytest.mark.parametrize(
    "chosen", [pytest.param(_others, marks=pytest.mark.soak), _some], ids=["others", "some"]
)
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_a_stay_outlives_the_power_wherever_it_fails(tmp_path, census, boundary, chosen):
    _assert_survived_everywhere(tmp_path, boundary, census, chosen)


@pytest.mark.parametrize("times", [0, 1, 9, 10, 100])
def test_some_and_the_others_are_all(times):
    assert sorted([*_some(times), *_others(times)]) == [*_all(times)]


@pytest.mark.soak
@pytest.mark.parametrize("boundary", [*STEPS, "after-commit"])
def test_a_stay_with_trouble_at_its_locks_outlives_the_power_too(tmp_path, boundary):
    how = {"moment": LONG_ENOUGH, "trouble": TROUBLE}
    census = _census(tmp_path, **how)
    assert census[LEFT]["before-vendor-call"] > census[LEFT]["after-vendor-call"] > 9, "some answers are lost"
    _assert_survived_everywhere(tmp_path, boundary, census, **how)
