"""A stay as the ledger keeps it, with canaries wherever a secret is or might be."""

from datetime import timedelta

from shared.domain.capabilities import LockCapabilities
from shared.domain.commands import Accept, Provision
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.documents import to_document
from shared.domain.grant import Grant
from shared.domain.grant_lifecycle import GiveUp, Intended, Place, Placement, Withdraw
from shared.domain.ids import (
    GrantId,
    GuestId,
    KeyCredentialId,
    LockDeviceId,
    PropertyId,
    ReservationId,
    RoomId,
    TenantId,
    minted_at,
)
from shared.domain.instants import instant_to_text
from shared.domain.kinds import ClaimKey, KeyCredentialKind, KeyWarning
from shared.domain.plan import Choice, IssuePlan
from shared.domain.window import StayWindow
from shared.events.from_facts import Context, outbox_row
from shared.ledger.admission import RECORD
from shared.ports.documents import Create, Ref
from tests.support.vendors import TTLOCK

SILK, KABUL, STAY = TenantId("tnt_silk"), PropertyId("ppt_kabul"), "rsv_7"
PIN, TOKEN, VENDOR_REF = "739184", "tk_Canary0Canary0Canary0", "vendorref90210"
CANARIES = (PIN, TOKEN, VENDOR_REF)
ROOM_LOCK, FRONT_LOCK = "lck_01KSAMP1E00000000000000101", "lck_01KSAMP1E00000000000000001"
SUBJECT = "melmastoon.reservation.confirmed.v1"
TRACE = f"00-{'ab' * 16}-{'cd' * 8}-01"
INDEX = "ab" * 32


