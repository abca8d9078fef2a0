"""After somebody accepted a loss: every row that can still be read and passes its checksum, in a new file."""

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from infra.local.storage.connection import connect, connect_to_look, create_tables, keep_schema
from infra.local.storage.private import create_private

TABLES = "SELECT name, wr FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"

DESCRIBED = "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"

VIEWS = "SELECT name, type FROM sqlite_master WHERE type = 'view'"


def salvage(path: Path, schema: tuple[str, ...]) -> None:
    """Fill a new database from the damaged one, which is kept beside it, and put the new one in its place."""
    draft = path.with_name(path.name + ".salvaging")
    for leftover in path.parent.glob(draft.name + "*"):
        leftover.unlink()
    create_private(draft)
    with contextlib.closing(connect(draft)) as new, contextlib.closing(connect_to_look(path)) as old:
        create_tables(new, schema)
        new.execute("BEGIN IMMEDIATE")
        _describe_alike(old, new)
        damaged, anew, views = _tables(old), _tables(new), dict(_readable(old, VIEWS))
        for table, without_rowid in anew.items():
            if table in views:
                continue  # a release before kept in a table what this one only shows
            # A release may have changed how a table keeps its rows.
            both = not without_rowid and not damaged.get(table, without_rowid)
            _copy(old, new, table, ("rowid",) if both else ())
        new.execute("COMMIT")
    draft.rename(_finished(path))
    finish_salvage(path)


def finish_salvage(path: Path) -> None:
    """Put a finished salvage in its place; begun again after a crash, it goes on where it was."""
    if not _finished(path).exists():
        return
    aside = first_free(path)
    for suffix in ("-wal", ""):
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.rename(aside.with_name(aside.name + suffix))
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    _finished(path).rename(path)


def _finished(path: Path) -> Path:
    return path.with_name(path.name + ".salvaged")


def copy_aside(path: Path, aside: Path) -> None:
    """Keep a file that is going to be used on, and its log, as they are now."""
    for suffix in ("", "-wal"):
        source, copy = path.with_name(path.name + suffix), aside.with_name(aside.name + suffix)
        if source.exists():
            create_private(copy)
            shutil.copy2(source, copy)


def first_free(path: Path) -> Path:
    """Return a name beside the file under which nothing is kept yet."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    return aside


def _tables(connection: sqlite3.Connection) -> dict[str, int]:
    """Return which tables there are, and which of them are without rowids, as far as it can be read."""
    return dict(_readable(connection, TABLES))


def _describe_alike(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Have a table as the old file describes it if its columns are others: whoever opens it takes it in."""
    for table, description in _readable(old, DESCRIBED):
        if _columns(old, table) != _columns(new, table):
            with contextlib.suppress(sqlite3.Error):
                new.execute(f'DROP TABLE IF EXISTS "{table}"')
                new.execute(description)
    keep_schema(new)


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in _readable(connection, f'PRAGMA table_info("{table}")')]


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, table: str, rowid: tuple[str, ...]) -> None:
    table_info = new.execute(f'PRAGMA table_info("{table}")')
    described = [(f'"{name}"', place) for _, name, *_, place in table_info]
    columns = (*rowid, *(name for name, _ in described))
    names, holes = ", ".join(columns), ", ".join("?" * len(columns))
    keys = rowid or [name for name, place in described if place]
    insert = f'INSERT OR IGNORE INTO "{table}" ({names}) VALUES ({holes})'  # noqa: S608 - our names
    # From both ends: a broken page stops the walk at it, and what lies behind is reached from the other side.
    for direction in ("ASC", "DESC"):
        order = ", ".join(f"{key} {direction}" for key in keys)
        for row in _readable(old, f'SELECT {names} FROM "{table}" NOT INDEXED ORDER BY {order}'):  # noqa: S608 - our names
            with contextlib.suppress(sqlite3.Error, UnicodeError):
                new.execute(insert, row)


def _readable(connection: sqlite3.Connection, query: str) -> Iterator[tuple[Any, ...]]:
    with contextlib.suppress(sqlite3.Error, UnicodeError):
        yield from connection.execute(query)
