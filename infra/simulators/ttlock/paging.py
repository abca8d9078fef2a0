"""Lists: their orders, and pages that count from 1."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from infra.simulators.kit.errors import Refused
from infra.simulators.ttlock.call import Call

Row = TypeVar("Row")
BY_NAME, NEWEST_FIRST, BY_NAME_REVERSED = 0, 1, 2
LARGEST = 200


def page(
    call: Call, rows: Sequence[Row], show: Callable[[Row], Mapping[str, Any]], largest: int = LARGEST
) -> dict[str, Any]:
    """Return one page of rows; a page that does not exist is empty, one that is too large is refused."""
    number, size = call.number("pageNo"), call.number("pageSize")
    if number < 1 or not 1 <= size <= largest:
        raise Refused(-3)
    shown = rows[(number - 1) * size : number * size]
    return {
        "list": [show(row) for row in shown],
        "pageNo": number,
        "pageSize": size,
        "pages": -(-len(rows) // size),
        "total": len(rows),
    }


def ordered(
    call: Call, rows: Sequence[Row], name: Callable[[Row], str], time: Callable[[Row], int]
) -> list[Row]:
    """Return rows as orderBy asks: by name unless it says otherwise."""
    order = call.choice("orderBy", (BY_NAME, NEWEST_FIRST, BY_NAME_REVERSED), BY_NAME)
    if order == NEWEST_FIRST:
        return sorted(rows, key=time, reverse=True)
    return sorted(rows, key=name, reverse=order == BY_NAME_REVERSED)
