"""Policies: defaults, settings laid over them, and refusals that say what to write instead."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import SALTO, TTLOCK, WINDOW_NOT_ENFORCED, KeyCredentialKind
from shared.domain.policy import DEFAULT_POLICY, KeyKindPolicy, warnings_for

NOW = datetime(2026, 5, 1, 16, 0, tzinfo=UTC)
MOBILE = KeyCredentialKind.MOBILE_APP
PIN = KeyCredentialKind.PIN_CODE


def test_the_default_suspends_a_no_show_at_once_and_keeps_ttlock_ekeys_off():
    assert DEFAULT_POLICY.no_show_suspend_after_hours == 0
    assert DEFAULT_POLICY.suspends_no_show_at(NOW) == NOW
    assert not DEFAULT_POLICY.ttlock_ekeys
    assert set(DEFAULT_POLICY.preferred_kinds) == set(KeyCredentialKind)


def test_settings_lie_over_what_is_there_and_leave_the_rest():
    tenant = DEFAULT_POLICY.with_settings({"preferredKinds": ["rfid_card", "pin_code"], "version": 3})
    hotel = tenant.with_settings({"noShowSuspendAfterHours": 4, "ttlockEKeys": True, "pinDigits": 8})

    assert hotel == KeyKindPolicy(
        preferred_kinds=(KeyCredentialKind.RFID_CARD, PIN),
        no_show_suspend_after_hours=4,
        ttlock_ekeys=True,
        pin_digits=8,
        version=3,
    )
    assert hotel.suspends_no_show_at(NOW) == NOW + timedelta(hours=4)


def test_the_desk_can_be_kept_from_issuing_offline():
    assert DEFAULT_POLICY.offline_issuance
    assert not DEFAULT_POLICY.with_settings({"offlineIssuance": False}).offline_issuance


@pytest.mark.parametrize(
    ("settings", "field", "remedy"),
    [
        ({"preferredKinds": []}, "preferredKinds", "once"),
        ({"preferredKinds": ["pin_code", "pin_code"]}, "preferredKinds", "once"),
        ({"preferredKinds": ["key_ring"]}, "preferredKinds", "mobile_app"),
        ({"preferredKinds": [["pin_code"]]}, "preferredKinds", "mobile_app"),
        ({"preferredKinds": "pin_code"}, "preferredKinds", "mobile_app"),
        ({"noShowSuspendAfterHours": -1}, "noShowSuspendAfterHours", "0 to 168"),
        ({"noShowSuspendAfterHours": 1.5}, "noShowSuspendAfterHours", "whole number"),
        ({"noShowSuspendAfterHours": True}, "noShowSuspendAfterHours", "whole number"),
        ({"pinDigits": 4}, "pinDigits", "6 to 8"),
        ({"offlineIssuance": "yes"}, "offlineIssuance", "true or false"),
        ({"ttlockEKeys": 1}, "ttlockEKeys", "true or false"),
        ({"version": -1}, "version", "whole number"),
        ({"noShowSuspendAfter": 2}, "noShowSuspendAfter", "noShowSuspendAfterHours"),
    ],
)
def test_a_bad_setting_is_refused_by_name_with_what_to_write(settings, field, remedy):
    with pytest.raises(InvalidInput) as refusal:
        DEFAULT_POLICY.with_settings(settings)

    assert refusal.value.field == field
    assert remedy in refusal.value.remedy


def test_a_guest_gets_no_ekey_on_ttlock_unless_the_tenant_asked_for_them():
    asked = DEFAULT_POLICY.with_settings({"ttlockEKeys": True})

    assert MOBILE not in DEFAULT_POLICY.kinds_for(TTLOCK)
    assert DEFAULT_POLICY.kinds_for(TTLOCK)[0] is PIN
    assert MOBILE in asked.kinds_for(TTLOCK)
    assert DEFAULT_POLICY.kinds_for(SALTO) == DEFAULT_POLICY.preferred_kinds


def test_an_ekey_on_ttlock_is_never_given_without_a_warning():
    assert [warning.code for warning in warnings_for(TTLOCK, MOBILE)] == [WINDOW_NOT_ENFORCED]
    assert warnings_for(TTLOCK, PIN) == warnings_for(SALTO, MOBILE) == ()
