"""A ledger on the embedded store, and services around it: a bus and sagas that note what they are told."""

import hashlib
import io
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import orjson

from infra.local.cipher import LocalCipher
from infra.local.documents import SqliteDocuments
from shared.domain.capabilities import LockCapabilities
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.grant import Grant
from shared.domain.grant_lifecycle import Intended
from shared.domain.ids import (
    GrantId,
    GuestId,
    KeyCredentialId,
    LockDeviceId,
    PropertyId,
    ReservationId,
    RoomId,
    TenantId,
)
from shared.domain.kinds import ClaimKey, KeyCredentialKind, VendorCode
from shared.domain.plan import Choice, IssuePlan
from shared.domain.window import StayWindow
from shared.kernel.ids import DrawnIds
from shared.kernel.log import Log
from shared.keywork.services import Services
from shared.ledger.grant_record import GrantRecord
from shared.ledger.hotel_directory import HotelDirectory
from shared.ledger.key_record import Cause, KeyRecord, Saga, Work
from shared.ledger.ledger import Ledger
from shared.ports.sagas import Execution
from shared.runtime.indexes import INDEXES
from tests.contract.embedded import Embedded

SILK, KABUL = TenantId("tnt_silk"), PropertyId("ppt_kabul")
NOW = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
ARRIVAL = NOW + timedelta(days=1)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
CLAIM = ClaimKey("sha256:" + "9c" * 32)
CAUSE = Cause("00-" + "4b" * 16 + "-" + "0f" * 8 + "-01", "evt_1")
MOCK, TTLOCK = VendorCode("mock"), VendorCode("ttlock")
PIN_CODE, RFID_CARD = KeyCredentialKind.PIN_CODE, KeyCredentialKind.RFID_CARD
ROOM = RoomId("rmu_101")
DOOR = LockDeviceId("lck_01KSAMP1E00000000000000101")


class NotedBus:
    """Notes what is published, by topic; down when it is told to be."""

    def __init__(self):
        self.published, self.down = [], False

    async def publish(self, topic, messages):
        if self.down:
            raise ConnectionError("no bus")
        self.published += [(topic, message) for message in messages]
        return tuple(str(number) for number, _ in enumerate(messages))

    @property
    def words(self):
        """The word of each subject that tells it."""
        return [topic.split(".")[-2] for topic, _ in self.published]

    @property
    def sequences(self):
        return [int(message.attributes["sequence"]) for _, message in self.published]


class NotedSagas:
    """Notes what is started; an execution stands as a test says, or is unknown."""

    def __init__(self, happened):
        self.started, self.states, self.under, self._happened = [], {}, "work_on_key", happened

    async def start(self, workflow, argument):
        self.started.append((workflow, dict(argument)))
        self._happened(workflow)
        return f"run-{len(self.started)}"

    async def get(self, execution):
        workflow, _, id_ = execution.rpartition("/")
        state = self.states.get(id_) if workflow == self.under else None
        return None if state is None else Execution(execution, workflow, state)


class Books(Embedded):
    """One tenant's ledger, and everything a command on keys works with."""

    def __init__(self, folder):
        super().__init__(folder, self._opened, threaded=False)
        self.bus, self.log = NotedBus(), io.StringIO()
        self.sagas = NotedSagas(lambda _: self.published_at_start.append(len(self.bus.published)))
        self.published_at_start = []

    async def _opened(self, _):
        self.store = SqliteDocuments(self.engine, self.clock, INDEXES, "main")
        await self.store.prepare()
        self.vault = SqliteDocuments(self.engine, self.clock, (), "sealed")
        self.cipher = LocalCipher.at(self.folder / "keys", self.entropy, self.engine)
        self.ids = DrawnIds(self.clock.now, self.entropy.token)
        return Ledger(self.store.tenant(SILK), self.ids)

    @property
    def ledger(self):
        return self.subject

    @property
    def documents(self):
        return self.store.tenant(SILK)

    @property
    def services(self):
        """Return what the commands work with."""
        hotels = HotelDirectory(self.store, "local", self.clock.now)
        log = Log("keyfleet", self.log)
        return Services(hotels, self.bus, self.sagas, self.ids, self.clock, self.entropy, log)

    @property
    def lines(self):
        """What was logged."""
        return list(map(orjson.loads, self.log.getvalue().splitlines()))

    def core(self, **changes):
        """Return a key that a guest wishes for: one room, three nights, one kind."""
        usual = {
            "id": KeyCredentialId.mint(self.ids.ulid()),
            "tenant": SILK,
            "property_id": KABUL,
            "holder": Guest(GuestId("gst_1"), ReservationId("rsv_1")),
            "rooms": (ROOM,),
            "window": StayWindow(ARRIVAL, ARRIVAL + 3 * DAY, "Asia/Kabul"),
            "plan": IssuePlan((Choice(MOCK, PIN_CODE), Choice(MOCK, RFID_CARD))),
            "claim": CLAIM,
        }
        return CredentialCore(**{**usual, **changes})

    def requested(self, **changes):
        """Return the entry and the facts of a key that nobody has written down yet."""
        credential, facts = KeyCredential.request(self.core(), at=self.clock.now())
        saga = Saga(kind=Work.ISSUE, claim=CLAIM)
        entry = KeyRecord(credential, saga, CAUSE, due=self.clock.now() + timedelta(seconds=10))
        return replace(entry, **changes), facts

    def kept(self, entry, door=DOOR, **changes):
        """Return a grant of a key at a door, as it is first written down."""
        core = entry.credential.core
        grant = Grant(
            id=GrantId.mint(self.ids.ulid()),
            tenant=SILK,
            property_id=KABUL,
            credential_id=core.id,
            device_id=door,
            rooms=core.rooms,
            vendor=MOCK,
            kind=PIN_CODE,
            vendor_key=hashlib.sha256(door.encode()).hexdigest(),
            capabilities=LockCapabilities(pin=True),
            exposure_until=core.window.end,
            state=Intended(),
            version=1,
            changed_at=self.clock.now(),
        )
        return GrantRecord(replace(grant, **changes), core.window.start, core.window.end)
