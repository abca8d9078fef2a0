"""What becomes of a desk's certificates when the desk is stopped."""

import base64
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace

from nacl.signing import SigningKey

from shared.domain.ids import DesktopDeviceId, PropertyId, UserId
from shared.domain.kinds import KeyCredentialKind
from shared.usecases.desk.certificates import revocations, stop_desk
from shared.usecases.desk.desks import DeskRecord, desk_of

NOW = datetime(2026, 11, 19, 2, 0, tzinfo=UTC)
RECORD = DeskRecord(
    id=DesktopDeviceId("dev_01ARZ3NDEKTSV4RRFFQ69G5FAV"),
    property_id=PropertyId("ppt_lake"),
    key=base64.b64encode(bytes(SigningKey(b"\x02" * 32).verify_key)).decode(),
    name="left",
    paired_by=UserId("usr_1"),
    paired_at=NOW,
    kinds=(KeyCredentialKind.RFID_CARD,),
    certified_at=NOW,
    serials=("lock-oic-2026-11-01-01J9Z8Y7X6W5V4T3S2R1Q0P9N8",),
)


async def test_desk_that_asked_meanwhile_is_stopped_with_all_its_serials(books):
    store, on = books.documents, SimpleNamespace(now=NOW)
    await store.commit([RECORD.write()])
    seen = await desk_of(store, RECORD.id)
    renewed = "lock-oic-2026-11-19-01J9Z8Y7X6W5V4T3S2R1Q0P9N9"
    await store.commit([replace(seen, pushed=7, serials=(*seen.serials, renewed)).write()])

    await stop_desk(replace(seen, stopped_at=NOW, stopped_by=UserId("usr_2")), store, on)

    found = await desk_of(store, RECORD.id)
    assert (found.stopped_at, found.stopped_by, found.pushed) == (NOW, "usr_2", 7)
    assert (await revocations(store, on)).serials == {*RECORD.serials, renewed}
