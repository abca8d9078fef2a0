"""The setting of the lock contracts: a guesthouse of two rooms and a front door, at some vendor's."""

import io
from datetime import timedelta

from infra.local.cipher import LocalCipher
from infra.local.documents import SqliteDocuments
from shared.domain.capabilities import LockCapabilities
from shared.domain.grant import name_at_vendor
from shared.domain.ids import GuestId, LockDeviceId, PropertyId, ReservationId, RoomId, TenantId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.policy import KeyKindPolicy
from shared.domain.premises import LockDevice, Property
from shared.domain.secret import Secret
from shared.kernel.ids import DrawnIds
from shared.kernel.log import Log
from shared.keywork.port import EnginePort
from shared.keywork.services import Services
from shared.keywork.vendor_session import VendorSession
from shared.ledger.guest_contacts import GuestContacts
from shared.ledger.hotel_directory import HotelDirectory, HotelSetup
from shared.ledger.ledger import Ledger
from shared.ledger.sealed_keys import SealedKeys
from shared.ports.lock import LockKey
from shared.ports.lock_port import Contact, IssueInput, KeyHolder
from shared.runtime.indexes import INDEXES
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.calm.allowance import Limit
from shared.vendor_kit.guard import GuardPolicy, Guards
from shared.vendor_kit.leases import DocumentLeases
from tests.contract.embedded import Embedded
from tests.support.ledger_books import NotedBus, NotedSagas
from tests.support.vendors import TTLOCK

TENANT, KABUL = TenantId("tnt_silk"), Property(id=PropertyId("ppt_kabul"), name="Kabul", zone="Asia/Kabul")
ROOM_101, ROOM_102 = RoomId("rmu_101"), RoomId("rmu_102")
DOOR_101, DOOR_102, FRONT, NOWHERE = (
    LockDeviceId(f"lck_01KSAMP1E00000000000000{number}") for number in ("101", "102", "001", "999")
)
VENDOR_NAMES = {DOOR_101: "1000101", DOOR_102: "1000102", FRONT: "1000001"}
ABLE = LockCapabilities(mobile_key=True, pin=True, card_encoding=True, remote_issue=True, remote_revoke=True)
PIN, OTHER_PIN = "583914", "720463"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
PIN_CODE, MOBILE_APP = KeyCredentialKind.PIN_CODE, KeyCredentialKind.MOBILE_APP
EAGER = GuardPolicy(limit=Limit(calls=600_000, burst=10_000))
CARD_NUMBER, GUEST_ACCOUNT = "2914857316", "guest@example.org"
CANARIES = (PIN, OTHER_PIN, GUEST_ACCOUNT)


class OneDesk:
    """The sessions of a vendor that is open at one property."""

    def __init__(self, setting):
        binding = setting.binding()
        self.vendor = setting.vendor_code
        hotel = HotelSetup(binding.property, binding.devices, binding.policy)
        sealed = SealedKeys(setting.means.sealed.tenant(TENANT), setting.means.cipher, self.vendor)
        accounts = GuestContacts(setting.means.documents.tenant(TENANT), setting.means.cipher, self.vendor)
        self.desk = VendorSession(hotel, binding, setting.vendor, sealed, accounts)

    async def at(self, tenant, property_id):
        """Return the session of the guesthouse."""
        assert (tenant, property_id) == (TENANT, KABUL.id)
        return self.desk


