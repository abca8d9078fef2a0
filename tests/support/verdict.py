"""What must be true of a stay once the dust has settled: the ledger's file and the vendor's doors agree."""

import http.client
import json
from contextlib import closing

from infra.emulated.fleet import NOTE
from infra.local.storage.connection import connect_to_look
from shared.gcp.documents.form import BODY
from tests.support.sample_hotel import owed

ISSUED = "melmastoon.lock.credential.issued.v1"
DOORS = {1000101: "room", 1000001: "front"}
"""The locks that one stay in room 101 concerns."""


class Books:
    """A fleet's ledger as it lies on the disk; nobody need be alive to read it."""

    def __init__(self, home):
        self._file = home / "fleet.db"

    def read(self, sql, *parameters):
        """Return rows of the last commit."""
        with closing(connect_to_look(self._file)) as reader:
            return reader.execute(sql, parameters).fetchall()

    def of(self, collection):
        """Return all documents of a collection by id."""
        rows = self.read("SELECT id, unpacked(body) FROM packed WHERE collection = ? ORDER BY id", collection)
        return {identity: json.loads(body) for identity, body in rows}

    def keys(self, reservation="rsv_1"):
        """Return the entries of a stay's keys."""
        entries = self.of("credentials").values()
        return [e for e in entries if e["credential"]["core"]["holder"]["reservation_id"] == reservation]

    def grants(self, key):
        """Return all grants a key ever had."""
        return [each for each in self.of("grants").values() if each["credential_id"] == key]

    @property
    def settled(self):
        """Whether nothing is owed to any key, and no saga is under way."""
        active = self.read("SELECT count(*) FROM executions WHERE state = 'ACTIVE'")[0][0]
        return not active and not any(map(owed, self.of("credentials").values()))

    def events(self, key):
        """Return a key's events, in the order of their names."""
        return [row for name, row in self.of("outbox").items() if name.startswith(f"{key}.")]


class GoogleBooks(Books):
    """The same ledger as Firestore's emulator has it, asked by REST."""

    def __init__(self, home, address):
        super().__init__(home)
        self._home, self._address = home, address

    @property
    def project(self):
        """The home's project."""
        return json.loads((self._home / NOTE).read_text())["name"]

    def of(self, collection):
        """Return all documents of a collection by id."""
        database = "keyfleet-sealed" if collection == "key_secrets" else "keyfleet"
        path = f"/v1/projects/{self.project}/databases/{database}/documents/tenants/tnt_silk/{collection}"
        connection = http.client.HTTPConnection(self._address, timeout=20)
        try:
            connection.request("GET", f"{path}?pageSize=300", headers={"authorization": "Bearer owner"})
            found = json.loads(connection.getresponse().read()).get("documents", ())
        finally:
            connection.close()
        kept = {each["name"].rpartition("/")[2]: each["fields"] for each in found}
        return {id_: json.loads(fields[BODY]["stringValue"]) for id_, fields in sorted(kept.items())}


def listed(state, lock):
    """Return the passcodes that the vendor lists at a lock."""
    (found,) = (each for each in state["locks"] if each["lockId"] == lock)
    return found["listed"]["passcodes"]


def inside(state, lock):
    """Return the codes in a lock's own memory."""
    (found,) = (each for each in state["locks"] if each["lockId"] == lock)
    return [code["code"] for code in found["codes"]]


def assert_one_active_key(books, state, reservation="rsv_1"):
    """The stay has one key, active, once at each of its locks, and told once."""
    (entry,) = books.keys(reservation)
    assert entry["credential"]["state"]["type"] == "active"
    assert_everything_told(books, entry)
    placed = [g["grant"] for g in books.grants(_id(entry)) if g["grant"]["state"]["type"] != "removed"]
    assert [grant["state"]["type"] for grant in placed] == ["placed"] * len(DOORS)
    assert len({grant["device_id"] for grant in placed}) == len(DOORS)
    for lock in DOORS:
        (row,) = listed(state, lock)
        assert [row["code"]] == inside(state, lock)
    assert len({listed(state, lock)[0]["code"] for lock in DOORS}) == 1


def assert_taken_back(books, state, reservation="rsv_1"):
    """The stay's key is revoked, settled at every lock, and no lock knows it."""
    (entry,) = books.keys(reservation)
    ended = entry["credential"]["state"]
    assert ended["type"] == "revoked"
    assert [lock["ok"] for lock in ended["settlement"]] == [True] * len(DOORS)
    assert {g["grant"]["state"]["type"] for g in books.grants(_id(entry))} == {"removed"}
    assert_everything_told(books, entry)
    for lock in DOORS:
        assert listed(state, lock) == inside(state, lock) == []
    assert not [name for name in books.of("key_secrets") if name.startswith(_id(entry))]


def assert_nothing_left(books, state, reservation="rsv_1"):
    """Whatever became of the stay's key, no lock knows it, every grant is over, and nothing is owed."""
    (entry,) = books.keys(reservation)
    assert entry["credential"]["state"]["type"] in ("revoked", "failed")
    assert {each["grant"]["state"]["type"] for each in books.grants(_id(entry))} <= {"removed"}
    assert_sequence_whole(books, entry)
    for lock in DOORS:
        assert listed(state, lock) == inside(state, lock) == []


def assert_everything_told(books, entry):
    """Nothing is owed, and the key was issued once."""
    assert_sequence_whole(books, entry)
    assert len([row for row in books.events(_id(entry)) if row["subject"] == ISSUED]) == 1


def assert_sequence_whole(books, entry):
    """The sequence has no gap, and what the entry counts is what is kept and told."""
    rows = books.events(_id(entry))
    assert [row["sequence"] for row in rows] == list(range(1, entry["credential"]["sequence"] + 1))
    assert len({row["eventId"] for row in rows}) == len(rows)
    assert entry["announced"] == len(rows)
    assert not owed(entry)


def _id(entry):
    return entry["credential"]["core"]["id"]
