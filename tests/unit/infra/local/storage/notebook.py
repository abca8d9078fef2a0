"""A small part of a fleet for storage tests: notes, one row each, that carry their checksum."""

import random
import sqlite3
from contextlib import asynccontextmanager, closing, contextmanager
from functools import partial

from infra.local.counters import Counters
from infra.local.faults import NoFaults
from infra.local.storage.database import checksum, open_database
from infra.local.storage.disk import Disk
from infra.local.storage.engine import Engine

SCHEMA = (
    """CREATE TABLE IF NOT EXISTS notes (
        name TEXT PRIMARY KEY, payload TEXT NOT NULL, crc INTEGER NOT NULL,
        CHECK (crc = checksum(payload)))""",
    "CREATE INDEX IF NOT EXISTS notes_title ON notes (substr(payload, 1, 9))",
)


class SlowDisk(Disk):
    """A disk that is always waited for on the thread, if there is one."""

    quick = False


KEEP = "INSERT INTO notes VALUES (?, ?, ?)"


def open_notebook(folder, **options):
    """Open the database of a folder."""
    return open_database(folder / "fleet.db", SCHEMA, random.Random(5).randbytes, **options)


@asynccontextmanager
async def running(folder, *, faults=None, threaded=True, **options):
    """Run an engine on a folder for a while."""
    engine = start(folder, faults=faults, threaded=threaded, **options)
    try:
        yield engine
    finally:
        await engine.close()


def start(folder, *, faults=None, threaded=True, **options):
    """Start an engine on a folder."""
    database = open_notebook(folder, **options)
    engine = Engine(
        database, faults=faults or NoFaults(), counters=Counters(), threaded=threaded, disk=SlowDisk()
    )
    engine.start()
    return engine


@contextmanager
def held(engine):
    """Hold the write lock for a while, as somebody with a SQLite shell would."""
    engine._database.writer.execute("PRAGMA busy_timeout=10")
    with closing(sqlite3.connect(engine._database.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def keep(name, payload="x"):
    """Return the operation that writes one note and returns its name."""
    return partial(_keep, str(name), payload)


def _keep(name, payload, connection):
    connection.execute(KEEP, (name, payload, checksum(payload)))
    return name


def names(engine):
    """Return the names of all notes, in order."""
    return [name for (name,) in engine.read("SELECT name FROM notes ORDER BY name")]


def notes(folder, **options):
    """Open a folder for long enough to return all its notes."""
    database = open_notebook(folder, **options)
    try:
        return dict(database.reader.execute("SELECT name, payload FROM notes NOT INDEXED").fetchall())
    finally:
        database.close()