class Setting(Embedded):
    """A vendor with its locks behind it; subclasses say which, and look at the locks from the other side.

    They have `make_vendor`, which opens the adapter under test; `opens` and `count`, which try a door and
    count a lock's keys; `lose_the_next_answer` of a placing that is done; `break_down` and `mend`.
    """

    vendor_code = None
    port_kind = EnginePort
    kind, secret, other_secret = PIN_CODE, PIN, OTHER_PIN
    """The kind of key that the suite places, and the secrets of two guests."""
    indexes, written_at_the_desk = INDEXES, ()
    app_account = GUEST_ACCOUNT
    """Where a guest has the vendor's app."""
    able, online = ABLE, True
    one_key_for_a_secret = True
    """Whether a lock refuses a secret that another of its keys has."""
    policy = KeyKindPolicy(accepts_unenforced_windows=(TTLOCK,))

    def __init__(self, folder, *, clock=None):
        super().__init__(folder, self._opened, threaded=False)
        self.clock, self.changes = clock or self.clock, []
        self.log = io.StringIO()
        self.bus, self.sagas = NotedBus(), NotedSagas(lambda _: None)

    async def _opened(self, embedded):
        store = SqliteDocuments(embedded.engine, embedded.clock, self.indexes, "main")
        await store.prepare()
        sealed = SqliteDocuments(embedded.engine, embedded.clock, (), "sealed")
        self.means = AdapterPorts(
            http=self.http(),
            clock=embedded.clock,
            entropy=embedded.entropy,
            leases=DocumentLeases(store, embedded.clock),
            documents=store,
            sealed=sealed,
            cipher=LocalCipher.at(embedded.folder / "keys", embedded.entropy, embedded.engine),
            guards=Guards(embedded.clock, Log("test"), instead=EAGER, tell=self._told),
        )
        self.ids = DrawnIds(embedded.clock.now, embedded.entropy.token)
        return self.make_vendor()

    def _told(self, *change):
        self.changes.append(change)

    @property
    def vendor(self):
        return self.subject

    @property
    def port(self):
        """The vendor's LockPort; it remembers nothing but what is in the database."""
        desks = OneDesk(self)
        return self.port_kind(self.services, desks, desks.desk)

    @property
    def services(self):
        """What commands on keys work with."""
        hotels = HotelDirectory(self.means.documents, "local", self.clock.now)
        return Services(
            hotels, self.bus, self.sagas, self.ids, self.clock, self.entropy, Log("test", self.log)
        )

    @property
    def ledger(self):
        """What is kept of the tenant's keys."""
        return Ledger(self.means.documents.tenant(TENANT), self.ids)

    def binding(self, account=b"", **changes):
        """Bind to the guesthouse."""
        devices = tuple(self._device(id_, rooms) for id_, rooms in self.rooms().items())
        ours = {"tenant": TENANT, "property": KABUL, "devices": devices, "policy": self.policy}
        return Binding(**{**ours, "vendor": self.vendor_code, "account": Secret(account), **changes})

    def rooms(self):
        return {DOOR_101: (ROOM_101,), DOOR_102: (ROOM_102,), FRONT: (ROOM_101, ROOM_102)}

    def _device(self, id_, rooms):
        return LockDevice(
            id=id_,
            property_id=KABUL.id,
            vendor=self.vendor_code,
            vendor_device=VENDOR_NAMES[id_],
            label="A door",
            rooms=rooms,
            capabilities=self.able,
        )

    def key(self, name="first", **changes):
        """Return a key to room 101's door, from now on, for two days."""
        now = self.clock.now()
        usual = {
            "device_id": DOOR_101,
            "kind": self.kind,
            "name": name_at_vendor(name),
            "valid_from": now,
            "valid_until": now + 2 * DAY,
            "idempotency_key": name,
            "secret": Secret(self.secret),
            "intent_predates": False,
        }
        return LockKey(**{**usual, **changes})

    def refused_key(self):
        """Return a key that the vendor refuses for its secret, once the first is placed."""
        return self.key("second")

    def secret_of(self, number):
        """Return one of several guests' secrets."""
        return f"5{number}8391"

    def request(self, idempotency_key="claim-1", **changes):
        """Return a wish for a key to room 101, from now on, for two days."""
        now = self.clock.now()
        usual = {
            "tenant_id": TENANT,
            "property_id": KABUL.id,
            "reservation_id": ReservationId("rsv_1"),
            "rooms": (ROOM_101,),
            "valid_from": now,
            "valid_until": now + 2 * DAY,
            "holder": KeyHolder(GuestId("gst_1"), Secret("A Guest"), Contact(email=Secret(self.app_account))),
            "preferred_kinds": (self.kind,),
            "idempotency_key": idempotency_key,
        }
        return IssueInput(**{**usual, **changes})

    def http(self):
        """Return what the adapter calls with."""
