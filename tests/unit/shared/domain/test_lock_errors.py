"""Lock errors: the specification's codes, a verdict on retrying, and nothing that could leak."""

import pytest

from shared.domain.errors import DomainError, InvalidInput
from shared.domain.ids import KeyCredentialId, LockDeviceId, ProvisionalKeyId
from shared.domain.kinds import FailureReason
from shared.domain.lock_errors import (
    LOCK_ERRORS,
    CardEncoderOffline,
    CredentialExpired,
    DeviceNotPaired,
    KeyIssueFailed,
    KeyRevokeFailed,
    LockError,
    LockErrorCause,
    VendorUnreachable,
    failure_reason,
    lock_error_from_dict,
)
from tests.support.vendors import TTLOCK

BODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
DEVICE = LockDeviceId.mint(BODY)
KEY = KeyCredentialId.mint(BODY)
ERRORS = [
    VendorUnreachable(vendor=TTLOCK, cause=LockErrorCause("timeout")),
    KeyIssueFailed(vendor=TTLOCK, cause=LockErrorCause("duplicate_pin", "-3007", "passcode 482139 exists")),
    KeyIssueFailed(vendor=TTLOCK, permanent=True),
    KeyRevokeFailed(vendor=TTLOCK, device_id=DEVICE, credential_id=KEY),
    DeviceNotPaired(),
    DeviceNotPaired(device_id=DEVICE),
    CredentialExpired(credential_id=KEY),
    CredentialExpired(credential_id=ProvisionalKeyId.mint(BODY)),
    CardEncoderOffline(device_id=DEVICE),
]
SPECIFIED = {
    "MELMASTOON.LOCK.VENDOR_UNREACHABLE": True,
    "MELMASTOON.LOCK.KEY_ISSUE_FAILED": True,
    "MELMASTOON.LOCK.KEY_REVOKE_FAILED": True,
    "MELMASTOON.LOCK.DEVICE_NOT_PAIRED": False,
    "MELMASTOON.LOCK.CREDENTIAL_EXPIRED": False,
    "MELMASTOON.LOCK.CARD_ENCODER_OFFLINE": True,
}


def test_codes_and_retriability_are_the_specifications():
    assert {code: kind.retriable for code, kind in LOCK_ERRORS.items()} == SPECIFIED


def test_every_kind_of_lock_error_has_a_code():
    assert set(LockError.__subclasses__()) == set(LOCK_ERRORS.values())
    assert issubclass(LockError, DomainError)


@pytest.mark.parametrize("error", ERRORS)
def test_a_lock_error_survives_the_wire(error):
    read = lock_error_from_dict(error.to_dict())

    assert type(read) is type(error)
    assert read.to_dict() == error.to_dict()


@pytest.mark.parametrize(
    ("error", "permanent"),
    [(ERRORS[0], False), (ERRORS[1], False), (ERRORS[2], True), (ERRORS[4], True), (ERRORS[6], True)],
)
def test_what_is_not_retriable_is_permanent_and_a_retriable_refusal_may_be(error, permanent):
    assert error.permanent is permanent


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (VendorUnreachable, "vendor"),
        (KeyIssueFailed, "vendor"),
        (KeyRevokeFailed, "vendor"),
        (CredentialExpired, "keyCredentialId"),
        (CardEncoderOffline, "deviceId"),
    ],
)
def test_a_lock_error_names_what_its_code_is_about(kind, field):
    with pytest.raises(InvalidInput, match=f"^{field}: missing"):
        kind()


@pytest.mark.parametrize(
    "show", [repr, str, lambda error: str(error.to_dict()), lambda error: str(error.args)]
)
def test_a_vendors_words_never_show_unscrubbed(show):
    assert "482139" not in show(ERRORS[1])


def test_a_lock_error_says_its_code_subject_and_cause():
    assert str(ERRORS[1]) == "MELMASTOON.LOCK.KEY_ISSUE_FAILED (vendor ttlock): duplicate_pin"
    assert str(ERRORS[2]).endswith("; permanent")
    assert str(ERRORS[4]) == "MELMASTOON.LOCK.DEVICE_NOT_PAIRED (no subject): unknown; permanent"


@pytest.mark.parametrize(
    ("kind", "code"), [("Timed Out", None), ("", None), ("timeout", "482139; drop"), ("timeout", "")]
)
def test_a_cause_is_made_of_words_and_codes(kind, code):
    with pytest.raises(InvalidInput, match="cause"):
        LockErrorCause(kind, code)


@pytest.mark.parametrize("data", [{}, {"code": "MELMASTOON.LOCK.OTHER"}, {"code": None}])
def test_an_unknown_code_is_refused_with_the_known_ones(data):
    with pytest.raises(InvalidInput, match="VENDOR_UNREACHABLE"):
        lock_error_from_dict(data)


def test_a_wire_error_without_a_cause_has_an_unknown_one():
    assert lock_error_from_dict({"code": DeviceNotPaired.code}).cause.kind == "unknown"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (ERRORS[0], FailureReason.VENDOR_UNREACHABLE),
        (ERRORS[1], FailureReason.KEY_ISSUE_FAILED),
        (ERRORS[3], FailureReason.KEY_ISSUE_FAILED),
        (ERRORS[4], FailureReason.DEVICE_NOT_PAIRED),
        (ERRORS[6], FailureReason.CREDENTIAL_EXPIRED),
        (ERRORS[8], FailureReason.CARD_ENCODER_OFFLINE),
    ],
)
def test_the_last_error_becomes_the_reason_of_failure(error, reason):
    assert failure_reason(type(error)) is reason
