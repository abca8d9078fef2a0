"""What a vendor says becomes a LockError, in our words alone."""

import traceback

import pytest

from shared.domain.ids import LockDeviceId
from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import DeviceNotPaired, KeyIssueFailed, KeyRevokeFailed, VendorUnreachable
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.refusals import SILENCE, Meaning, Operation, Refusals, VendorRefused

DEVICE = LockDeviceId("lck_01KSAMP1E00000000000000101")
ACME = Refusals(
    VendorCode("acme"),
    {
        "7": Meaning(LockCause.LOCK_FULL, permanent=True),
        "8": Meaning(LockCause.NO_SUCH_LOCK, DeviceNotPaired),
        "9": Meaning(LockCause.LOCK_BUSY, VendorUnreachable),
    },
)


def spoken(error, doing=Operation.ISSUE):
    """Return what an error becomes."""
    with pytest.raises(Exception) as caught, ACME.spoken(doing, DEVICE):
        raise error
    return caught.value


@pytest.mark.parametrize(
    ("doing", "kind"),
    [
        (Operation.ISSUE, KeyIssueFailed),
        (Operation.REVOKE, KeyRevokeFailed),
        (Operation.LOOK, VendorUnreachable),
    ],
)
@pytest.mark.parametrize(("code", "cause", "permanent"), [("7", "lock_full", True), ("99", "refused", False)])
def test_refusal_without_an_error_of_its_own_is_called_after_what_was_done(
    doing, kind, code, cause, permanent
):
    error = spoken(VendorRefused(code), doing)
    assert (type(error), error.cause.kind, error.cause.vendor_code) == (kind, cause, code)
    assert (error.permanent, error.vendor, error.device_id) == (permanent, "acme", DEVICE)


@pytest.mark.parametrize(("code", "kind"), [("8", DeviceNotPaired), ("9", VendorUnreachable)])
@pytest.mark.parametrize("doing", Operation)
def test_refusal_with_an_error_of_its_own_is_that_error(doing, code, kind):
    assert type(spoken(VendorRefused(code), doing)) is kind


@pytest.mark.parametrize("silence", SILENCE)
def test_every_silence_is_an_unreachable_vendor_with_its_own_cause(silence):
    error = spoken(silence("secret words"))
    assert (type(error), error.cause.kind) == (VendorUnreachable, SILENCE[silence])
    assert "secret words" not in "".join(traceback.format_exception(error))


def test_causes_of_silence_differ():
    assert len(set(SILENCE.values())) == len(SILENCE)


def test_mistakes_of_ours_are_not_taken_for_the_vendor_s():
    assert type(spoken(ZeroDivisionError())) is ZeroDivisionError
