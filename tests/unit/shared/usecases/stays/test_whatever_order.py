"""Whatever order a stay's events come in, its keys are those of the newest: told twice, numbered or not.

Refused events are among them, dates that contradict versions, and such from the future (trial 2.6, EL1, ES1).
"""

import asyncio
import itertools
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.domain.errors import InvalidInput
from shared.domain.states import Failed, Revoked
from shared.ledger.course import OVER
from shared.ledger.reservation import ref_of, reservation_from
from shared.usecases.stays.reactions import react
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import ARRIVAL, DAY, KABUL, MINUTE, NOW, SILK, Books

BOOKING = "melmastoon.reservation.booking"
UNMAPPED = "rmu_99"
AGO = 600 * MINUTE
"""All that is dated to be believed happened within these minutes."""
FAR = 300 * DAY
WORDS = ("confirmed", "confirmed", "dates_changed", "cancelled", "checked_out", "fraud_flagged")
BOOKED = ((ROOMS[0],), (ROOMS[1],), (ROOMS[0], ROOMS[1]), (ROOMS[0], UNMAPPED))
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Told:
    """An event as its producer made it: the nth, perhaps numbered, at a date that may be wrong."""

    place: int
    word: str
    numbered: bool
    dated: int
    rooms: tuple[str, ...]
    days: int
    elsewhere: bool

    def event(self, reservation):
        """Return it as one of a reservation."""
        date = NOW - AGO + self.dated * MINUTE if self.dated < 500 else NOW + FAR + self.dated * MINUTE
        start, end = (ARRIVAL, ARRIVAL + self.days * DAY) if self.days else (NOW - 2 * DAY, NOW - DAY)
        data = SimpleNamespace(
            reservation_id=reservation,
            version=self.place if self.numbered else None,
            property_id="ppt_nowhere" if self.elsewhere else KABUL,
            guest=SimpleNamespace(id="gst_1", locale=None),
            rooms=self.rooms if self.word == "confirmed" or self.days % 2 else None,
            valid_from=start if self.word == "confirmed" else None,
            valid_until=end,
            preferred_kinds=(),
            scope=None,
            payment_status=None,
            party_size=None,
        )
        subject = f"{BOOKING}.{self.word}.v1"
        id_ = f"evt_{self.place:02}_{reservation}"
        return SimpleNamespace(id=id_, tenant_id=SILK, data=data, subject=subject, time=date, trace_id=None)


@st.composite
def histories(draw):
    """Draw what happened to a stay, and two orders in which that is told."""
    count = draw(st.integers(2, 5))
    told = [
        Told(
            place=place,
            word="confirmed" if place == 1 else draw(st.sampled_from(WORDS)),
            numbered=draw(st.booleans()),
            dated=draw(st.sampled_from([place * 10, place * 10, 25, 500 + place])),
            rooms=draw(
                st.sampled_from([(ROOMS[0],), (ROOMS[1],), (ROOMS[0], ROOMS[1]), (ROOMS[0], UNMAPPED)])
            ),
            days=draw(st.sampled_from([3, 3, 4, 5, 0])),
            elsewhere=draw(st.integers(0, 9)) == 0,
        )
        for place in range(1, count + 1)
    ]
    again = draw(st.lists(st.sampled_from(told), max_size=2))
    return told, draw(st.permutations([*told, *again]))


async def outcome(books, told):
    """Tell all that happened to a new reservation; return how it stands, and what its living keys open."""
    reservation = f"rsv_{next(_numbers)}"
    for each in told:
        try:
            await react(each.event(reservation), books.services)
        except InvalidInput:
            continue  # it is quarantined, and acknowledged
    record = reservation_from(await books.documents.get(ref_of(reservation)))
    keys = [(await books.ledger.entry(each)).credential for each in record.credentials]
    living = [key.core for key in keys if not isinstance(key.state, Failed | Revoked)]
    opens = {(room, core.window.start, core.window.end) for core in living for room in core.rooms}
    named = {each.event_id.rpartition("_rsv")[0] for each in record.heard}
    stay = record.stay and record.stay.opens
    return record.status in OVER, None if record.status in OVER else stay, record.holds, opens, named


