"""What the tests of a desk alone play with: its papers, a stay, and what a clerk wishes for it.

Apart from the tests: an agent that is killed is a process of its own, and pytest is a third of its start.
"""

from datetime import UTC, datetime, timedelta

from nacl.signing import SigningKey

from edge_agent.hardware.encoders.usb import UsbIdentity
from edge_agent.issuing.rules import OfflineWish, PapersInHand
from shared.domain.ids import (
    DesktopDeviceId,
    GuestId,
    PropertyId,
    ReservationId,
    RoomId,
    TenantId,
    UserId,
)
from shared.domain.kinds import KeyCredentialKind
from shared.domain.permissions import Permission
from shared.domain.window import StayWindow
from shared.offline.arrivals import ArrivalsPack, ExpectedStay, StaffRights
from shared.offline.certificate import OfflineCertificate, RevocationList

NOW = datetime(2026, 11, 19, 20, 30, tzinfo=UTC)
DEVICE, CARDS = SigningKey(b"\x02" * 32), SigningKey(b"\x03" * 32)
MATERIAL, USB = b"guesthouse by the lake, 16+", UsbIdentity(0x0403, 0x6001, "A5")
SERIAL = "lock-oic-2026-11-01-01J9Z8Y7X6W5V4T3S2R1Q0P9N8"
CERTIFICATE = OfflineCertificate(
    serial=SERIAL,
    tenant=TenantId("tnt_silk"),
    property_id=PropertyId("ppt_lake"),
    device=DesktopDeviceId("dev_desk"),
    device_key=bytes(DEVICE.verify_key),
    kinds=(KeyCredentialKind.RFID_CARD, KeyCredentialKind.PIN_CODE),
    begins=NOW - timedelta(days=10),
)
STAY = ExpectedStay(
    reservation=ReservationId("rsv_1"),
    guest=GuestId("gst_1"),
    rooms=(RoomId("rmu_204"), RoomId("rmu_205")),
    window=StayWindow(NOW - timedelta(hours=6), NOW + timedelta(days=5), "Asia/Kabul"),
    status="confirmed",
    payment="captured",
)
NOTHING_REVOKED = RevocationList(number=1, issued=NOW, serials=frozenset())
PACK = ArrivalsPack(
    tenant=CERTIFICATE.tenant,
    property_id=CERTIFICATE.property_id,
    device=CERTIFICATE.device,
    issued=NOW - timedelta(hours=3),
    stays=(STAY,),
    staff=(StaffRights(user=UserId("usr_1"), permissions=frozenset({Permission.KEY_ISSUE_OFFLINE})),),
    revoked=NOTHING_REVOKED,
)
STANDING = PapersInHand(
    certificate=CERTIFICATE,
    revoked=NOTHING_REVOKED,
    pack=PACK,
    device_key=bytes(DEVICE.verify_key),
    now=NOW,
)
WISH = OfflineWish(
    once="press-1",
    reservation=STAY.reservation,
    rooms=(RoomId("rmu_204"),),
    kind=KeyCredentialKind.RFID_CARD,
    clerk=UserId("usr_1"),
)
