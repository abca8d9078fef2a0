"""Each request is noted with its answer: a yes, the vendor's code, or how there was none."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from shared.ports.exchanges import YES, Exchange, capture_exchanges
from shared.vendor_kit.http import TimedOut
from shared.vendor_kit.recording import record_exchange
from shared.vendor_kit.refusals import VendorRefused

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLOCK = SimpleNamespace(now=lambda: NOON)


def test_a_yes_is_noted():
    with capture_exchanges() as said, record_exchange("keyboardPwd/add", CLOCK):
        pass
    assert said == [Exchange(NOON, "keyboardPwd/add", YES)]


def test_how_long_the_vendor_took_is_noted():
    times = iter((NOON, NOON + timedelta(milliseconds=180)))
    with (
        capture_exchanges() as said,
        record_exchange("keyboardPwd/add", SimpleNamespace(now=lambda: next(times))),
    ):
        pass
    assert [each.took_ms for each in said] == [180]


@pytest.mark.parametrize(
    ("error", "answer"),
    [
        (VendorRefused("-3007"), "-3007"),
        (TimedOut("nothing was heard"), "timeout"),
        (RuntimeError("a fault of ours, with a PIN in its words: 583914"), "broken off"),
    ],
)
def test_what_went_wrong_is_noted_by_its_code_alone_and_goes_on(error, answer):
    with capture_exchanges() as said, pytest.raises(type(error)), record_exchange("keyboardPwd/add", CLOCK):
        raise error
    assert [each.answer for each in said] == [answer]
