"""A mock's address says how it is to behave."""

import pytest

from shared.domain.capabilities import LockCapabilities
from shared.domain.errors import InvalidInput
from shared.domain.lock_errors import KeyIssueFailed, VendorUnreachable
from shared.vendors.mock.wishes import USUAL, Wishes


def test_specification_s_own_address_is_read():
    wishes = Wishes.parse("mock://?fail=issue&pct=20&error=VENDOR_UNREACHABLE")
    assert (wishes.fail, wishes.pct, wishes.error) == (("issue",), 20, VendorUnreachable)


def test_bare_address_succeeds_at_once():
    assert Wishes.parse("mock://") == Wishes()
    assert Wishes().capabilities == USUAL


def test_everything_can_be_wished_for():
    address = "mock://?fail=issue,revoke&pct=0.5&error=KEY_ISSUE_FAILED&permanent=true&when=after"
    wishes = Wishes.parse(f"{address}&latency=5-20&capabilities=pin,qr")
    assert wishes == Wishes(
        fail=("issue", "revoke"),
        pct=0.5,
        error=KeyIssueFailed,
        permanent=True,
        after=True,
        latency_ms=(5, 20),
        capabilities=LockCapabilities(pin=True, qr=True),
    )


@pytest.mark.parametrize(("text", "latency"), [("7", (7, 7)), ("0-1.5", (0, 1.5))])
def test_latency_is_one_number_or_two(text, latency):
    assert Wishes.parse(f"mock://?latency={text}").latency_ms == latency


def test_address_to_tell_is_read_whole():
    address = "http://127.0.0.1:9201/v3/key/get"
    assert Wishes.parse(f"mock://?latency=1&post={address}&pct=5").post == address


@pytest.mark.parametrize(
    "address",
    [
        "https://?fail=issue",
        "mock://?fail=everything",
        "mock://?pct=101",
        "mock://?pct=often",
        "mock://?error=TEAPOT",
        "mock://?error=CREDENTIAL_EXPIRED",
        "mock://?permanent=perhaps",
        "mock://?when=meanwhile",
        "mock://?pct=nan",
        "mock://?latency=slow",
        "mock://?latency=nan",
        "mock://?latency=5-nan",
        "mock://?latency=inf",
        "mock://?latency=5-inf",
        "mock://?latency=20-5",
        "mock://?capabilities=flying",
        "mock://?post=nowhere",
        "mock://?post=http://mock.example/key",
        "mock://?wish=world-peace",
    ],
)
def test_wish_it_does_not_know_is_refused(address):
    with pytest.raises(InvalidInput, match="mock"):
        Wishes.parse(address)
