"""A cell whose audit log is really kept: documents, objects, keys on SQLite, and a clock that tests move."""

import io
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from infra.local import objects
from infra.local.cipher import LocalCipher
from infra.local.documents import SqliteDocuments
from infra.local.objects import SqliteObjects
from shared.domain.ids import GuestId, PropertyId, ReservationId, RoomId, TenantId
from shared.kernel.ids import DrawnIds
from shared.kernel.log import Log
from shared.ledger.admission import RECORD
from shared.ledger.audit_log import OF_CELL
from shared.ledger.reservation import Reservation, Status
from shared.ledger.stay import Recency, Stay
from shared.ports.documents import Create, Ref
from shared.runtime.indexes import INDEXES
from shared.usecases.audit.anchor_cell import CloseCell, close_cell
from shared.usecases.audit.anchor_tenant import CloseDays, anchor_tenant
from shared.usecases.audit.books import open_book
from shared.usecases.audit.services import PLATFORM, AuditServices
from tests.contract.embedded import SCHEMA, Embedded
from tests.support.audited import ISSUED, PROPERTY, REVOKED, row
from tests.support.mortal import Mortal

SILK = TenantId("tnt_silk")
DAYS = ("2026-11-16", "2026-11-17", "2026-11-18")
CELL = "local"
LAST_WORDS = ("add", "commit", "read", "get", "query")
"""At each of these calls whoever closes a day may die: also while it reads."""


class Steady:
    """Chance that is the same for everybody: roots of two worlds can be compared."""

    def token(self, size):
        return b"k" * size

    def uniform(self, low, high):
        return low


class NotedBus:
    """Notes what is published, by topic; down when it is told to be."""

    def __init__(self):
        self.published, self.down = [], False

    async def publish(self, topic, messages):
        if self.down:
            raise ConnectionError("no bus")
        self.published += [(topic, message) for message in messages]


