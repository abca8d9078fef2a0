"""Rows that are found by their id, by their lock, or by a part of their name."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar


class OfLock(Protocol):
    """Anything that belongs to a lock."""

    @property
    def lock_id(self) -> Any:
        """Return the lock it belongs to."""


Row = TypeVar("Row", bound=OfLock)


class ByLock(Generic[Row]):
    """A table with an index, so that a busy hotel costs no more than a small one."""

    def __init__(self) -> None:
        self._rows: dict[Any, Row] = {}
        self._of: defaultdict[Any, dict[Any, Row]] = defaultdict(dict)

    def get(self, row_id: int | str) -> Row | None:
        """Return a row, or nothing."""
        return self._rows.get(row_id)

    def of(self, lock_id: int | str) -> Sequence[Row]:
        """Return a lock's rows, in the order in which they came."""
        return list(self._of[lock_id].values())

    def put(self, row_id: int | str, row: Row) -> None:
        """Add or replace a row."""
        self._rows[row_id] = self._of[row.lock_id][row_id] = row

    def drop(self, row_id: int | str) -> None:
        """Remove a row, if it is there."""
        row = self._rows.pop(row_id, None)
        if row is not None:
            del self._of[row.lock_id][row_id]


def resembles(name: str, search: str) -> bool:
    """Tell whether a fuzzy search finds a name: it is contained, whatever the case."""
    return search.casefold() in name.casefold()
