"""An operator who asks what `doctor` and `residue list` ask, each minute, and goes to the doors.

| who asks finds | so it must be told |
|---|---|
| a key at a door that should be gone or rest for two minutes | as a residue of that lock, which is counted |
| a stay that has begun, without its key at one of its doors | its key or stay by name |
| nothing owed to anybody, when it is quiet | no residue, and nobody at a door: a cry of wolf is a lie too |
"""

import asyncio
from datetime import timedelta

from shared.domain.instants import instant_from_text
from shared.ledger.grant_record import Wish, grant_from
from shared.ports.documents import Document, Ref, StoredUnreadable
from shared.queries.attention import attention, residues
from shared.queries.hotels import Cell
from shared.runtime.indexes import INDEXES
from tests.chaos.small_world.documents import MemoryDocuments
from tests.chaos.small_world.hotel import doors_of
from tests.chaos.small_world.scene import TENANT

GRACE = timedelta(minutes=2)
CLOSED = (Wish.GONE, Wish.REST)


class Calm:
    """The air where nothing ever goes wrong: who only looks changes nothing."""

    def __init__(self):
        self.weather = self

    async def passes(self, place):
        """Let it through."""

    def strikes(self, fault):
        """Do nothing to anybody."""
        return False


class Onlooker:
    """Whoever asks and looks."""

    def __init__(self, world):
        self._world, self._doors_of = world, doors_of(world.house)
        self._cell = Cell(MemoryDocuments(world.main, world.clock, INDEXES, Calm()), "local")
        self._read, self._kept = None, []
        self.protests: list[str] = []

    async def look_each_minute(self):
        """Ask and look, until somebody ends this."""
        while True:
            await asyncio.sleep(60)
            await self.look()

    async def look(self, *, settled=False):
        """Ask and look once; that nobody can be told anything is no all-clear either."""
        try:
            await self._look(settled)
        except StoredUnreadable as unreadable:
            self._note(self._world.clock.now(), [f"nobody can be told anything: {unreadable}"])

    async def _look(self, settled):
        now = self._world.clock.now()
        told, left = await attention(self._cell, now), await residues(self._cell, None, now)
        listed = {(each["device"], each["vendor_name"]) for each in left}
        seen = [key for key in self._world.doors.at_doors() if key.end > now.timestamp()]
        shut_out = () if self._closed else self._shut_out(seen, told, now)
        self._note(now, [*self._strangers(seen, listed, now), *shut_out])
        counted = len({each["device"] for each in left})
        if counted != told["residual_locks"]:
            self._note(
                now, [f"residues at {counted} locks are listed, and {told['residual_locks']} are counted"]
            )
        if settled and (listed or told["keys_at_the_door"]):
            self._note(now, [f"nothing is owed, and {sorted(listed)} {told['keys_at_the_door']} are told of"])

    def _note(self, now, found):
        self.protests += [f"{now:%H:%M}: {problem}" for problem in found]

    def _strangers(self, seen, listed, now):
        """Go through the keys at the doors that should not be there, and that nobody tells of."""
        grants = {(str(kept.grant.device_id), kept.grant.vendor_name): kept for kept in self._grants()}
        for place, kept in ((place, grants.get(place)) for place in {(key.device, key.name) for key in seen}):
            if kept is None:
                continue  # no grant ever said so: the judge asks about those
            if kept.over:
                yield f"{place} is called removed, and opens the door"
            late = now - (kept.wished_at or kept.grant.changed_at) >= GRACE
            if kept.wish in CLOSED and late and place not in listed:
                yield f"{place} is to be {kept.wish} since {kept.wished_at}, opens, and is no residue"

    def _shut_out(self, seen, told, now):
        """Go through the stays whose key failed, or that have begun and lack a key, and nobody is called.

        A guest who moves is to get into the new rooms: the old ones are not of the stay any more.
        """
        called = {*told["keys_at_the_door"], *(each["key"] for each in told["failed"])}
        names = {(key.device, key.name) for key in seen}
        keys = self._rows("credentials")
        for id_, stay in self._rows("reservations").items():
            if stay["status"] != "confirmed" or stay.get("holds") or id_ in told["keyless_stays"]:
                continue
            for key in stay["credentials"]:
                if key not in keys:
                    yield f"{id_}: its record names {key}, which is not in the ledger"
                    continue
                if key in called:
                    continue
                yield from (
                    f"{id_}: {key} {what}, and nobody is called"
                    for what in self._amiss(keys[key], key, names, now)
                )

    def _amiss(self, row, key, names, now):
        """Say what of a key somebody is to be called for."""
        core = row["credential"]["core"] | (row.get("amends") or {})
        start, end = (instant_from_text(core["window"][side], side) for side in ("start", "end"))
        if row["credential"]["state"]["type"] == "failed" and now < end:
            yield "failed"
        if start <= now:
            placed = {
                (str(kept.grant.device_id), kept.grant.vendor_name)
                for kept in self._grants()
                if kept.grant.credential_id == key
            }
            wanted = {door for door, rooms in self._doors_of.items() if rooms & {*core["rooms"]}}
            if wanted - {door for door, _ in placed & names}:
                yield "lacks a door"

    @property
    def _closed(self):
        """Whether the hotel is closed: its guests are somebody else's to help."""
        return any(hotel.get("closed_at") for hotel in self._rows("properties").values())

    def _rows(self, collection):
        rows = self._world.main.rows.get((TENANT, collection), {})
        return {id_: row.values for id_, row in rows.items()}

    def _grants(self):
        """Return the grants, which are read once for as long as nothing is written."""
        if self._read != self._world.main.version:
            self._read, rows = self._world.main.version, self._world.main.rows.get((TENANT, "grants"), {})
            # At their versions, as the fleet reads them: what either took apart the other need not.
            found = (Document(Ref("grants", id_), row.values, str(row.version)) for id_, row in rows.items())
            self._kept = list(map(grant_from, found))
        return self._kept