@pytest.fixture(scope="module")
def hotel(tmp_path_factory):
    """A ledger that outlives many histories, each of a reservation of its own."""
    with asyncio.Runner() as runner:
        books = Books(tmp_path_factory.mktemp("orders"))
        runner.run(books.__aenter__())
        runner.run(move_in(books, *(door(number, [room], "pin") for number, room in enumerate(ROOMS, 1))))
        yield lambda told: runner.run(outcome(books, told))
        runner.run(books.__aexit__(None, None, None))


def _check(hotel, history):
    told, shuffled = history
    assert hotel(shuffled) == hotel(told)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(history=histories())
def test_any_order_and_duplicates_end_the_same(hotel, history):
    _check(hotel, history)


def _told(place, word, *, dated=None, rooms=(ROOMS[0],), days=3, elsewhere=False):
    return Told(place, word, False, place * 10 if dated is None else dated, rooms, days, elsewhere)


BOTH = (ROOMS[0], UNMAPPED)
FOUND = {
    "ended before it was confirmed as it cannot be": (
        [_told(1, "confirmed"), _told(2, "cancelled"), _told(3, "confirmed", rooms=BOTH)],
        (1, 3, 2),
    ),
    "ended before its first key was made": (
        [
            _told(1, "confirmed", elsewhere=True),
            _told(2, "confirmed"),
            _told(3, "cancelled"),
            _told(4, "dates_changed"),
            _told(5, "confirmed", rooms=BOTH),
        ],
        (1, 3, 2, 4, 5),
    ),
    "longer by a change that comes before what it changes": (
        [
            _told(1, "confirmed", elsewhere=True),
            _told(2, "dates_changed", dated=502, days=4, elsewhere=True),
            _told(3, "confirmed", elsewhere=True),
            _told(4, "confirmed"),
            _told(5, "confirmed", rooms=BOTH),
        ],
        (1, 2, 3, 5, 4),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_a_stay_that_can_have_no_key_as_it_is_has_those_of_what_it_was_in_any_order(hotel, name):
    told, order = FOUND[name]
    _check(hotel, (told, [told[place - 1] for place in order]))


@pytest.mark.soak
@settings(max_examples=1500, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(history=histories())
def test_many_more_orders_and_duplicates_end_the_same(hotel, history):
    _check(hotel, history)


def _told(place, word="confirmed", **how):
    known = {"numbered": True, "dated": place * 10, "rooms": (ROOMS[0],), "days": 3, "elsewhere": False}
    return Told(place, word, **{**known, **how})


@pytest.mark.parametrize(
    "refused",
    [{"rooms": (UNMAPPED,)}, {"elsewhere": True}, {"days": 0}],
    ids=["room without a lock", "another property", "an end that is past"],
)
@pytest.mark.parametrize("numbered", [True, False], ids=["numbered", "not numbered"])
def test_trial_es1_what_a_refused_confirmation_overtook_makes_no_key(hotel, refused, numbered):
    old, new = _told(1, numbered=numbered), _told(2, numbered=numbered, **refused)
    assert hotel([old, new]) == hotel([new, old])
    *_, opens, named = hotel([new, old])
    assert (opens, named) == (set(), {"evt_01", "evt_02"})


def test_ending_that_makes_another_confirmation_count_gives_that_its_key(hotel):
    """What is newest by its date was refused; by the ending's version it is older than one that can."""
    refused = _told(1, dated=501, elsewhere=True)
    history = [refused, _told(2, "cancelled", dated=40), _told(3, numbered=False, dated=50)]
    outcomes = [hotel(order) for order in itertools.permutations(history)]
    assert all(each == outcomes[0] for each in outcomes)
    assert outcomes[0][3] != set()


def test_guest_has_what_is_possible_of_a_refused_stay_in_either_order(hotel):
    old, new = _told(1), _told(2, rooms=(ROOMS[0], UNMAPPED))
    for order in ([old, new], [new, old]):
        *_, opens, _named = hotel(order)
        assert {room for room, _, _ in opens} == {ROOMS[0]}


def test_hold_that_comes_after_the_end_holds_the_stay_that_is_confirmed_again(hotel):
    history = [_told(1), _told(2, "fraud_flagged"), _told(3, "cancelled"), _told(4)]
    assert {hotel(order)[2] for order in itertools.permutations(history)} == {frozenset({"fraud_review"})}
