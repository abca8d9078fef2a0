"""The setting of the streams contract: aggregates of some kind, what happens to them, and the one sweeper."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import ClassVar

import orjson

from infra.local.documents import SqliteDocuments
from shared.domain.commands import Accept, Provision
from shared.domain.device_health import Looked
from shared.domain.ids import EventId, LockDeviceId, PropertyId
from shared.domain.instants import instant_to_text, milliseconds
from shared.domain.kinds import VendorCode
from shared.events.compose import Stamp, compose
from shared.events.device import DeviceOfflineV1, DeviceOnlineV1
from shared.events.outbox import Aggregate, AuditFacts, OutboxRow
from shared.ledger.delays import STEP_LEASE
from shared.ledger.device_record import DEVICE_HEALTH, DeviceRecord, device_record_from
from shared.ledger.key_record import Saga, Work
from shared.ledger.ledger import Change
from shared.ledger.reading import read_record
from shared.ports.documents import Create, Delete, Index, Ref, Update
from shared.runtime.indexes import INDEXES
from shared.streams.stream import Stream
from shared.streams.telling import row_ref, row_write, tell
from shared.usecases.devices.tell_health import rows_of
from shared.usecases.upkeep.sweep_due import SWEPT, SweptStream, sweep_due
from shared.vendor_kit.breaker import BreakerChange, BreakerState
from shared.vendor_kit.calm.blocks import PLATFORM
from shared.vendor_kit.calm.circuit import COLLECTION
from shared.vendor_kit.calm.health_stream import HealthStream, adapter_id
from tests.support.few_doors import move_in
from tests.support.ledger_books import CAUSE, CLAIM, KABUL, SILK, Books

STATES = (BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED)
WATCHES, DUE_WATCHES = "watches", Index("watches", (), "due_at", swept=True)


class Announcing(Books):
    """Books in which aggregates of one kind are changed, each time leaving what happened untold."""

    streams = SWEPT

    async def sweep(self):
        return await sweep_due(self.store, self.services, self.streams)

    async def later(self):
        """Let so much time pass that whatever was put off is due."""
        self.clock.advance(seconds=STEP_LEASE.total_seconds())

    async def rows(self, name):
        """Return the bytes of each row that is kept of an aggregate, in order."""
        found = []
        while row := await self.home.get(row_ref(self.stream(name), len(found) + 1)):
            found.append(row.data["body"].encode())
        return found

    async def lose(self, name, sequence):
        ref = row_ref(self.stream(name), sequence)
        await self.home.commit([Delete(ref, (await self.home.get(ref)).version)])

    def told(self, name):
        """Return what was published of an aggregate, byte for byte, in that order."""
        messages = [message for _, message in self.bus.published]
        return [each.data for each in messages if each.ordering_key == self.stream(name)]

    async def stands(self, name):
        """Return how far an aggregate is announced, and whether somebody is to look at it now."""
        data = (await self.home.get(self.place(name))).data
        return data["announced"], data.get("due_at", 1 << 60) <= milliseconds(self.clock.now())

    def happening_meanwhile(self, name):
        """Let something happen to an aggregate in the moment when the next event is published."""
        publish = self.bus.publish

        async def published(topic, messages):
            self.bus.publish = publish
            await self.happen(name)
            return await publish(topic, messages)

        self.bus.publish = published

    def stopping_after(self, many):
        """Let the bus go away after so many events."""
        publish, left = self.bus.publish, iter(range(many))

        async def published(topic, messages):
            if next(left, None) is None:
                raise ConnectionError("no bus")
            return await publish(topic, messages)

        self.bus.publish = published
        return lambda: setattr(self.bus, "publish", publish)


class Keys(Announcing):
    """Keys, to which nothing is owed but that they are told."""

    @property
    def home(self):
        return self.documents

    def stream(self, name):
        return str(self.named[name].id)

    def place(self, name):
        return self.named[name].ref

    async def begin(self, *names):
        await move_in(self)
        self.named = {}
        for name in names:
            entry, facts = self.requested()
            settled = Saga(kind=Work.SETTLE, claim=CLAIM)
            entry = replace(entry, saga=settled, due=self.clock.now())
            self.named[name] = (await self.ledger.save(Change(entry, facts))).entry

    async def happen(self, name):
        entry = await self.ledger.entry(self.named[name].id)
        command = (Accept, Provision)[entry.credential.sequence > 1](at=self.clock.now())
        credential, facts = entry.credential.apply(command)
        await self.ledger.save(Change(replace(entry, credential=credential, due=self.clock.now()), facts))


class Breakers(Announcing):
    """Vendors' breakers, which are told of by whoever changes them."""

    @property
    def home(self):
        return self.store.tenant(PLATFORM)

    def stream(self, name):
        return str(adapter_id(name))

    def place(self, name):
        return Ref(COLLECTION, name)

    async def begin(self, *names):
        for name in names:
            await self.happen(name)

    async def happen(self, name):
        found = await self.home.get(self.place(name))
        before = {"announced": 0, "sequence": 0} if found is None else found.data
        number, now = before["sequence"], self.clock.now()
        kept = before | {
            "sequence": number + 1,
            "changed_at": instant_to_text(now + timedelta(seconds=number)),
            "due_at": milliseconds(now),
        }
        change = BreakerChange(STATES[number - 1], STATES[number], "test", 50.0, 20, now)
        row = HealthStream(name, "production", self.home, self.bus, self.ids).row(kept, change)
        write = Create(self.place(name), kept) if found is None else Update(found.ref, kept, found.version)
        await self.home.commit([write, row])