class KeptStay:
    """One booking, its key, the key's grants and events, put straight into the ledger of a fleet."""

    def __init__(self, fleet, tenant=SILK):
        self.fleet, self.tenant = fleet, tenant
        self.began = fleet.means.clock.now()
        self.id = KeyCredentialId.mint(fleet.means.ids.ulid())
        self.rows = []

    def after(self, seconds):
        """Return an instant of the stay's making."""
        return self.began + timedelta(seconds=seconds)

    async def keep(self, **saga):
        """Write everything."""
        key = self._issued()
        saga = {"kind": "issue", "generation": 1, "execution": None, "tries": 1, **saga}
        record = {
            "schema_version": 1,
            "credential": to_document(key),
            "saga": {"claim": str(key.core.claim), **saga},
            "due_at": int(self.after(60).timestamp() * 1000),
            "announced": 2,
            "cause": {"trace_id": TRACE, "event_id": "evt_1"},
            "secret_try": 0,
            "artifact": TOKEN,
            "link": TOKEN,
            "of_property": KABUL,
            "of_stay": STAY,
            "newest": -minted_at(self.id),
        }
        await self._house()
        writes = [
            Create(Ref("reservations", STAY), self._booking()),
            Create(Ref("credentials", self.id), record),
            *(Create(Ref("grants", each.id), self._kept(each)) for each in self._grants()),
            *(Create(Ref("outbox", f"{self.id}.{row.sequence:06d}"), row.to_document()) for row in self.rows),
        ]
        await self.fleet.documents.tenant(self.tenant).commit(writes)
        sealed = Create(Ref("key_secrets", f"{self.id}.pin_code.0"), {"artifact": PIN, "refs": VENDOR_REF})
        await self.fleet.sealed.tenant(self.tenant).commit([sealed])
        return self

    async def _house(self):
        """Another tenant has the house to itself; the sample's is there already."""
        store = self.fleet.documents.tenant(self.tenant)
        if await store.get(RECORD) is None:
            sample = self.fleet.documents.tenant(SILK)
            place = await sample.get(Ref("properties", KABUL))
            tenant = {**(await sample.get(RECORD)).data, "id": str(self.tenant)}
            await store.commit([Create(RECORD, tenant), Create(Ref("properties", KABUL), place.data)])

    async def run_saga(self, **argument):
        """Run an execution that names the key, as its saga's would."""
        given = {"tenant": self.tenant, "saga_id": self.id, "generation": 1, "pin": PIN, **argument}
        return await self.fleet.sagas.start("probe_platform", {"probe": "stay", "wait_seconds": 1, **given})

    def _issued(self):
        key, facts = KeyCredential.request(self._core(), at=self.began)
        self._tell(facts)
        key = key.attempting(self.after(1)).refused("VendorUnreachable", self.after(2))
        for command in (Accept(at=self.after(3)), Provision(at=self.after(5), warnings=(self._warning(),))):
            if isinstance(command, Provision):
                key = key.attempting(self.after(4))
            key, facts = key.apply(command)
            self._tell(facts)
        return key

    def _warning(self):
        return KeyWarning("REVOKE_PENDING_AT_LOCK", "the lock was told nothing yet")

    def _tell(self, facts):
        context = Context(event_id=f"evt_{self.fleet.means.ids.ulid()}", trace_id=TRACE, causation_id="evt_1")
        self.rows += [outbox_row(fact, context) for fact in facts]

    def _core(self):
        return CredentialCore(
            id=self.id,
            tenant=self.tenant,
            property_id=KABUL,
            holder=Guest(GuestId("gst_1"), ReservationId(STAY)),
            rooms=(RoomId("rmu_101"),),
            window=StayWindow(self.after(3600), self.after(90_000), "Asia/Kabul"),
            plan=IssuePlan((Choice(TTLOCK, KeyCredentialKind.PIN_CODE),)),
            claim=ClaimKey("sha256:" + "9c" * 32),
        )

    def _grants(self):
        placed = self._grant(ROOM_LOCK).apply(Place(at=self.after(5), placement=Placement.ON_LOCK))
        leaving = self._grant(FRONT_LOCK).apply(Withdraw(at=self.after(6)))
        return placed, leaving.apply(GiveUp(at=self.after(7), cause="gateway_offline"))

    def _grant(self, device):
        return Grant(
            id=GrantId.mint(self.fleet.means.ids.ulid()),
            tenant=self.tenant,
            property_id=KABUL,
            credential_id=self.id,
            device_id=LockDeviceId(device),
            rooms=(RoomId("rmu_101"),),
            vendor=TTLOCK,
            kind=KeyCredentialKind.PIN_CODE,
            vendor_key="cd" * 32,
            capabilities=LockCapabilities(pin=True),
            exposure_until=self.after(90_000),
            state=Intended(),
            version=1,
            changed_at=self.after(1),
            pin_index=INDEX,
            vendor_ref_index=INDEX,
        )

    def _kept(self, grant):
        return {
            "schema_version": 1,
            "grant": to_document(grant),
            "credential_id": str(self.id),
            "device_id": str(grant.device_id),
            "until": int(self.after(90_000).timestamp() * 1000),
            "busy_until": None,
            "vendor_ref": VENDOR_REF,
            **({} if grant.device_id == ROOM_LOCK else {"leaving": self._stamp(7)}),
            "ends": int(self.after(90_000).timestamp() * 1000),
            "calls": self._calls() if grant.device_id == FRONT_LOCK else [],
        }

    def _calls(self):
        """The door was lost once, and an older fleet did not keep when it heard of the removal."""
        return [
            {"at": self._stamp(2), "asked": "place", "answer": None, "answered": None},
            {"at": self._stamp(4), "asked": "place", "answer": "on_lock", "answered": self._stamp(4.5)}
            | {"said": [self._said(4.2, "10004"), self._said(4.4, "yes")]},
            {"at": self._stamp(4.6), "asked": "place", "answer": "on_lock", "answered": self._stamp(4.7)},
            {"at": self._stamp(6.5), "asked": "remove", "answer": "gateway_offline"},
        ]

    def _said(self, seconds, answer):
        return [self._stamp(seconds), "keyboardPwd/add", answer]

    def _stamp(self, seconds):
        return int(self.after(seconds).timestamp() * 1000)

    def _booking(self):
        heard = [
            self._heard("evt_1", dated=-1, heard=0, outcome="applied", version=3),
            self._heard("evt_2", dated=-60, heard=9, outcome="ignored", because="older than version 3"),
        ]
        named = {"property_id": KABUL, "credentials": [str(self.id)], "guest_link": TOKEN}
        recency = {"version": 3, "time": instant_to_text(self.after(-1)), "highest": 3}
        record = {"schema_version": 1, "id": STAY, "status": "confirmed", "incarnation": 1}
        return {**record, **recency, **named, "heard": heard}

    def _heard(self, event, *, dated, heard, **more):
        said = {"event_id": event, "subject": SUBJECT, "time": instant_to_text(self.after(dated))}
        return {**said, "version": None, "because": None, "at": instant_to_text(self.after(heard)), **more}
