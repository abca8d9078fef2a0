"""Capabilities meet: a key is possible only where adapter, every device and the policy agree."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.capabilities import LockCapabilities, shared_by, supported_kinds
from shared.domain.kinds import KeyCredentialKind

NAMES = [field.name for field in fields(LockCapabilities)]
CAPABILITIES = st.builds(LockCapabilities, **{name: st.booleans() for name in NAMES})
EVERY_KIND = tuple(KeyCredentialKind)


def test_the_abilities_are_the_specifications():
    assert NAMES == [
        "mobile_key",
        "card_encoding",
        "pin",
        "qr",
        "nfc",
        "remote_revoke",
        "remote_issue",
        "offline_issuance",
        "scope_floors",
        "scope_areas",
    ]


@pytest.mark.parametrize(
    ("ability", "kind"),
    [
        ("mobile_key", KeyCredentialKind.MOBILE_APP),
        ("pin", KeyCredentialKind.PIN_CODE),
        ("card_encoding", KeyCredentialKind.RFID_CARD),
        ("qr", KeyCredentialKind.QR_CODE),
        ("nfc", KeyCredentialKind.NFC_TAG),
    ],
)
def test_one_ability_makes_one_kind_possible(ability, kind):
    able = LockCapabilities(**{ability: True})

    assert [each for each in KeyCredentialKind if able.supports(each)] == [kind]


@given(CAPABILITIES, CAPABILITIES)
def test_meeting_is_field_by_field(left, right):
    met = left & right

    assert all(getattr(met, name) == (getattr(left, name) and getattr(right, name)) for name in NAMES)


@given(CAPABILITIES)
def test_every_ability_is_neutral_and_none_is_final(some):
    assert some & LockCapabilities.all() == some
    assert some & LockCapabilities() == LockCapabilities()


def test_a_group_without_locks_can_do_nothing():
    assert shared_by([]) == LockCapabilities()


def test_kinds_are_what_adapter_devices_and_policy_agree_on_in_the_policys_order():
    adapter = LockCapabilities(mobile_key=True, pin=True, card_encoding=True)
    keypad = LockCapabilities(mobile_key=True, pin=True)
    reader = LockCapabilities(mobile_key=True, pin=True, card_encoding=True, qr=True)
    policy = (KeyCredentialKind.PIN_CODE, KeyCredentialKind.QR_CODE, KeyCredentialKind.MOBILE_APP)

    assert supported_kinds(adapter, [keypad, reader], policy) == (
        KeyCredentialKind.PIN_CODE,
        KeyCredentialKind.MOBILE_APP,
    )


@given(CAPABILITIES, st.lists(CAPABILITIES, max_size=4))
def test_no_kind_is_promised_that_one_lock_of_the_group_cannot_do(adapter, devices):
    for kind in supported_kinds(adapter, devices, EVERY_KIND):
        assert devices
        assert all(lock.supports(kind) for lock in [adapter, *devices])