class Devices(Announcing):
    """Locks, of whose health each crossing is told by whoever looked."""

    @property
    def home(self):
        return self.documents

    def stream(self, name):
        return f"lck_01KSAMP1E{name.upper():0>17}"

    def place(self, name):
        return Ref(DEVICE_HEALTH, self.stream(name))

    async def begin(self, *names):
        for name in names:
            await self.happen(name)

    async def happen(self, name):
        found, now = await self.home.get(self.place(name)), self.clock.now()
        record = self._new(name) if found is None else device_record_from(found)
        looked = Looked(at=now, online=True, last_seen_at=now)
        said = DeviceOnlineV1(device_id=str(record.id), property_id=KABUL, since=now, last_seen_at=now)
        rows = rows_of(record, [said], looked, self.ids)
        kept = replace(record.happened(1, now), due=now)
        await self.home.commit([kept.write(), *map(row_write, rows)])

    def _new(self, name):
        return DeviceRecord(
            id=LockDeviceId(self.stream(name)),
            tenant=SILK,
            property_id=PropertyId(KABUL),
            vendor=VendorCode("mock"),
            vendor_device=name,
            registered_at=self.clock.now(),
            sequence=0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch(Stream):
    """An aggregate that announces from the day it is written: a lock that falls silent, again and again."""

    schema_version: ClassVar[int] = 1

    id: str
    sequence: int = 0

    @property
    def ref(self):
        return Ref(WATCHES, self.id)

    @property
    def _sequence(self):
        return self.sequence


async def tell_watch(tenant, name, documents, services):
    return await tell(Ref(WATCHES, name), name, documents.tenant(tenant), services.bus)


class Watches(Announcing):
    """Whatever comes later: a record with the mixin, and one row in the sweeper's table."""

    streams = (*SWEPT, SweptStream(DUE_WATCHES, tell_watch, "a watch could not be told"))

    async def _opened(self, embedded):
        ledger = await super()._opened(embedded)
        self.store = SqliteDocuments(self.engine, self.clock, (*INDEXES, DUE_WATCHES), "main")
        await self.store.prepare()
        return ledger

    @property
    def home(self):
        return self.documents

    def stream(self, name):
        return f"lck_{name}"

    def place(self, name):
        return Ref(WATCHES, self.stream(name))

    async def begin(self, *names):
        for name in names:
            await self.happen(name)

    async def happen(self, name):
        found, now = await self.home.get(self.place(name)), self.clock.now()
        watch = Watch(id=self.stream(name)) if found is None else read_record(Watch, found)
        watch = replace(watch, sequence=watch.sequence + 1, due=now)
        event = compose(self._payload(now), self._stamp(now))
        row = OutboxRow.following(
            Aggregate(SILK, watch.id, watch.stored), event, AuditFacts("offline", now, CAUSE.trace_id)
        )
        await self.home.commit([watch.following([row]).write(), row_write(row)])

    def _payload(self, now):
        said = {"since": now, "last_seen_at": now, "reason": "silent"}
        return DeviceOfflineV1(device_id="lck_01KSAMP1E00000000000000101", property_id=KABUL, **said)

    def _stamp(self, now):
        id_ = str(EventId.mint(self.ids.ulid()))
        return Stamp(id=id_, tenant_id=SILK, time=now, trace_id=CAUSE.trace_id, correlation_id="lck_1")


def ids_of(messages):
    """Return the events' ids."""
    return [orjson.loads(each)["id"] for each in messages]
