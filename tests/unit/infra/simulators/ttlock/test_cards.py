"""IC cards: two byte orders, a thousand places, and no forgiveness for unknown ones."""

import pytest

from tests.unit.infra.simulators.ttlock.integrator import DAY, OTHER_ROOM, ROOM


async def add(sim, number="3661413478", path="add", **fields):
    """Add a card for a day, over the gateway unless said otherwise."""
    fields = {"cardName": "card", "addType": 2, "startDate": sim.ms, "endDate": sim.ms + DAY, **fields}
    return await sim.post(f"/v3/identityCard/{path}", lockId=ROOM, cardNumber=number, **fields)


async def cards(sim, **fields):
    """List a lock's cards."""
    return (await sim.get("/v3/identityCard/list", lockId=ROOM, pageNo=1, pageSize=9, **fields))["list"]


async def test_a_card_opens_within_its_window(sim):
    assert isinstance((await add(sim))["cardId"], int)
    assert await sim.try_door(card="3661413478") == "open"
    assert await sim.try_door(OTHER_ROOM, card="3661413478") == "unknown"
    sim.wait(days=1)
    assert await sim.try_door(card="3661413478") == "expired"


async def test_a_card_of_the_other_byte_order_is_listed_turned_round(sim):
    await add(sim, path="addForReversedCardNumber")
    assert [row["cardNumber"] for row in await cards(sim)] == ["1723612378"]
    assert await sim.try_door(card="1723612378") == "open"


async def test_by_default_a_card_exists_in_the_cloud_alone(sim):
    await add(sim, addType=None)
    assert await sim.try_door(card="3661413478") == "never_written"


async def test_a_card_may_be_for_ever_but_not_become_so(sim):
    row = await add(sim, startDate=0, endDate=0)
    sim.wait(days=80)
    assert await sim.try_door(card="3661413478") == "open"
    assert await change(sim, row, startDate=0, endDate=0) == -3


async def change(sim, row, **fields):
    """Change a card's window over the gateway."""
    fields = {"lockId": ROOM, "cardId": row["cardId"], "changeType": 2, **fields}
    return (await sim.post("/v3/identityCard/changePeriod", **fields))["errcode"]


async def test_a_window_changes_at_the_door_over_the_gateway_only(sim):
    row = await add(sim)
    longer = {"startDate": sim.ms, "endDate": sim.ms + 3 * DAY}
    assert await change(sim, row, **longer, changeType=1) == 0
    sim.wait(days=2)
    assert await sim.try_door(card="3661413478") == "expired"
    assert await change(sim, row, **longer) == 0
    assert await sim.try_door(card="3661413478") == "open"
    assert (await cards(sim))[0]["endDate"] == longer["endDate"]


@pytest.mark.parametrize(("method", "verdict"), [(None, "open"), (2, "unknown")])
async def test_a_card_is_taken_out_of_the_lock_over_the_gateway_only(sim, method, verdict):
    row = await add(sim)
    fields = {"lockId": ROOM, "cardId": row["cardId"], "deleteType": method}
    assert (await sim.post("/v3/identityCard/delete", **fields))["errcode"] == 0
    assert await cards(sim) == []
    assert await sim.try_door(card="3661413478") == verdict
    assert (await sim.post("/v3/identityCard/delete", **fields))["errcode"] == -1021


async def test_an_unknown_card_cannot_be_changed(sim):
    assert await change(sim, {"cardId": 1}, startDate=sim.ms, endDate=sim.ms + DAY) == -1021


async def test_a_card_that_is_added_again_keeps_its_id_and_takes_the_new_window(sim):
    first = await add(sim)
    again = await add(sim, endDate=sim.ms + 2 * DAY, cardName="second guest")
    assert first == again
    assert [row["cardName"] for row in await cards(sim)] == ["second guest"]
    sim.wait(days=1)
    assert await sim.try_door(card="3661413478") == "open"


async def test_the_lock_has_room_for_a_thousand_cards(sim):
    for number in range(1000):
        await add(sim, str(number))
    assert (await add(sim, "5000"))["errcode"] == -4056
    assert "cardId" in await add(sim, "999")


async def test_cards_are_searched_by_name_alone(sim):
    await add(sim, "111", cardName="MM-abc")
    await add(sim, "222", cardName="other")
    assert [row["cardNumber"] for row in await cards(sim, searchStr="mm-")] == ["111"]
    assert await cards(sim, searchStr="222") == []


@pytest.mark.parametrize("fields", [{"number": "4294967296"}, {"number": "12a"}, {"cardType": 4}])
async def test_an_impossible_card_is_refused(sim, fields):
    assert (await add(sim, **fields))["errcode"] == -3


async def test_a_lock_without_a_reader_says_so(at_a_hotel, hotel):
    sim = await at_a_hotel(locks=[{**lock, "featureValue": "1"} for lock in hotel["locks"]])
    assert (await add(sim))["errcode"] == -4043
