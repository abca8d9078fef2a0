from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.ids import KeyCredentialId, MasterKeyId, PropertyId, ShiftId, TenantId, UserId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.master_key import ExpiryTrigger, MasterKey, PerShift
from shared.domain.scope import MasterScope
from shared.domain.window import StayWindow
from shared.events.codec import encode, parse
from shared.events.from_facts import Context
from shared.events.from_master_key import announce, outbox_row

ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"
DAWN = datetime(2026, 5, 1, 6, tzinfo=UTC)
CONTEXT = Context(event_id=f"evt_{ULID}", trace_id="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")


def master_key(*scopes: str, more: tuple[str, ...] = ()) -> MasterKey:
    return MasterKey(
        id=MasterKeyId(f"mky_{ULID}"),
        tenant=TenantId("tnt_1"),
        property_id=PropertyId("ppt_1"),
        staff=UserId("usr_1"),
        credentials=tuple(map(KeyCredentialId, (f"key_{ULID}", *more))),
        scopes=tuple(map(MasterScope.parse, scopes or ("floor:3",))),
        regime=PerShift(ShiftId("shf_1")),
        window=StayWindow(DAWN, DAWN + timedelta(hours=12), "Asia/Kabul"),
        changed_at=DAWN,
    )


def issued(key: MasterKey):
    return key.issued(DAWN, key.credentials[0], KeyCredentialKind.RFID_CARD, key.window)


@pytest.mark.parametrize(
    ("spelling", "written"),
    [
        ("room:rmu_1", {"kind": "room", "roomId": "rmu_1"}),
        ("floor:3", {"kind": "floor", "floor": "3"}),
        ("rooms:assigned", {"kind": "rooms_assigned"}),
        ("rooms:all", {"kind": "rooms_all"}),
        ("areas:pool", {"kind": "area", "area": "pool"}),
        ("areas:all", {"kind": "areas_all"}),
        ("back_of_house", {"kind": "back_of_house"}),
    ],
)
def test_issued_writes_every_scope_of_the_specification(spelling, written):
    _, fact = issued(master_key(spelling))
    event = announce(fact, CONTEXT)
    assert parse(encode(event), exact=True) == event
    assert event.model_dump(mode="json", by_alias=True)["data"]["scope"] == written


def test_master_key_facts_count_on_in_their_own_stream():
    live, told = issued(master_key())
    _, expired = live.expired(DAWN + timedelta(hours=12), ExpiryTrigger.SHIFT_ENDED)
    rows = [outbox_row(told, CONTEXT, "usr_gm"), outbox_row(expired, CONTEXT, "saga")]
    assert [(row.sequence, row.ordering_key) for row in rows] == [(1, f"mky_{ULID}"), (2, f"mky_{ULID}")]
    assert [(row.audit.action, row.audit.operator_id, row.audit.reason) for row in rows] == [
        ("issued", "usr_gm", None),
        ("expired", "saga", "shift.ended"),
    ]
    assert {row.audit.staff_user_id for row in rows} == {"usr_1"}


def test_expired_names_what_ended_it():
    _, fact = master_key().expired(DAWN, ExpiryTrigger.USER_DEACTIVATED)
    assert announce(fact, CONTEXT).data.trigger == "user.deactivated"


def test_issued_lists_all_scopes_and_credentials_beside_the_ones_that_the_specification_names():
    other = f"key_{ULID[:-1]}G"
    _, fact = issued(master_key("rooms:all", "back_of_house", more=(other,)))
    event = announce(fact, CONTEXT)
    data = event.model_dump(mode="json", by_alias=True)["data"]
    assert parse(encode(event), exact=True) == event
    assert (data["scope"], data["keyCredentialId"]) == ({"kind": "rooms_all"}, f"key_{ULID}")
    assert (data["scopes"], data["keyCredentialIds"]) == (
        [{"kind": "rooms_all"}, {"kind": "back_of_house"}],
        [f"key_{ULID}", other],
    )


def test_issued_names_the_shift_that_the_key_opens_in():
    shift = StayWindow(DAWN, DAWN + timedelta(hours=8), "Asia/Kabul")
    key = master_key()
    _, fact = key.issued(DAWN, key.credentials[0], KeyCredentialKind.PIN_CODE, shift)
    assert announce(fact, CONTEXT).data.valid_until == shift.end