class AuditHouse:
    """One cell, as whoever audits it has it."""

    def __init__(self, embedded, sealed, entropy):
        self.embedded, self.clock = embedded, embedded.clock
        self.lines, self.bus = io.StringIO(), NotedBus()
        cipher = LocalCipher.at(embedded.folder / "master.key", embedded.entropy, embedded.engine)
        self.on = AuditServices(
            documents=embedded.subject,
            sealed=sealed,
            objects=SqliteObjects(embedded.engine, embedded.clock),
            bus=self.bus,
            cipher=cipher,
            entropy=entropy,
            clock=embedded.clock,
            ids=DrawnIds(embedded.clock.now, embedded.entropy.token),
            log=Log("keyfleet", self.lines),
            cell=CELL,
        )

    @property
    def documents(self):
        return self.on.documents.tenant(SILK)

    def mortal(self, life):
        """Return the services of a process that may die."""
        ports = ("documents", "sealed", "objects")
        return replace(self.on, **{name: Mortal(getattr(self.on, name), life, LAST_WORDS) for name in ports})

    def at(self, text):
        """Set the clock."""
        self.clock._now = datetime.fromisoformat(text).astimezone(UTC)

    async def admit(self, tenant=SILK):
        record = {"id": tenant, "data_residency": CELL, "schema_version": 1, "name": "Silk"}
        await self.on.documents.tenant(tenant).commit([Create(RECORD, record)])

    async def tell(self, *rows, tenant=SILK):
        """Keep rows in the outbox, as whoever told them does."""
        for each in rows:
            document = {**each, "tenantId": tenant, "day": each["audit"]["time"][:10]}
            ref = Ref("outbox", f"{each['aggregateId']}.{each['sequence']:06d}")
            await self.on.documents.tenant(tenant).commit([Create(ref, document)])

    async def close(self, date, on=None, tenants=(SILK, PLATFORM), seen=()):
        """Close a day as the workflow does, two hours after its end."""
        self.at(f"{date}T00:00:00Z")
        self.clock.advance(days=1, hours=2)
        on = on or self.on
        for tenant in tenants:
            while (await anchor_tenant(CloseDays(tenant, date), on))["behind"]:
                pass
        return await close_cell(CloseCell(date, tenants, seen), on)

    async def book(self, tenant=SILK, name="tenant"):
        return await open_book(self.on, tenant, name)

    async def cell(self):
        return await open_book(self.on, PLATFORM, OF_CELL)

    async def headers(self, tenant=SILK):
        """Return what each entry of a tenant's log says."""
        from shared.audit.tiles import ENTRIES, bundled, tile_path, width_of

        book = await self.book(tenant)
        size = book.record.anchored.checkpoint.size
        headers = []
        for number in range((size + 255) // 256):
            content = await book.files.fetch(tile_path(ENTRIES, number, width_of(0, number, size)))
            headers += map(json.loads, bundled(content))
        return headers

    def alerts(self):
        lines = map(json.loads, self.lines.getvalue().splitlines())
        return [line for line in lines if line["severity"] == "ALERT"]

    def everything(self):
        """Return every byte that is stored: documents, objects, and the log's lines."""
        tables = ("id, keys, unpacked(body) FROM packed", "* FROM objects")
        kept = [str(each) for table in tables for each in self.embedded.engine.read(f"SELECT {table}", ())]
        return "\n".join([*kept, self.lines.getvalue()])


@asynccontextmanager
async def audit_house(folder, entropy=None, admitted=True):
    """Run a cell for a while."""

    async def make(embedded):
        main = SqliteDocuments(embedded.engine, embedded.clock, INDEXES, "main")
        await main.prepare()
        return main

    schema = (*SCHEMA, *objects.SCHEMA)
    async with Embedded(folder, make, threaded=False, schema=schema) as embedded:
        sealed = SqliteDocuments(embedded.engine, embedded.clock, (), "sealed")
        await sealed.prepare()
        house = AuditHouse(embedded, sealed, entropy or embedded.entropy)
        if admitted:
            await house.admit()
        yield house


def stay(name, day, hour=10, guest=None, rooms=("rmu_204",), **facts):
    """Return the rows of a key that is issued one day: requested, issued."""
    guest = guest or f"gst_of_{name}"
    window = {"validFrom": f"{day}T14:00:00Z", "validUntil": later(day, 2) + "T11:00:00Z"}
    who = {
        "keyCredentialId": name,
        "propertyId": PROPERTY,
        "guestId": guest,
        "reservationId": f"rsv_of_{name}",
    }
    told = {**who, **window, "rooms": [*rooms], "holderKind": "guest"}
    requested = f"{ISSUED.replace('issued', 'requested')}"
    return [
        row(name, 1, f"{day}T{hour:02}:00:00Z", requested, told, **facts),
        row(name, 2, f"{day}T{hour:02}:00:05Z", ISSUED, {**told, "kind": "pin_code"}, **facts),
    ]


def checked_out(name, day, sequence=3, ok=True, **facts):
    """Return the rows of a key that is taken back: revoked, settled. They name no guest (B §2)."""
    settled = REVOKED.replace("revoked", "revoke_settled")
    about = {"keyCredentialId": name, "propertyId": PROPERTY}
    locks = {"locks": [{"deviceId": "lck_1", "ok": ok}], "vendorRevokeOk": ok}
    stay_of = {"reservationId": f"rsv_of_{name}", "reason": "checked_out"}
    return [
        row(name, sequence, f"{day}T11:00:00Z", REVOKED, {**about, **stay_of}, **facts),
        row(name, sequence + 1, f"{day}T11:00:20Z", settled, {**about, **locks}, **facts),
    ]


def booked(reservation, guest):
    """Return a stay of a guest."""
    start = datetime.fromisoformat(f"{DAYS[0]}T12:00:00Z")
    rooms, end = (RoomId("rmu_101"),), start + timedelta(days=2)
    return Reservation(
        id=ReservationId(reservation),
        status=Status.CONFIRMED,
        standing=Recency(1, start),
        incarnation=1,
        stay=Stay(
            property_id=PropertyId("ppt_kabul"), guest_id=GuestId(guest), rooms=rooms, start=start, end=end
        ),
    )


def later(day, days):
    return (datetime.fromisoformat(day) + timedelta(days=days)).date().isoformat()
