"""Rows that are found by their id and by their lock."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar


class OfLock(Protocol):
    """Anything that belongs to a lock."""

    @property
    def lock_id(self) -> int:
        """Return the lock it belongs to."""


Row = TypeVar("Row", bound=OfLock)


class ByLock(Generic[Row]):
    """A table with an index, so that a busy hotel costs no more than a small one."""

    def __init__(self) -> None:
        self._rows: dict[int, Row] = {}
        self._of: defaultdict[int, dict[int, Row]] = defaultdict(dict)

    def get(self, row_id: int) -> Row | None:
        """Return a row, or nothing."""
        return self._rows.get(row_id)

    def of(self, lock_id: int) -> Sequence[Row]:
        """Return a lock's rows, in the order in which they came."""
        return list(self._of[lock_id].values())

    def put(self, row_id: int, row: Row) -> None:
        """Add or replace a row."""
        self._rows[row_id] = self._of[row.lock_id][row_id] = row

    def drop(self, row_id: int) -> None:
        """Remove a row, if it is there."""
        row = self._rows.pop(row_id, None)
        if row is not None:
            del self._of[row.lock_id][row_id]
