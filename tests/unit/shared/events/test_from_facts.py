from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from shared.domain import facts
from shared.domain.commands import Accept, Amend, Fail, Provision, Revoke, Suspend, Unsuspend
from shared.domain.core import CredentialCore, Guest, Staff
from shared.domain.credential import KeyCredential
from shared.domain.ids import (
    GuestId,
    KeyCredentialId,
    LockDeviceId,
    MasterKeyId,
    PropertyId,
    ProvisionalKeyId,
    ReservationId,
    RoomId,
    TenantId,
    UserId,
)
from shared.domain.kinds import (
    Area,
    ClaimKey,
    FailureReason,
    KeyCredentialKind,
    KeyWarning,
    Origin,
    RevokeReason,
    SetRole,
    SuspendReason,
)
from shared.domain.plan import Choice, IssuePlan
from shared.domain.scope import AccessScope
from shared.domain.states import LockSettlement
from shared.domain.window import StayWindow
from shared.events.codec import encode, parse
from shared.events.credential import Artifact, Delivery
from shared.events.errors import InvalidEvent
from shared.events.from_facts import Context, announce, outbox_row
from tests.support.vendors import TTLOCK

ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"
NOON = datetime(2026, 5, 1, 12, 0, 0, 123456, UTC)
STAY = StayWindow(datetime(2026, 5, 1, 14, tzinfo=UTC), datetime(2026, 5, 3, 11, tzinfo=UTC), "Asia/Kabul")
LONGER = STAY.until(STAY.end + timedelta(days=1))
LOCK = LockDeviceId(f"lck_{ULID}")
CONTEXT = Context(
    event_id=f"evt_{ULID}",
    trace_id="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    causation_id=f"evt_{ULID}",
    delivery=Delivery(artifact=Artifact(type="pin", opaque_ref=f"tk_{ULID}")),
    capabilities=("pin",),
)
CORE = CredentialCore(
    id=KeyCredentialId(f"key_{ULID}"),
    tenant=TenantId("tnt_1"),
    property_id=PropertyId("ppt_1"),
    holder=Guest(GuestId("gst_1"), ReservationId("rsv_1")),
    rooms=(RoomId("rmu_1"),),
    window=STAY,
    plan=IssuePlan((Choice(TTLOCK, KeyCredentialKind.PIN_CODE),)),
    claim=ClaimKey("sha256:" + "ab" * 32),
    scope=AccessScope(floors=("3",), areas=(Area.GYM,)),
)
STAFF = replace(
    CORE,
    holder=Staff(UserId("usr_1"), MasterKeyId(f"mky_{ULID}")),
    rooms=(),
    scope=AccessScope(back_of_house=True),
)


def life(core: CredentialCore) -> dict[str, facts.Fact]:
    """One fact of every kind, told by the domain itself."""
    later = (NOON + timedelta(minutes=minute) for minute in range(1, 99))
    requested, (fact,) = KeyCredential.request(core, at=NOON)
    told = [fact]
    tried = requested.attempting(next(later))
    _, failed = tried.apply(
        Fail(at=next(later), reason=FailureReason.VENDOR_UNREACHABLE, vendor_message="busy")
    )
    _, unplaced = requested.apply(Fail(at=next(later), reason=FailureReason.CANCELLATION))
    key = tried
    for command in (
        Accept(at=next(later)),
        Provision(at=next(later), effective=LONGER, warnings=(KeyWarning("CLOCK_SKEW", "late"),)),
        Amend(at=next(later), window=LONGER, rooms=(RoomId("rmu_2"),), scope=AccessScope(areas=(Area.POOL,))),
        Suspend(at=next(later), reason=SuspendReason.NO_SHOW),
        Unsuspend(at=next(later), by=UserId("usr_9")),
        Revoke(
            at=next(later), reason=RevokeReason.CHECKOUT, warnings=(KeyWarning("REVOKE_PENDING_AT_LOCK"),)
        ),
    ):
        key, news = key.apply(command)
        told.extend(news)
    _, settled = key.settle_revoke((LockSettlement(LOCK, False, STAY.end),), at=next(later))
    return {type(fact).__name__: fact for fact in (*told, *unplaced, *failed, *settled)}


GUEST_LIFE, STAFF_LIFE = life(CORE), life(STAFF)


def test_a_life_tells_every_kind_of_fact():
    assert set(GUEST_LIFE) == {fact.__name__ for fact in get_args(facts.Fact)}


@pytest.mark.parametrize(
    "fact", [*GUEST_LIFE.values(), *STAFF_LIFE.values()], ids=lambda fact: type(fact).__name__
)
def test_every_fact_becomes_a_publishable_event_of_its_own_stream(fact):
    event, body = announce(fact, CONTEXT)
    assert body == encode(event)
    assert parse(encode(event), exact=True) == event
    assert event.data.key_credential_id == fact.header.credential_id
    assert event.tenant_id == fact.header.tenant
    row = outbox_row(fact, CONTEXT)
    assert (row.sequence, row.aggregate_id, row.tenant_id) == (
        fact.header.sequence,
        fact.header.credential_id,
        fact.header.tenant,
    )
    assert row.body == encode(event)
    assert row.audit.action == event.subject.split(".")[3]
    assert row.audit.time == event.time
    assert (row.audit.vendor, row.audit.capabilities) == ("ttlock", ("pin",))


def wire_of(fact: facts.Fact, context: Context = CONTEXT) -> dict:
    return announce(fact, context)[0].model_dump(mode="json", by_alias=True)


