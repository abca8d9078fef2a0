"""What a lock can do is what its bits, its gateway and the tenant say."""

import pytest

from shared.domain.policy import KeyKindPolicy
from shared.vendors.ttlock.capabilities import of_adapter, of_lock
from tests.support.vendors import TTLOCK

CAUTIOUS, BOLD = KeyKindPolicy(), KeyKindPolicy(accepts_unenforced_windows=(TTLOCK,))


@pytest.mark.parametrize(
    ("features", "pin", "card"),
    [(0b11, True, True), (0b01, True, False), (0b10, False, True), (0, False, False), (None, True, True)],
)
def test_bits_of_a_lock_say_passcodes_and_cards(features, pin, card):
    able = of_lock(features, CAUTIOUS, online=True)
    assert (able.pin, able.card_encoding) == (pin, card)


def test_lock_without_a_gateway_is_issued_keys_that_cannot_be_taken_back():
    able = of_lock(0b11, CAUTIOUS, online=False)
    assert (able.remote_issue, able.remote_revoke) == (True, False)


@pytest.mark.parametrize(("policy", "ekeys"), [(CAUTIOUS, False), (BOLD, True)])
def test_ekeys_are_offered_only_where_the_tenant_accepts_them(policy, ekeys):
    assert of_adapter(policy).mobile_key is ekeys
    assert of_lock(None, policy, online=True).mobile_key is ekeys


def test_what_the_vendor_has_and_we_do_not_speak_is_not_offered():
    able = of_adapter(BOLD)
    assert not any((able.qr, able.nfc, able.scope_floors, able.scope_areas))
