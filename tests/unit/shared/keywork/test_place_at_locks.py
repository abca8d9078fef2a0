"""What each lock is asked for: the one secret, the stay's window, and no more freedom than the key allows."""

from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest

from shared.domain.ids import LockDeviceId
from shared.domain.lock_errors import KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.domain.policy import DEFAULT_POLICY
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.keywork.attempt import AttemptContext
from shared.keywork.lock_attempt import IssueAttempt, LockAttempt
from shared.keywork.place_at_locks import SHIFTS, place_at_locks
from shared.ledger.delays import LONGEST_ROUND
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.lock import KeyAtLock
from shared.ports.lock_causes import ASK_FOR_ANOTHER_PIN, OUT_OF_REACH, PIN_REFUSED, WINDOW_SPENT
from tests.support.ledger_books import ARRIVAL, DAY, DOOR, HOUR, MOCK, NOW, PIN_CODE, RFID_CARD

FRONT = LockDeviceId("lck_01KSAMP1E00000000000000001")
SILENT = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("timeout"))
HOTEL = SimpleNamespace(policy=DEFAULT_POLICY)
AWAY = VendorUnreachable(vendor=MOCK, cause=LockErrorCause(OUT_OF_REACH, "-3002"))


def at_desk(port):
    return SimpleNamespace(port=port, vendor=MOCK, premises=HOTEL)


def refused(cause):
    return KeyIssueFailed(vendor=MOCK, cause=LockErrorCause(cause))


class Port:
    """A vendor that answers each lock's calls in turn as it was told, and else with a key."""

    def __init__(self, clock):
        self.asked, self.answers, self.visits = [], {}, []
        self.clock, self.takes, self.chosen = clock, timedelta(0), None

    @asynccontextmanager
    async def visit(self):
        self.visits.append(len(self.asked))
        yield
        self.visits.append(len(self.asked))

    async def place(self, key):
        self.asked.append(key)
        self.clock.advance(seconds=self.takes.total_seconds())
        error = next(iter(self.answers.get(key.device_id, ())), None)
        if error is not None:
            self.answers[key.device_id] = self.answers[key.device_id][1:]
            raise error
        return KeyAtLock(
            vendor_ref=Secret("ref"),
            valid_from=key.valid_from,
            valid_until=key.valid_until,
            exposure_until=None,
            secret=self.chosen,
        )


@pytest.fixture
def port(books):
    return Port(books.clock)


@pytest.fixture
def attempt(books, port):
    """Ask for a key at some doors, from an arrival on."""

    async def ask(*doors, arrival=ARRIVAL, fresh=True, **grant):
        entry, _ = books.requested()
        window = StayWindow(arrival, arrival + 3 * DAY, "Asia/Kabul")
        core = replace(entry.credential.core, window=window)
        entry = replace(entry, credential=replace(entry.credential, core=core))
        placings = tuple(LockAttempt(books.kept(entry, door, **grant), fresh) for door in doors or (DOOR,))
        refs = {placings[0].kept.grant.vendor_name: Secret("ref-1")}
        key = SealedKey(SecretName(entry.id, PIN_CODE, 0), Secret("583914"), ARRIVAL, refs)
        task = AttemptContext(entry, books.ledger, books.services, MOCK)
        return await place_at_locks(IssueAttempt(task, placings, key=key), at_desk(port))

    return ask


async def test_lock_is_asked_for_the_stay_s_window_and_the_sealed_secret(port, attempt):
    attempted = await attempt(DOOR, FRONT)
    assert attempted.error is None
    assert [key.device_id for key in port.asked] == [DOOR, FRONT]
    for key in port.asked:
        assert (key.valid_from, key.valid_until) == (ARRIVAL, ARRIVAL + 3 * DAY)
        assert key.secret.reveal() == "583914"
    assert port.asked[0].vendor_ref.reveal() == "ref-1"
    assert port.asked[1].vendor_ref is None


async def test_locks_beyond_a_round_are_left_for_the_next_and_those_never_asked_come_first(
    books, port, attempt
):
    port.takes = LONGEST_ROUND / 2
    doors = [LockDeviceId(f"lck_01KSAMP1E{number:0>17}") for number in range(4)]
    attempted = await attempt(*doors)
    assert [key.device_id for key in port.asked] == doors[:2]
    assert [placing.outcome is None for placing in attempted.placings] == [False, False, True, True]
    assert attempted.has_locks_left

    first = replace(attempted.placings[0], outcome=None, asked_last=NOW)
    others = [replace(each, outcome=None) for each in attempted.placings[1:]]
    again = replace(attempted, placings=(first, *others))
    await place_at_locks(again, at_desk(port))
    assert [key.device_id for key in port.asked[2:]] == doors[1:3]


async def test_each_answer_is_kept_with_the_time_at_which_it_came(books, port, attempt):
    port.takes = timedelta(seconds=4)
    port.answers[FRONT] = [SILENT]
    attempted = await attempt(DOOR, FRONT)
    called = [replace(each, kept=each.kept.calling(NOW)) for each in attempted.placings]
    kept = [each.settled(attempted.task) for each in called]
    assert [each.calls[-1].answered_at - NOW for each in kept] == [port.takes, 2 * port.takes]
    assert kept[0].grant.state.placed_at == NOW + port.takes


