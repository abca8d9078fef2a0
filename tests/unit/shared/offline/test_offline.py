"""What bounds a desk without the network: believed only when proved, whole, ours and in time."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey

from shared.domain.errors import InvalidInput
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
from shared.offline.certificate import OfflineCertificate, RevocationList, why_not
from shared.offline.signing import LARGEST, SignedRefused, opened, signed

NOW = datetime(2026, 11, 19, 8, tzinfo=UTC)
AUTHORITY, OTHER, DEVICE = SigningKey(bytes(32)), SigningKey(b"\x01" * 32), SigningKey(b"\x02" * 32)
TRUSTED = [AUTHORITY.verify_key]
CERTIFICATE = OfflineCertificate(
    serial="lock-oic-2026-11-19-01J9Z8Y7X6W5V4T3S2R1Q0P9N8",
    tenant=TenantId("tnt_silk"),
    property_id=PropertyId("ppt_lake"),
    device=DesktopDeviceId("dev_desk"),
    device_key=bytes(DEVICE.verify_key),
    kinds=(KeyCredentialKind.RFID_CARD, KeyCredentialKind.PIN_CODE),
    begins=NOW,
)
NOBODY = RevocationList(number=3, issued=NOW, serials=frozenset())
STAY = ExpectedStay(
    reservation=ReservationId("rsv_1"),
    guest=GuestId("gst_1"),
    rooms=(RoomId("rmu_204"),),
    window=StayWindow(NOW, NOW + timedelta(days=3), "Asia/Kabul"),
    status="confirmed",
    payment="captured",
)
PACK = ArrivalsPack(
    tenant=CERTIFICATE.tenant,
    property_id=CERTIFICATE.property_id,
    device=CERTIFICATE.device,
    issued=NOW,
    stays=(STAY, replace(STAY, reservation=ReservationId("rsv_2"), holds=("fraud_review",))),
    staff=(StaffRights(user=UserId("usr_1"), permissions=frozenset({Permission.KEY_ISSUE_OFFLINE})),),
    revoked=replace(NOBODY, serials=frozenset({"lock-oic-x"})),
)
SIGNED = [CERTIFICATE, NOBODY, PACK]


@pytest.mark.parametrize("it", SIGNED, ids=lambda it: type(it).__name__)
def test_what_is_signed_comes_back(it):
    assert type(it).open(it.sign(AUTHORITY), TRUSTED) == it


@pytest.mark.parametrize("it", SIGNED, ids=lambda it: type(it).__name__)
def test_another_s_signature_and_another_purpose_s_are_refused(it):
    with pytest.raises(SignedRefused, match="signer"):
        type(it).open(it.sign(OTHER), TRUSTED)
    for other in SIGNED:
        if other is not it:
            with pytest.raises(SignedRefused, match="signature"):
                type(it).open(other.sign(AUTHORITY), TRUSTED)


@pytest.mark.parametrize("it", SIGNED, ids=lambda it: type(it).__name__)
def test_changed_document_is_refused(it):
    told = json.loads(it.sign(AUTHORITY))
    for name in told["document"]:
        changed = {**told, "document": {**told["document"], name: "x"}}
        with pytest.raises(SignedRefused):
            type(it).open(json.dumps(changed).encode(), TRUSTED)


@pytest.mark.parametrize("it", SIGNED, ids=lambda it: type(it).__name__)
def test_well_signed_content_that_we_cannot_read_is_refused(it):
    purpose = {OfflineCertificate: "certificate", RevocationList: "revocations"}.get(type(it))
    name = f"keyfleet offline {purpose}" if purpose else "keyfleet arrivals"
    document = opened(name, it.sign(AUTHORITY), TRUSTED)

    for field in document:
        without = {key: value for key, value in document.items() if key != field}
        # A cloud of the release before says nothing of radio.
        said = () if field == "radio" else (without,)
        for changed in (*said, {**document, field: 17.5}, {**document, field: None}):
            with pytest.raises(SignedRefused):
                type(it).open(signed(name, changed, AUTHORITY), TRUSTED)


@given(
    st.binary(max_size=200) | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(json.dumps)
)
def test_whatever_comes_is_refused(data):
    with pytest.raises(SignedRefused):
        opened("x", data if isinstance(data, bytes) else data.encode(), TRUSTED)


def test_document_that_is_too_large_is_refused_unread():
    with pytest.raises(SignedRefused, match="size"):
        opened("x", bytes(LARGEST + 1), TRUSTED)
    with pytest.raises(SignedRefused, match="document"):
        signed("x", {"number": 2**60}, AUTHORITY)


def test_certificate_lasts_ninety_days_and_is_renewed_a_fortnight_before():
    assert CERTIFICATE.ends - CERTIFICATE.begins == timedelta(days=90)
    assert CERTIFICATE.ends - CERTIFICATE.renew_from == timedelta(days=14)


@pytest.mark.parametrize(
    ("reason", "revoked", "key", "at"),
    [
        (None, NOBODY, DEVICE, NOW),
        (None, None, DEVICE, NOW - timedelta(minutes=5)),
        (None, NOBODY, DEVICE, CERTIFICATE.ends - timedelta(seconds=1)),
        ("not_yet_valid", NOBODY, DEVICE, NOW - timedelta(minutes=6)),
        ("expired", NOBODY, DEVICE, CERTIFICATE.ends),
        ("another_device", NOBODY, OTHER, NOW),
        ("revoked", replace(NOBODY, serials=frozenset({CERTIFICATE.serial})), DEVICE, NOW),
    ],
)
def test_desk_may_work_under_its_certificate_or_is_told_why_not(reason, revoked, key, at):
    assert why_not(CERTIFICATE, revoked, bytes(key.verify_key), at) == reason


@pytest.mark.parametrize(
    "change",
    [
        {"serial": "x"},
        {"device_key": b""},
        {"kinds": ()},
        {"longest": timedelta(hours=49)},
        {"longest": timedelta(0)},
    ],
)
def test_certificate_beyond_the_rules_cannot_be_made(change):
    with pytest.raises(InvalidInput):
        replace(CERTIFICATE, **change)


def test_older_revocation_list_never_replaces_a_newer_one():
    newer = replace(NOBODY, number=4)

    assert newer.newer(NOBODY)
    assert NOBODY.newer(None)
    assert not NOBODY.newer(newer)
    assert not NOBODY.newer(NOBODY)


@pytest.mark.parametrize(
    ("age", "fresh"),
    [
        (timedelta(0), True),
        (timedelta(hours=47, minutes=59), True),
        (timedelta(hours=48), False),
        (-timedelta(minutes=5), True),
        (-timedelta(minutes=6), False),
    ],
)
def test_pack_is_relied_on_for_two_days(age, fresh):
    assert PACK.fresh(NOW + age) is fresh


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({}, None),
        ({"payment": "cash_on_arrival_pending"}, None),
        ({"payment": "pending"}, "not_paid"),
        ({"status": "cancelled"}, "not_confirmed"),
        ({"holds": ("fraud_review",)}, "held"),
    ],
)
def test_stay_may_have_a_key_or_says_why_not(change, reason):
    assert replace(STAY, **change).why_not() == reason


def test_pack_knows_its_stays_and_its_staff():
    assert PACK.stay("rsv_1") == STAY
    assert PACK.stay("rsv_9") is None
    assert PACK.may("usr_1", Permission.KEY_ISSUE_OFFLINE)
    assert not PACK.may("usr_1", Permission.KEY_REVOKE)
    assert not PACK.may("usr_2", Permission.KEY_ISSUE_OFFLINE)


def test_permission_of_a_later_release_is_passed_over():
    document = opened("keyfleet arrivals", PACK.sign(AUTHORITY), TRUSTED)
    document["staff"][0]["permissions"].append("lock.key.teleport")

    assert ArrivalsPack.open(signed("keyfleet arrivals", document, AUTHORITY), TRUSTED) == PACK
