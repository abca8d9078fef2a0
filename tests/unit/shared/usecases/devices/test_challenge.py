"""One lock has one challenge's code at a time: what was put there is taken away before another comes."""

from dataclasses import replace

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import UserId
from shared.ledger.challenge import ChallengeCodes, challenge_of
from shared.usecases.devices.challenge import ChallengeDoor, challenge_door, challenge_over
from tests.unit.shared.ledger.ledgering import KABUL, SILK
from tests.unit.shared.usecases.hotel import ROOMS, door, move_in

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
