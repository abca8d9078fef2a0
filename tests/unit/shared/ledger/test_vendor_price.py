"""Prices: read as people write them, summed without a rest, written as people read them."""

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import VendorCode
from shared.ledger.vendor_price import VendorPrice, amount_text, millionths


@pytest.mark.parametrize(
    ("text", "amount", "written"),
    [("0", 0, "0.00"), ("0.02", 20_000, "0.02"), ("12", 12_000_000, "12.00"), ("0.000001", 1, "0.000001")],
)
def test_an_amount_is_read_and_written(text, amount, written):
    assert millionths(text, "issue") == amount
    assert amount_text(amount) == written


@pytest.mark.parametrize("text", ["", "-1", "1,5", "1e3", "0.0000001", ".5", "10001", "١"])
def test_what_is_no_price_is_refused(text):
    with pytest.raises(InvalidInput, match="issue"):
        millionths(text, "issue")


def test_a_month_is_the_sum_of_what_was_done_to_the_millionth():
    price = VendorPrice(
        vendor=VendorCode("acme"), currency="EUR", issue=33_333, revoke=1, lock_month=2_000_000
    )
    assert amount_text(price.of(issued=3, revoked=2, locks=10)) == "20.100001"
    with pytest.raises(InvalidInput, match="currency"):
        VendorPrice(vendor=VendorCode("acme"), currency="euro")
