"""IC cards: their numbers are written to the lock, which recognises them by itself."""

from dataclasses import replace
from typing import Any

from infra.simulators.kit.call import whole_number
from infra.simulators.kit.door import Written
from infra.simulators.kit.errors import Refused
from infra.simulators.kit.rows import resembles
from infra.simulators.kit.windows import ALWAYS
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.door import CARD_SPACE, Door
from infra.simulators.ttlock.errors import FINE
from infra.simulators.ttlock.gateway_link import door_in_reach
from infra.simulators.ttlock.hotel import CARD, has_feature
from infra.simulators.ttlock.operation import Answer, get, post
from infra.simulators.ttlock.paging import ordered, page
from infra.simulators.ttlock.rows import Card

NORMAL = 1
NUMBER_BYTES = 4


async def add(cloud: Cloud, call: Call) -> Answer:
    """Add a card by the number that the vendor's own reader shows."""
    return await _add(cloud, call, _number(call))


async def add_reversed(cloud: Cloud, call: Call) -> Answer:
    """Add a card by the number of a reader with the other byte order; the list shows it turned round."""
    turned = int.from_bytes(int(_number(call)).to_bytes(NUMBER_BYTES), "little")
    return await _add(cloud, call, str(turned))


async def change_period(cloud: Cloud, call: Call) -> Answer:
    """Give a card another window, which cannot be for ever."""
    row, window = _listed_card(cloud, call), call.window()
    if window == ALWAYS:
        raise Refused(-3)
    if call.by_gateway("changeType"):
        async with door_in_reach(cloud, row.lock_id) as door:
            _write(door, row.number, Written(window.to_the_minute()))
    cloud.cards.put(row.card_id, replace(row, window=window))
    return FINE


async def delete(cloud: Cloud, call: Call) -> Answer:
    """Take a card off the list, and out of the lock only when told to use the gateway."""
    row = _listed_card(cloud, call)
    if call.by_gateway("deleteType"):
        async with door_in_reach(cloud, row.lock_id) as door:
            door.cards.pop(row.number, None)
    cloud.cards.drop(row.card_id)
    return FINE


async def list_cards(cloud: Cloud, call: Call) -> Answer:
    """Return a lock's cards; a search is by name alone."""
    lock, search = call.own_lock(cloud), call.optional("searchStr") or ""
    rows = [row for row in cloud.cards.of(lock.lock_id) if resembles(row.name, search)]
    return page(call, ordered(call, rows, lambda row: row.name, lambda row: row.card_id), _shown)


async def _add(cloud: Cloud, call: Call, number: str) -> Answer:
    lock = call.own_lock(cloud)
    call.choice("cardType", (NORMAL,), NORMAL)
    if not has_feature(lock.feature_value, CARD):
        raise Refused(-4043)
    window = call.window()
    if call.by_gateway("addType"):
        async with door_in_reach(cloud, lock.lock_id) as door:
            _write(door, number, Written(window.to_the_minute()))
    row = Card(
        card_id=_id_of(cloud, lock.lock_id, number),
        lock_id=lock.lock_id,
        number=number,
        name=call.optional("cardName") or "",
        kind=NORMAL,
        window=window,
        created_ms=cloud.now_ms(),
        sender=call.account.username,
    )
    cloud.cards.put(row.card_id, row)
    return {"cardId": row.card_id}


def _number(call: Call) -> str:
    number = call.text("cardNumber")
    if not 0 <= whole_number(number, call.malformed) < 1 << 8 * NUMBER_BYTES:
        raise Refused(-3)
    return number


def _id_of(cloud: Cloud, lock_id: int, number: str) -> int:
    # A card that is added again keeps its id and loses its old window.
    same = [row.card_id for row in cloud.cards.of(lock_id) if row.number == number]
    return same[0] if same else cloud.next_id()


def _write(door: Door, number: str, written: Written) -> None:
    if number not in door.cards and len(door.cards) >= CARD_SPACE:
        raise Refused(-4056)
    door.cards[number] = written


def _listed_card(cloud: Cloud, call: Call) -> Card:
    lock = call.own_lock(cloud)
    row = cloud.cards.get(call.number("cardId"))
    if row is None or row.lock_id != lock.lock_id:
        raise Refused(-1021)
    return row


def _shown(row: Card) -> dict[str, Any]:
    return {
        "cardId": row.card_id,
        "lockId": row.lock_id,
        "cardNumber": row.number,
        "cardName": row.name,
        "cardType": row.kind,
        "startDate": row.window.start,
        "endDate": row.window.end,
        "createDate": row.created_ms,
        "senderUsername": row.sender,
    }


OPERATIONS = (
    post("/v3/identityCard/add", add),
    post("/v3/identityCard/addForReversedCardNumber", add_reversed),
    post("/v3/identityCard/changePeriod", change_period),
    post("/v3/identityCard/delete", delete),
    get("/v3/identityCard/list", list_cards),
)
