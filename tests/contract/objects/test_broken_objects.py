"""The contract can fail: objects that are wrong in one way each fail the guarantee they break."""

import pytest

from infra.local.delivery.instants import micros
from infra.local.objects import SCHEMA, SqliteObjects
from infra.local.storage.database import checksum
from shared.ports.objects import StoredObject
from tests.contract.embedded import Embedded
from tests.contract.objects.suite import ObjectsContract

CAUGHT = (AssertionError, pytest.fail.Exception)


class Replaces(SqliteObjects):
    """Takes the last word for the right one."""

    async def add(self, name, data, kept_until):
        self.engine._database.writer.execute("DELETE FROM objects WHERE name = ?", (name,))
        await super().add(name, data, kept_until)


class LastWins(SqliteObjects):
    """Writes over whatever is there."""

    async def add(self, name, data, kept_until):
        row = (name, data, micros(kept_until), checksum(data))
        sql = "INSERT OR REPLACE INTO objects (name, data, kept_until, crc) VALUES (?, ?, ?, ?)"
        await self.engine.write(lambda connection: connection.execute(sql, row))


class Trims(SqliteObjects):
    """Reads text."""

    async def read(self, name):
        found = await super().read(name)
        return found and StoredObject(name, found.data.rstrip(b"\x00"), found.kept_until)


class RemovesEarly(SqliteObjects):
    """Does not look at the time."""

    async def remove(self, name):
        self.engine._database.writer.execute("DELETE FROM objects WHERE name = ?", (name,))


class RemovesNever(SqliteObjects):
    """Keeps for ever."""

    async def remove(self, name):
        """Do nothing."""


class ListsByPattern(SqliteObjects):
    """Takes a prefix for a pattern."""

    async def listed(self, prefix="", *, after="", limit=100):
        sql = "SELECT name FROM objects WHERE name > ? AND name LIKE ? || '%' ORDER BY name LIMIT ?"
        return [name for (name,) in self.engine.read(sql, (after, prefix, limit))]


class ListsTheFirstPage(SqliteObjects):
    """Does not look behind it."""

    async def listed(self, prefix="", *, after="", limit=100):
        return [] if after else await super().listed(prefix, limit=limit)


class Forgets(SqliteObjects):
    """Keeps in memory only."""

    async def add(self, name, data, kept_until):
        await super().add(name, data, kept_until)
        self.engine._database.writer.execute("DELETE FROM objects")


BROKEN = {
    "replaces": (Replaces, "test_nothing_is_ever_replaced"),
    "lets every writer win": (LastWins, "test_of_many_writers_at_once_one_wins"),
    "trims": (Trims, "test_an_object_is_read_as_it_was_written"),
    "removes early": (RemovesEarly, "test_an_object_is_not_removed_before_its_time"),
    "removes never": (RemovesNever, "test_an_object_is_removed_after_its_time"),
    "lists by pattern": (ListsByPattern, "test_a_prefix_is_letters_and_no_pattern"),
    "lists the first page": (ListsTheFirstPage, "test_names_are_listed_page_by_page"),
    "forgets": (Forgets, "test_objects_survive_a_restart"),
}


@pytest.mark.parametrize(("kind", "guarantee"), BROKEN.values(), ids=list(BROKEN))
async def test_broken_objects_fail_their_guarantee(tmp_path, kind, guarantee):
    async def make(embedded):
        return kind(embedded.engine, embedded.clock)

    async with Embedded(tmp_path, make, schema=SCHEMA) as setting:
        with pytest.raises((*CAUGHT, AttributeError)):
            await getattr(ObjectsContract(), guarantee)(setting)
