"""One lock has one challenge's code at a time: what was put there is taken away before another comes."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId
from shared.domain.lock_errors import KeyIssueFailed, LockErrorCause, VendorUnreachable
from shared.ledger.challenge import ChallengeCodes, challenge_of
from shared.ledger.sealed_keys import SealedKeys
from shared.usecases.devices.challenge import (
    ChallengeDoor,
    challenge_door,
    challenge_over,
    work_on_challenge,
)
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import KABUL, MOCK, SILK

LOCK = door(1, ROOMS[:1], "pin")
ASKED = ChallengeDoor(SILK, KABUL, LOCK.id, UserId("usr_7"))


async def test_no_second_code_is_told_while_the_first_is_at_the_lock(books):
    await move_in(books, LOCK)
    codes = ChallengeCodes(books.vault.tenant(SILK), books.cipher)
    await challenge_door(ASKED, codes, books.services)
    await challenge_door(ASKED, codes, books.services)  # nothing is at the lock yet: asked again in time
    placed = replace(await challenge_of(LOCK.id, books.documents), placed=True)
    placed = await placed.saved(books.documents)
    with pytest.raises(InvalidInput, match="challenged already"):
        await challenge_door(ASKED, codes, books.services)
    assert (await challenge_of(LOCK.id, books.documents)).turn == placed.turn
    await challenge_over(placed, codes, books.services)
    await challenge_door(ASKED, codes, books.services)


async def test_code_that_could_not_be_taken_away_keeps_no_lock_from_being_challenged_for_ever(books):
    await move_in(books, LOCK)
    codes = ChallengeCodes(books.vault.tenant(SILK), books.cipher)
    await challenge_door(ASKED, codes, books.services)
    await replace(await challenge_of(LOCK.id, books.documents), placed=True).saved(books.documents)
    books.clock.advance(hours=2)
    await challenge_door(ASKED, codes, books.services)


class Lock:
    """A lock that has codes by their names, as its vendor's adapter speaks to it."""

    def __init__(self):
        self.codes, self.refusal = {}, None

    async def place(self, key):
        if self.refusal is not None:
            raise self.refusal
        self.codes[key.name] = key.secret.reveal()

    async def remove(self, key):
        if self.refusal is not None:
            raise self.refusal
        self.codes.pop(key.name, None)


@pytest.fixture
async def bench(books):
    """A lock on the bench: its hotel, its codes and its adapter."""
    await move_in(books, LOCK)
    lock, codes = Lock(), ChallengeCodes(books.vault.tenant(SILK), books.cipher)
    desk = SimpleNamespace(port=lock, secrets=SealedKeys(books.vault.tenant(SILK), books.cipher, MOCK))

    async def at(*_):
        return desk

    async def work():
        return await work_on_challenge(ASKED, books.services, SimpleNamespace(at=at), codes)

    async def ask():
        return (await challenge_door(ASKED, codes, books.services))["code"]

    return SimpleNamespace(books=books, lock=lock, codes=codes, work=work, ask=ask)


async def last(bench):
    return await challenge_of(LOCK.id, bench.books.documents)


async def test_of_two_who_ask_at_once_one_is_told_the_code_that_goes_to_the_lock(bench):
    said = await asyncio.gather(bench.ask(), bench.ask(), return_exceptions=True)
    (code,) = [each for each in said if isinstance(each, str)]
    (refused,) = [each for each in said if isinstance(each, InvalidInput)]
    assert refused.problem == "challenged already"
    await bench.work()
    assert list(bench.lock.codes.values()) == [code]


async def test_code_whose_answer_was_lost_leaves_the_lock_before_the_next_comes(bench):
    first = await bench.ask()
    lost = await last(bench)
    bench.lock.codes[lost.name] = first  # it was placed, and whoever did so died
    second = await bench.ask()
    await bench.work()
    assert list(bench.lock.codes.values()) == [second]
    bench.lock.codes[lost.name] = first  # or it came late
    bench.books.clock.advance(minutes=11)
    await bench.work()
    assert bench.lock.codes == {}
    assert (await last(bench)).over


async def test_challenge_that_its_lock_refuses_for_good_is_over_and_another_may_be_asked_for(bench):
    await bench.ask()
    bench.lock.refusal = KeyIssueFailed(vendor=MOCK, cause=LockErrorCause("not_supported"), permanent=True)
    assert (await bench.work())["outcome"] == "done"
    ended = await last(bench)
    assert (ended.over, ended.cause) == (True, "not_supported")
    assert await bench.codes.find(ended) is None
    bench.lock.refusal = None
    code = await bench.ask()
    await bench.work()
    assert list(bench.lock.codes.values()) == [code]


async def test_code_that_will_not_be_taken_away_is_asked_for_an_hour_and_then_said(bench):
    await bench.ask()
    await bench.work()
    bench.lock.refusal = VendorUnreachable(vendor=MOCK, cause=LockErrorCause("timeout"))
    bench.books.clock.advance(minutes=11)
    calls = 0
    while (said := await bench.work())["outcome"] == "retry":
        bench.books.clock.advance(seconds=said["after_seconds"])
        calls += 1
    assert 10 <= calls <= 15
    assert ((await last(bench)).over, (await last(bench)).cause) == (True, "timeout")
    (line,) = [each for each in bench.books.lines if each["message"].startswith("a challenge's code may")]
    assert line["deviceId"] == LOCK.id
