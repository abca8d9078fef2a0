"""The vendor's codes mean what facts §1 says they mean, to the letter."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.lock_errors import (
    DeviceNotPaired,
    KeyIssueFailed,
    KeyRevokeFailed,
    LockErrorCause,
    VendorUnreachable,
)
from shared.ports.lock_causes import PIN_REFUSED, PIN_TAKEN, WINDOW_SPENT
from shared.vendor_kit.refusals import SILENCE, Operation
from shared.vendors.ttlock.errors import REFUSALS, WAITS, wait_after
from tests.support.vendors import TTLOCK

PERMANENT, PASSING = True, False
TABLE = [
    (
        VendorUnreachable,
        PASSING,
        "90000 10003 10004 10011 80000 30006 429 30007 -3002 -3036 -3035 -3003 -3037 -2012",
    ),
    (VendorUnreachable, PERMANENT, "10000 10001 10007 30008"),
    (DeviceNotPaired, PERMANENT, "-1003 -4037 -3034 -4067 20002 -2018"),
    (KeyIssueFailed, PASSING, "-3007 -3006 -2032 -1026 -3008 -2023 -1008 -2009 -1021 -3 80002 1"),
    (KeyIssueFailed, PERMANENT, "-3009 -4056 -4043 -2025 -4064 -1027"),
]
CODES = [(code, kind, permanent) for kind, permanent, codes in TABLE for code in codes.split()]


@pytest.mark.parametrize(("code", "kind", "permanent"), CODES)
def test_code_means_an_error(code, kind, permanent):
    error = REFUSALS.error(code, Operation.ISSUE)
    assert (type(error), error.permanent, error.vendor) == (kind, permanent, TTLOCK)
    assert error.cause.vendor_code == code


def test_no_code_is_explained_that_is_not_tested():
    assert {code for code, *_ in CODES} == set(REFUSALS.table)


@pytest.mark.parametrize("code", ["-3", "80002", "1", "-99"])
def test_code_that_explains_nothing_is_called_after_what_was_done(code):
    assert type(REFUSALS.error(code, Operation.REVOKE)) is KeyRevokeFailed


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("-3007", PIN_TAKEN),
        ("-3006", PIN_REFUSED),
        ("-2032", PIN_REFUSED),
        ("-1026", WINDOW_SPENT),
        ("-3002", "gateway_offline"),
        ("-3003", "gateway_busy"),
        ("-3037", "lock_busy"),
    ],
)
def test_what_the_caller_can_put_right_has_a_cause_of_its_own(code, cause):
    assert REFUSALS.error(code, Operation.ISSUE).cause.kind == cause


@pytest.mark.parametrize(
    ("cause", "codes"),
    [
        ("gateway_offline", "-3002 -3036 -3035"),
        ("no_such_key", "-1008 -2009 -1021"),
        ("not_changeable", "-3008 -2023"),
        ("pin_taken", "-3007"),
    ],
)
def test_what_a_key_s_sync_goes_by_is_said_by_these_codes_alone(cause, codes):
    said = {code for code, meaning in REFUSALS.table.items() if meaning.cause == cause}
    assert said == set(codes.split())


def unreachable(cause):
    return VendorUnreachable(vendor=TTLOCK, cause=LockErrorCause(cause))


def test_offline_and_busy_gateways_ask_for_different_waits():
    now = datetime(2026, 5, 1, tzinfo=UTC)
    assert wait_after(unreachable("gateway_busy"), now) == timedelta(seconds=3)
    assert wait_after(unreachable("gateway_offline"), now) is None


def test_every_cause_with_a_wait_can_occur():
    causes = {meaning.cause for meaning in REFUSALS.table.values()} | set(SILENCE.values())
    assert set(WAITS) <= causes


@pytest.mark.parametrize(
    ("now", "renewed"),
    [
        (datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 31, 16, tzinfo=UTC)),
        (datetime(2026, 5, 31, 15, 59, tzinfo=UTC), datetime(2026, 5, 31, 16, tzinfo=UTC)),
        (datetime(2026, 5, 31, 16, tzinfo=UTC), datetime(2026, 6, 30, 16, tzinfo=UTC)),
        (datetime(2026, 12, 31, 20, tzinfo=UTC), datetime(2027, 1, 31, 16, tzinfo=UTC)),
        (datetime(2027, 1, 30, 20, tzinfo=UTC), datetime(2027, 1, 31, 16, tzinfo=UTC)),
    ],
)
def test_spent_quota_is_renewed_with_beijing_s_month(now, renewed):
    assert now + wait_after(unreachable("quota_spent"), now) == renewed
