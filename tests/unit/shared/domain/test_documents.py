"""Documents round trip, and are refused when they do not say exactly what we understand."""

import copy
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.core import Staff
from shared.domain.credential import KeyCredential
from shared.domain.documents import from_document, to_document
from shared.domain.errors import InvalidInput, UnknownSchemaVersion
from shared.domain.ids import KeyCredentialId, LockDeviceId, MasterKeyId, ProvisionalKeyId, UserId
from shared.domain.kinds import (
    SAGA,
    Area,
    FailureReason,
    KeyCredentialKind,
    KeyWarning,
    Origin,
    RevokeReason,
    SetRole,
    SuspendReason,
    VendorCode,
)
from shared.domain.plan import AttemptMade, Choice, IssuePlan
from shared.domain.policy import KeyKindPolicy
from shared.domain.scope import AccessScope
from shared.domain.secret import Secret
from shared.domain.states import (
    Active,
    Failed,
    IssuedKey,
    LockSettlement,
    Pending,
    Requested,
    Revoked,
    Suspended,
)
from shared.domain.window import StayWindow

BODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
OTHER = "01ARZ3NDEKTSV4RRFFQ69G5FAW"

INSTANTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds
VENDORS = st.sampled_from(["ttlock", "salto", "new-vendor"]).map(VendorCode)
KINDS = st.sampled_from(KeyCredentialKind)
CHOICES = st.builds(Choice, VENDORS, KINDS)
WINDOWS = st.builds(
    lambda start, hours, zone: StayWindow(start, start + timedelta(hours=hours), zone),
    INSTANTS,
    st.integers(1, 48),
    st.sampled_from(["Asia/Kabul", "UTC"]),
)
WARNINGS = st.lists(st.builds(KeyWarning, st.sampled_from(["CLOCK_SKEW", "WINDOW_ROUNDED"]), st.text())).map(
    tuple
)
KEYS = st.builds(IssuedKey, VENDORS, KINDS, WINDOWS, INSTANTS)
ACTORS = st.sampled_from([UserId("usr_1"), SAGA])
SETTLEMENTS = st.builds(
    LockSettlement, st.just(LockDeviceId.mint(BODY)), st.just(False), st.none() | INSTANTS
)
STATES = st.one_of(
    st.just(Requested()),
    st.builds(Pending, INSTANTS),
    st.builds(Active, KEYS),
    st.builds(Suspended, KEYS, st.sampled_from(SuspendReason), INSTANTS, ACTORS),
    st.builds(
        Revoked,
        KEYS,
        st.sampled_from(RevokeReason),
        INSTANTS,
        st.sampled_from([None, KeyCredentialId.mint(OTHER), ProvisionalKeyId.mint(OTHER)]),
        st.lists(SETTLEMENTS, max_size=1).map(tuple),
    ),
    st.builds(Failed, st.sampled_from(FailureReason), INSTANTS, st.none() | st.text()),
)
PLANS = st.lists(CHOICES, min_size=1, max_size=4, unique=True).flatmap(
    lambda choices: st.builds(
        IssuePlan,
        st.just(tuple(choices)),
        st.integers(0, len(choices) - 1),
        st.lists(
            st.builds(AttemptMade, CHOICES, INSTANTS, st.none() | st.just("KEY_ISSUE_FAILED")), max_size=6
        ).map(tuple),
    )
)
SCOPES = st.builds(
    AccessScope, st.just(("3", "roof")), st.lists(st.sampled_from(Area)).map(tuple), st.booleans()
)
REACHES = st.sampled_from(
    [
        {},
        {"holder": Staff(UserId("usr_1"), MasterKeyId.mint(BODY)), "rooms": ()},
        {"holder": Staff(UserId("usr_1")), "role": SetRole.ONE_SHOT},
        {"origin": Origin.DESK, "id": ProvisionalKeyId.mint(BODY)},
        {"origin": Origin.DESK, "local_id": ProvisionalKeyId.mint(BODY)},
        {"role": SetRole.REPLACEMENT, "replaces": ProvisionalKeyId.mint(OTHER)},
    ]
)


GOLDEN = {
    "schema_version": 1,
    "core": {
        "id": f"key_{BODY}",
        "tenant": "tnt_silk",
        "property_id": "ppt_kabul",
        "holder": {"type": "guest", "guest_id": "gst_1", "reservation_id": "rsv_1"},
        "rooms": ["rmu_204"],
        "window": {"start": "2026-05-01T09:30:00Z", "end": "2026-05-04T09:30:00Z", "zone": "Asia/Kabul"},
        "plan": {
            "choices": [
                {"vendor": "ttlock", "kind": "pin_code"},
                {"vendor": "generic-wiegand", "kind": "rfid_card"},
            ],
            "position": 0,
            "made": [],
        },
        "claim": "sha256:" + "9c" * 32,
        "scope": {"floors": [], "areas": [], "back_of_house": False},
        "role": "first",
        "origin": "cloud",
        "local_id": None,
        "replaces": None,
        "warnings": [],
    },
    "state": {
        "type": "suspended",
        "key": {
            "vendor": "ttlock",
            "kind": "pin_code",
            "effective": {
                "start": "2026-05-01T09:30:00Z",
                "end": "2026-05-04T09:30:00Z",
                "zone": "Asia/Kabul",
            },
            "issued_at": "2026-04-30T10:00:00Z",
        },
        "reason": "no_show",
        "suspended_at": "2026-04-30T10:00:00Z",
        "suspended_by": "saga",
    },
    "sequence": 4,
    "version": 4,
    "changed_at": "2026-04-30T10:00:00Z",
}


