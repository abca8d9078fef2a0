"""Policies: defaults, settings laid over them, and refusals that say what to write instead."""

from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import KeyCredentialKind
from shared.domain.policy import DEFAULT_POLICY, KeyKindPolicy
from tests.support.vendors import SALTO, TTLOCK

NOW = datetime(2026, 5, 1, 16, 0, tzinfo=UTC)
MOBILE = KeyCredentialKind.MOBILE_APP
PIN = KeyCredentialKind.PIN_CODE


def test_the_default_suspends_a_no_show_at_once_and_accepts_no_unenforced_windows():
    assert DEFAULT_POLICY.no_show_suspend_after_hours == 0
    assert DEFAULT_POLICY.suspends_no_show_at(NOW) == NOW
    assert not DEFAULT_POLICY.accepts_unenforced_windows
    assert set(DEFAULT_POLICY.preferred_kinds) == set(KeyCredentialKind)


def test_settings_lie_over_what_is_there_and_leave_the_rest():
    tenant = DEFAULT_POLICY.with_settings({"preferredKinds": ["rfid_card", "pin_code"], "version": 3})
    hotel = tenant.with_settings(
        {"noShowSuspendAfterHours": 4, "acceptsUnenforcedWindows": ["ttlock"], "pinDigits": 8}
    )

    assert hotel == KeyKindPolicy(
        preferred_kinds=(KeyCredentialKind.RFID_CARD, PIN),
        no_show_suspend_after_hours=4,
        accepts_unenforced_windows=(TTLOCK,),
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
        ({"acceptsUnenforcedWindows": "ttlock"}, "acceptsUnenforcedWindows", "codes"),
        ({"acceptsUnenforcedWindows": ["TTLock"]}, "vendor", "lower-case"),
        ({"version": -1}, "version", "whole number"),
        ({"noShowSuspendAfter": 2}, "noShowSuspendAfter", "noShowSuspendAfterHours"),
    ],
)
def test_a_bad_setting_is_refused_by_name_with_what_to_write(settings, field, remedy):
    with pytest.raises(InvalidInput) as refusal:
        DEFAULT_POLICY.with_settings(settings)

    assert refusal.value.field == field
    assert remedy in refusal.value.remedy


def test_a_guest_gets_no_key_that_no_lock_ends_unless_the_tenant_accepts_that():
    asked = DEFAULT_POLICY.with_settings({"acceptsUnenforcedWindows": ["ttlock"]})

    assert MOBILE not in DEFAULT_POLICY.kinds_for(TTLOCK, {MOBILE})
    assert DEFAULT_POLICY.kinds_for(TTLOCK, {MOBILE})[0] is PIN
    assert MOBILE in asked.kinds_for(TTLOCK, {MOBILE})
    assert MOBILE not in asked.kinds_for(SALTO, {MOBILE})
    assert DEFAULT_POLICY.kinds_for(SALTO) == DEFAULT_POLICY.preferred_kinds


@pytest.mark.parametrize(("said", "accepted"), [(True, (TTLOCK,)), (False, ())])
def test_the_setting_of_the_first_release_is_still_read(said, accepted):
    assert DEFAULT_POLICY.with_settings({"ttlockEKeys": said}).accepts_unenforced_windows == accepted