def test_issued_to_a_guest_reads_as_the_specification_writes_it():
    event = wire_of(GUEST_LIFE["CredentialIssued"])
    assert event["correlationId"] == "rsv_1"
    assert event["data"] == {
        "keyCredentialId": f"key_{ULID}",
        "propertyId": "ppt_1",
        "holderKind": "guest",
        "reservationId": "rsv_1",
        "guestId": "gst_1",
        "kind": "pin_code",
        "rooms": ["rmu_1"],
        "scope": {"floors": ["3"], "areas": ["gym"]},
        "validFrom": "2026-05-01T14:00:00Z",
        "validUntil": "2026-05-03T11:00:00Z",
        "vendor": "ttlock",
        "provisional": False,
        "delivery": {"artifact": {"type": "pin", "opaqueRef": f"tk_{ULID}"}},
        "issuedAt": "2026-05-01T12:05:00.123Z",
        "warnings": [{"code": "CLOCK_SKEW", "detail": "late"}, {"code": "WINDOW_ROUNDED", "detail": ""}],
        "effective": {"validFrom": "2026-05-01T14:00:00Z", "validUntil": "2026-05-04T11:00:00Z"},
        "setRole": "first",
    }


def test_issued_to_staff_is_marked_as_a_master_and_names_no_guest():
    event = wire_of(STAFF_LIFE["CredentialIssued"])
    assert event["correlationId"] == f"mky_{ULID}"
    assert event["data"]["metadata"] == {"kind": "staff_master"}
    assert event["data"]["staffUserId"] == "usr_1"
    assert event["data"]["scope"] == {"backOfHouse": True}
    assert not event["data"].keys() & {"guestId", "reservationId"}


def test_staff_facts_name_the_member_of_staff_to_audit():
    audit = outbox_row(STAFF_LIFE["CredentialRevoked"], CONTEXT).audit
    assert (audit.staff_user_id, audit.operator_id, audit.reason) == ("usr_1", "saga", "checkout")


def test_the_one_who_acted_is_the_operator():
    fact = GUEST_LIFE["CredentialUnsuspended"]
    assert wire_of(fact)["data"]["unsuspendedBy"] == "usr_9"
    assert outbox_row(fact, CONTEXT).audit.operator_id == "usr_9"


def test_updated_tells_only_what_moved():
    changes = wire_of(GUEST_LIFE["CredentialUpdated"])["data"]["changes"]
    assert changes == {
        "validUntil": {"from": "2026-05-03T11:00:00Z", "to": "2026-05-04T11:00:00Z"},
        "rooms": {"from": ["rmu_1"], "to": ["rmu_2"]},
        "scope": {"from": {"floors": ["3"], "areas": ["gym"]}, "to": {"areas": ["pool"]}},
    }


def test_updated_may_tell_of_the_locks_alone():
    fact = replace(GUEST_LIFE["CredentialUpdated"], window=None, rooms=None, scope=None)
    data = wire_of(fact)["data"]
    assert data["changes"] == {}
    assert data["effective"]["validUntil"] == "2026-05-04T11:00:00Z"


def test_revoked_cannot_claim_the_lock_agreed():
    data = wire_of(GUEST_LIFE["CredentialRevoked"])["data"]
    assert data["metadata"] == {"wasProvisional": False, "vendorRevokeOk": False}
    assert data["warnings"] == [{"code": "REVOKE_PENDING_AT_LOCK", "detail": ""}]
    assert "guestId" not in data


def test_settled_says_which_lock_still_opens_until_when():
    data = wire_of(GUEST_LIFE["RevokeSettled"])["data"]
    assert data["vendorRevokeOk"] is False
    assert data["locks"] == [{"deviceId": LOCK, "ok": False, "exposureUntil": "2026-05-03T11:00:00Z"}]


def test_failed_without_an_attempt_names_no_attempt():
    requested, _ = KeyCredential.request(CORE, at=NOON)
    _, (fact,) = requested.apply(Fail(at=NOON, reason=FailureReason.CANCELLATION))
    data = wire_of(fact)["data"]
    assert (data["attempts"], data["failureReason"]) == (0, "cancellation")
    assert not data.keys() & {"lastAttemptAt", "vendorMessage"}


def test_reconciled_key_carries_the_desks_id_beside_its_own():
    local = ProvisionalKeyId(f"prov_keycred_{ULID}")
    reconciled = life(replace(CORE, origin=Origin.DESK, local_id=local))
    data = wire_of(reconciled["CredentialIssued"])["data"]
    assert (data["keyCredentialId"], data["localId"], data["provisional"]) == (f"key_{ULID}", local, False)
    assert wire_of(reconciled["CredentialRevoked"])["data"]["metadata"]["wasProvisional"] is True


@pytest.mark.parametrize("kind", ["CredentialRequested", "CredentialIssued"])
def test_replacement_names_the_key_it_replaces_wherever_it_is_announced(kind):
    lost = KeyCredentialId(f"key_{ULID[:-1]}A")
    told = life(replace(CORE, role=SetRole.REPLACEMENT, replaces=lost))
    data = wire_of(told[kind])["data"]
    assert (data["setRole"], data["replaces"]) == ("replacement", lost)


def test_unsuspended_gives_the_reason_the_key_rested_for():
    fact = GUEST_LIFE["CredentialUnsuspended"]
    assert wire_of(fact)["data"]["reason"] == "no_show"
    assert outbox_row(fact, CONTEXT).audit.reason == "no_show"


def test_provisional_key_of_a_desk_is_never_announced():
    desk = replace(
        CORE,
        id=ProvisionalKeyId(f"prov_keycred_{ULID}"),
        origin=Origin.DESK,
        window=STAY.until(STAY.start + timedelta(hours=8)),
    )
    _, (fact,) = KeyCredential.request(desk, at=NOON)
    with pytest.raises(InvalidEvent, match="keyCredentialId"):
        announce(fact, CONTEXT)