async def test_lock_that_has_the_key_is_not_asked_again(books, port, attempt):
    attempted = await attempt(DOOR, FRONT)
    stands = attempted.placings[0].settled(attempted.task)
    placings = (LockAttempt.at(stands, NOW), replace(attempted.placings[1], outcome=None))
    again = await place_at_locks(replace(attempted, placings=placings), at_desk(port))
    assert [key.device_id for key in port.asked] == [DOOR, FRONT, FRONT]
    assert again.complete


async def test_all_locks_are_asked_in_one_visit(port, attempt):
    await attempt(DOOR, FRONT)
    assert port.visits == [0, 2]


@pytest.mark.parametrize("fresh", [True, False])
async def test_lock_that_an_earlier_call_may_have_reached_is_looked_at_first(port, attempt, fresh):
    await attempt(fresh=fresh)
    assert port.asked[0].intent_predates is not fresh


@pytest.mark.parametrize("error", [SILENT, refused("lock_full")])
async def test_one_lock_that_makes_no_key_does_not_keep_the_others_shut(port, attempt, error):
    port.answers[DOOR] = [error]
    attempted = await attempt(DOOR, FRONT)
    assert attempted.error is error
    assert len(attempted.standings) == 1


@pytest.mark.parametrize("cause", sorted(ASK_FOR_ANOTHER_PIN))
async def test_secret_that_one_lock_will_not_have_is_told_to_no_further_lock(port, attempt, cause):
    port.answers[DOOR] = [refused(cause)]
    attempted = await attempt(DOOR, FRONT)
    assert [key.device_id for key in port.asked] == [DOOR]
    assert [placing.outcome is None for placing in attempted.placings] == [False, True]


async def test_window_that_was_used_up_at_the_lock_ends_an_hour_sooner_and_so_on(port, attempt):
    port.answers[DOOR] = [refused(WINDOW_SPENT)] * SHIFTS
    attempted = await attempt()
    end = ARRIVAL + 3 * DAY
    assert [key.valid_until for key in port.asked] == [end - n * HOUR for n in range(SHIFTS + 1)]
    assert {key.valid_from for key in port.asked} == {ARRIVAL}
    assert attempted.error is None


async def test_window_is_not_moved_for_ever(port, attempt):
    port.answers[DOOR] = [refused(WINDOW_SPENT)] * (SHIFTS + 1)
    assert (await attempt()).error.cause.kind == WINDOW_SPENT
    assert len(port.asked) == SHIFTS + 1


@pytest.mark.parametrize(
    ("doors", "kind", "free"),
    [((DOOR,), PIN_CODE, True), ((DOOR, FRONT), PIN_CODE, False), ((DOOR,), RFID_CARD, False)],
)
async def test_only_a_pin_to_a_single_lock_may_be_of_the_vendor_s_choosing(port, attempt, doors, kind, free):
    port.answers = {door: [AWAY] for door in doors}
    await attempt(*doors, kind=kind, arrival=NOW + 5 * HOUR)
    assert [key.any_secret for key in port.asked] == ([False, True] if free else [False] * len(doors))


@pytest.mark.parametrize("answers", [[], [SILENT], [refused(WINDOW_SPENT)]])
async def test_vendor_chooses_no_secret_while_the_lock_is_in_reach(port, attempt, answers):
    port.answers[DOOR] = answers
    await attempt(arrival=NOW + 5 * HOUR)
    assert {key.any_secret for key in port.asked} == {False}


async def test_key_with_a_secret_of_its_own_is_none_where_other_locks_have_another(port, attempt):
    port.chosen = Secret("111111")
    attempted = await attempt(DOOR, FRONT)
    assert attempted.error.cause.kind == PIN_REFUSED
    assert len(port.asked) == 1


async def stay_before(books, end, door=DOOR):
    """Keep a grant of another guest that ends some time."""
    entry, facts = books.requested()
    kept = replace(books.kept(entry, door), since=NOW, until=end)
    await books.ledger.save(Change(entry, facts, (kept,)))


async def test_guest_who_is_still_there_when_another_comes_keeps_the_vendor_from_choosing(
    books, port, attempt
):
    await stay_before(books, NOW + 6 * HOUR)
    port.answers[DOOR] = [AWAY]
    await attempt(arrival=NOW + 5 * HOUR)
    assert [key.any_secret for key in port.asked] == [False]


@pytest.mark.parametrize(("doors", "arrival"), [((DOOR, FRONT), 5 * HOUR), ((DOOR,), timedelta(hours=26))])
async def test_previous_guest_is_not_asked_for_where_nothing_is_rounded(books, port, attempt, doors, arrival):
    await stay_before(books, NOW + HOUR)
    port.answers = {door: [AWAY] for door in doors}
    await attempt(*doors, arrival=NOW + arrival)
    assert {(key.not_before, key.any_secret) for key in port.asked} == {(None, False)}
