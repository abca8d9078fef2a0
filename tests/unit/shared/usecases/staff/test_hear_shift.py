"""A shift is corrected: it was another's."""

from datetime import timedelta
from types import SimpleNamespace

from shared.domain.ids import UserId
from shared.usecases.staff.hear_shift import start_shift
from shared.usecases.staff.held_keys import living_credentials, living_keys
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import HOUR, KABUL, SILK


def started(staff, at, event):
    """Return the word that somebody's shift began."""
    data = SimpleNamespace(
        shift_id="shf_1",
        staff_user_id=staff,
        property_id=KABUL,
        valid_from=at,
        valid_until=at + 8 * HOUR,
        scopes=["rooms:all"],
        role=None,
        kind=None,
    )
    return SimpleNamespace(id=event, tenant_id=SILK, time=at, trace_id=None, data=data)


async def test_shift_that_turns_out_to_be_another_s_leaves_nothing_with_whoever_had_it_first(books):
    await move_in(books, door(1, ROOMS[:1], "pin"))
    now = books.clock.now()
    await start_shift(started("usr_1", now, "evt_1"), books.services)
    assert len(await living_keys(UserId("usr_1"), books.ledger)) == 1
    await start_shift(started("usr_2", now + timedelta(seconds=1), "evt_2"), books.services)
    held = {who: await living_keys(UserId(who), books.ledger) for who in ("usr_1", "usr_2")}
    assert {who: len(keys) for who, keys in held.items()} == {"usr_1": 0, "usr_2": 1}
    assert await living_credentials(UserId("usr_1"), books.ledger) == []
