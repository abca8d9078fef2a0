"""The vocabulary, held against the specification's words."""

import re

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import (
    Area,
    ClaimKey,
    FailureReason,
    KeyCredentialKind,
    KeyWarning,
    RevokeReason,
    SetRole,
    SuspendReason,
    VendorCode,
    merge_warnings,
)
from tests.support.vendors import PHASE_1_VENDORS


@pytest.mark.parametrize(
    ("vocabulary", "words"),
    [
        (KeyCredentialKind, "mobile_app pin_code rfid_card qr_code nfc_tag"),
        (SuspendReason, "no_show fraud_review overdue_payment manual"),
        (RevokeReason, "checkout cancellation security lost replaced"),
        (Area, "lobby gym pool spa parking"),
        (SetRole, "first joiner copy replacement one_shot"),
    ],
)
def test_the_words_are_the_specifications(vocabulary, words):
    assert [word.value for word in vocabulary] == words.split()


def test_a_key_can_fail_for_every_reason_it_could_be_revoked_for():
    assert {reason.value for reason in RevokeReason} <= {reason.value for reason in FailureReason}


def test_the_four_vendors_of_the_first_phase_are_named_as_in_the_specification():
    assert list(PHASE_1_VENDORS) == ["ttlock", "salto", "assa-abloy", "generic-wiegand"]


@pytest.mark.parametrize("code", ["ttlock", "dormakaba-saflok", "v2", "a" * 20])
def test_a_vendor_code_fits_the_name_of_its_adapter(code):
    assert re.fullmatch(r"[a-z][a-z0-9-]{5,27}", f"adapter-{VendorCode(code)}")


@pytest.mark.parametrize(
    "code", ["", "a", "TTLock", "-a", "a-", "a--b", "9a", "a" * 21, "a_b", "a\n", None, 5]
)
def test_a_bad_vendor_code_is_refused(code):
    with pytest.raises(InvalidInput, match=r"^vendor: .*acme-locks"):
        VendorCode(code)


@pytest.mark.parametrize("claim", ["", "sha256:", "sha256:" + "G" * 64, "md5:" + "0" * 64, "0" * 64, None])
def test_a_claim_is_a_sha256_with_its_name(claim):
    with pytest.raises(InvalidInput, match="claim"):
        ClaimKey(claim)


@pytest.mark.parametrize("code", ["clock skew", "", "a", "clock_skew", "PIN 1234"])
def test_a_warning_has_a_code_machines_can_read(code):
    with pytest.raises(InvalidInput, match="warning code"):
        KeyWarning(code)


@pytest.mark.parametrize("secret", ["482139", "24350112", "0a1B2c3D4e5F6a7B8c9D", "eyJhbGciOiJIUzI1NiJ9.e30"])
def test_a_warning_cannot_carry_a_pin_or_a_reference(secret):
    assert secret not in KeyWarning("WINDOW_ROUNDED", f"the vendor says {secret}").detail


def test_a_warning_keeps_dates_and_fits_its_event():
    dated = "opens from 2026-05-01 14:00 to 2026-05-04 11:00 UTC, 12 minutes late"
    assert KeyWarning("WINDOW_ROUNDED", dated).detail == dated
    assert len(KeyWarning("WINDOW_ROUNDED", "late " * 999).detail) <= 300


def test_warnings_merge_in_order_each_once():
    skew, rounded = KeyWarning("CLOCK_SKEW"), KeyWarning("WINDOW_ROUNDED")

    assert merge_warnings([skew], [rounded, skew]) == (skew, rounded)