def changed(path, value):
    """Return the golden document with one value changed, or taken out when the value is `...`."""
    document = copy.deepcopy(GOLDEN)
    *road, last = path
    place = document
    for step in road:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


@given(STATES, PLANS, SCOPES, REACHES, WINDOWS, WARNINGS, INSTANTS, st.integers(1, 9), st.integers(0, 9))
def test_any_key_credential_survives_json(
    make_core, state, plan, scope, reach, window, warnings, at, sequence, more
):
    core = replace(
        make_core(), **{**reach, "plan": plan, "scope": scope, "window": window, "warnings": warnings}
    )
    key = KeyCredential(core=core, state=state, sequence=sequence, version=sequence + more, changed_at=at)

    read = from_document(KeyCredential, json.loads(json.dumps(to_document(key))))

    assert read == key
    assert type(read.core.id) is type(key.core.id)
    assert to_document(read) == to_document(key)


def test_the_stored_shape_is_this_one(key_in):
    assert to_document(key_in(Suspended)) == GOLDEN


def test_the_stored_shape_is_still_read(key_in):
    assert from_document(KeyCredential, GOLDEN) == key_in(Suspended)


def test_what_the_store_adds_for_itself_is_passed_over(key_in):
    assert from_document(KeyCredential, {**GOLDEN, "_expires": 5}) == key_in(Suspended)


@pytest.mark.parametrize("version", [0, 2, "1", True, None, ...])
def test_an_unknown_schema_version_is_refused_with_what_to_do(version):
    with pytest.raises(UnknownSchemaVersion, match=r"schema_version: .* version 1 of KeyCredential: deploy"):
        from_document(KeyCredential, changed(["schema_version"], version))


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (["sequence"], ..., "sequence"),
        (["sequence"], "4", "sequence"),
        (["sequence"], True, "sequence"),
        (["core"], [], "core"),
        (["core", "tenant"], "tnt/..", "core.tenant"),
        (["core", "id"], "gst_1", "core.id"),
        (["core", "rooms"], "rmu_204", "core.rooms"),
        (["core", "rooms", 0], 7, "core.rooms[0]"),
        (["core", "role"], "only", "core.role"),
        (["core", "holder", "type"], "ghost", "core.holder.type"),
        (["core", "holder"], None, "core.holder.type"),
        (["core", "window", "end"], "2026-01-01T00:00:00Z", "core.window.validUntil"),
        (["core", "window", "zone"], "Mars/Olympus", "core.window.zone"),
        (["core", "scope", "back_of_house"], 0, "core.scope.back_of_house"),
        (["core", "plan", "position"], 9, "core.plan.position"),
        (["state", "suspended_at"], "noon", "state.suspended_at"),
        (["state", "type"], ["x"], "state.type"),
        (["state", "suspended_by"], "somebody", "state.suspended_by"),
        (["version"], 3, "sequence"),
    ],
)
def test_a_document_that_says_something_else_is_refused_by_field(path, value, field):
    with pytest.raises(InvalidInput) as refusal:
        from_document(KeyCredential, changed(path, value))

    assert refusal.value.field == field


@pytest.mark.parametrize("path", [["surplus"], ["core", "surplus"], ["core", "window", "surplus"]])
def test_a_field_of_a_newer_release_is_passed_over_in_what_we_store_and_refused_in_what_people_write(
    key_in, path
):
    newer = changed(path, 1)
    assert from_document(KeyCredential, newer) == key_in(Suspended)
    with pytest.raises(InvalidInput, match=path[0]):
        from_document(KeyCredential, newer, strict=True)


def test_a_refusal_never_repeats_what_was_stored():
    with pytest.raises(InvalidInput) as refusal:
        from_document(KeyCredential, changed(["core", "rooms", 0], "48213907"))

    assert "48213907" not in str(refusal.value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    ),
    st.sampled_from([["core"], ["state"], ["core", "plan"], ["core", "holder"], ["changed_at"]]),
)
def test_any_json_in_any_place_is_read_or_refused_by_name(junk, path):
    with pytest.raises(InvalidInput):
        from_document(KeyCredential, changed(path, junk))


def test_a_secret_cannot_enter_a_document():
    @dataclass(frozen=True)
    class Leaky:
        schema_version: ClassVar[int] = 1
        pin: Secret

    with pytest.raises(TypeError, match="seal a Secret first"):
        to_document(Leaky(Secret("48213907")))


@pytest.mark.parametrize("missing", ["at", "rooms", "within"])
def test_what_may_not_be_missing_is_not_written_as_missing(missing):
    """Whoever reads it next refuses the whole document: a key that nobody can tend any more."""

    @dataclass(frozen=True, slots=True)
    class Told:
        schema_version: ClassVar[int] = 1
        at: datetime
        rooms: tuple[KeyCredentialId, ...]
        within: AttemptMade | Choice
        perhaps: datetime | None = None

    whole = Told(
        datetime(2026, 5, 1, 12, tzinfo=UTC), (), Choice(VendorCode("ttlock"), KeyCredentialKind.PIN_CODE)
    )
    assert to_document(whole)["perhaps"] is None
    with pytest.raises((AttributeError, TypeError, KeyError)):
        to_document(replace(whole, **{missing: None}))


def test_a_policy_survives_its_document():
    policy = KeyKindPolicy(
        preferred_kinds=(KeyCredentialKind.RFID_CARD,),
        version=7,
        accepts_unenforced_windows=(VendorCode("ttlock"),),
    )

    assert from_document(KeyKindPolicy, json.loads(json.dumps(to_document(policy)))) == policy
