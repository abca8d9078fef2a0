"""SQLite as anybody would open it, every commit on the disk: the raw limit of whatever is durable here."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from infra.bench.rounds import each_second
from infra.local.storage.connection import connect

Row = tuple[Any, ...]
SHIPPED = ("PRAGMA wal_autocheckpoint=1000", "PRAGMA secure_delete=OFF", "PRAGMA cache_size=-2000")
"""SQLite's own defaults, where the fleet's connections choose otherwise."""


class PlainSqlite:
    """A write-ahead log, synchronous FULL, and nothing else."""

    def __init__(self, path: Path) -> None:
        self._connection = connect(path)
        for pragma in SHIPPED:
            self._connection.execute(pragma)
        self._connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")

    def keep(self, bodies: Sequence[str]) -> None:
        """Insert some rows in one commit."""
        self.commit("INSERT INTO rows (body) VALUES (?)", [(body,) for body in bodies])

    def commit(self, statement: str, rows: Sequence[Row]) -> None:
        """Run a statement for each row in one commit."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(statement, rows)
        self._connection.execute("COMMIT")

    @contextmanager
    def transaction(self) -> Iterator[Callable[..., object]]:
        """Commit whatever is executed inside."""
        self._connection.execute("BEGIN IMMEDIATE")
        yield self._connection.execute
        self._connection.execute("COMMIT")

    def execute(self, statement: str) -> None:
        """Run a statement by itself."""
        self._connection.execute(statement)

    def rows_per_second(self, body: str, together: int, seconds: float) -> float:
        """Return how many rows a second can be kept, so many of them to a commit."""
        return together * each_second(lambda: self.keep([body] * together), seconds)

    def setting(self, name: str) -> Any:
        """Return what SQLite says of one of its settings."""
        return self._connection.execute(f"PRAGMA {name}").fetchone()[0]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


@contextmanager
def plain_sqlite(path: Path) -> Iterator[PlainSqlite]:
    """Open a new database for a while."""
    opened = PlainSqlite(path)
    try:
        yield opened
    finally:
        opened.close()
