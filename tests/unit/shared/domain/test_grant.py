"""Grants: every state by every command, and what a grant remembers."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import get_args

import pytest

from shared.domain.capabilities import LockCapabilities
from shared.domain.documents import from_document, to_document
from shared.domain.errors import IllegalTransition, InvalidInput
from shared.domain.grant import Grant, VendorCall
from shared.domain.grant_lifecycle import (
    GRANT_TABLE,
    Close,
    ConfirmRemoval,
    Extend,
    GiveUp,
    GrantCommand,
    GrantState,
    Intended,
    Lapse,
    Place,
    Placed,
    Placement,
    RemovalProof,
    Removed,
    Removing,
    Residual,
    Rest,
    Resting,
    Withdraw,
)
from shared.domain.ids import GrantId, KeyCredentialId, LockDeviceId, PropertyId, RoomId, TenantId, UserId
from shared.domain.kinds import ClaimKey, KeyCredentialKind
from tests.support.vendors import TTLOCK

BODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
OTHER = "01ARZ3NDEKTSV4RRFFQ69G5FAW"
NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
CHECKOUT = NOW + timedelta(days=2)
CLERK = UserId("usr_clerk")
INDEX = "ab" * 32

CALL = VendorCall(
    claim=ClaimKey("sha256:" + "9c" * 32),
    credential_id=KeyCredentialId.mint(BODY),
    device_id=LockDeviceId.mint(BODY),
    kind=KeyCredentialKind.PIN_CODE,
    secret_try=0,
    step="issue",
)
GRANT = Grant(
    id=GrantId.mint(BODY),
    tenant=TenantId("tnt_silk"),
    property_id=PropertyId("ppt_kabul"),
    credential_id=KeyCredentialId.mint(BODY),
    device_id=LockDeviceId.mint(BODY),
    rooms=(RoomId("rmu_204"),),
    vendor=TTLOCK,
    kind=KeyCredentialKind.PIN_CODE,
    vendor_key=CALL.key,
    capabilities=LockCapabilities(pin=True),
    exposure_until=CHECKOUT,
    state=Intended(),
    version=1,
    changed_at=NOW,
    pin_index=INDEX,
)
STATES = {
    Intended: Intended(),
    Placed: Placed(Placement.ACCEPTED, NOW),
    Resting: Resting(NOW),
    Removing: Removing(NOW),
    Removed: Removed(NOW, RemovalProof.VENDOR_CONFIRMED),
    Residual: Residual(NOW, "vendor_unreachable"),
}
COMMANDS = {
    Place: Place(at=NOW, placement=Placement.ON_LOCK),
    Extend: Extend(at=NOW, exposure_until=CHECKOUT + timedelta(days=1)),
    Rest: Rest(at=NOW),
    Withdraw: Withdraw(at=NOW),
    ConfirmRemoval: ConfirmRemoval(at=NOW),
    GiveUp: GiveUp(at=NOW, cause="vendor_unreachable"),
    Close: Close(at=NOW, by=CLERK),
    Lapse: Lapse(at=CHECKOUT),
}
EXPECTED = {
    "Intended Place": "Placed",
    "Intended Extend": "Intended",
    "Intended Rest": "Resting",
    "Intended GiveUp": "Residual",
    "Intended Withdraw": "Removing",
    "Placed Place": "Placed",
    "Placed Extend": "Placed",
    "Placed Rest": "Resting",
    "Placed GiveUp": "Residual",
    "Placed Withdraw": "Removing",
    "Resting Place": "Placed",
    "Resting Extend": "Resting",
    "Resting Withdraw": "Removing",
    "Removing ConfirmRemoval": "Removed",
    "Removing GiveUp": "Residual",
    "Residual Place": "Placed",
    "Residual Extend": "Residual",
    "Residual Rest": "Resting",
    "Residual Withdraw": "Removing",
    "Residual ConfirmRemoval": "Removed",
    "Residual Close": "Removed",
    "Residual Lapse": "Removed",
}


def in_state(state):
    return replace(GRANT, state=STATES[state])


@pytest.mark.parametrize(("state", "command"), list(product(get_args(GrantState), get_args(GrantCommand))))
def test_a_grant_takes_what_its_table_says_and_refuses_the_rest(state, command):
    grant = in_state(state)
    before = to_document(grant)
    expected = EXPECTED.get(f"{state.__name__} {command.__name__}")

    if expected is None:
        with pytest.raises(IllegalTransition):
            grant.apply(COMMANDS[command])
    else:
        changed = grant.apply(COMMANDS[command])
        assert type(changed.state).__name__ == expected
        assert GRANT_TABLE[state][command] is type(changed.state)
        assert changed.version == grant.version + 1
    assert to_document(grant) == before


@pytest.mark.parametrize("state", get_args(GrantState))
def test_only_a_removed_grant_is_over(state):
    assert in_state(state).over == (state is Removed)


@pytest.mark.parametrize("state", get_args(GrantState))
def test_a_grant_survives_its_document(state):
    grant = in_state(state)

    assert from_document(Grant, to_document(grant)) == grant


def test_a_vendor_that_never_had_it_proves_the_removal():
    grant = in_state(Removing).apply(ConfirmRemoval(at=NOW, proof=RemovalProof.NEVER_PLACED))

    assert grant.state == Removed(NOW, RemovalProof.NEVER_PLACED)


def test_placement_only_ever_advances():
    grant = GRANT
    for placement in (Placement.ACCEPTED, Placement.USED, Placement.ON_LOCK):
        grant = grant.apply(Place(at=NOW, placement=placement))

    assert grant.state == Placed(Placement.USED, NOW)


def test_being_told_the_same_placement_twice_changes_nothing():
    placed = GRANT.apply(Place(at=NOW))

    assert placed.apply(Place(at=NOW + timedelta(hours=1))) is placed


def test_placing_notes_the_vendors_reference_and_the_exposure_it_brings():
    longer = CHECKOUT + timedelta(hours=1)

    placed = GRANT.apply(Place(at=NOW, exposure_until=longer, vendor_ref_index=INDEX))

    assert (placed.exposure_until, placed.vendor_ref_index, placed.pin_index) == (longer, INDEX, INDEX)


def test_a_residue_closed_by_staff_names_who_closed_it():
    assert in_state(Residual).apply(COMMANDS[Close]).state.closed_by == CLERK


@pytest.mark.parametrize(
    ("proof", "closed_by"), [(RemovalProof.CLOSED_BY_STAFF, None), (RemovalProof.LAPSED, CLERK)]
)
def test_who_closed_it_is_known_if_and_only_if_somebody_did(proof, closed_by):
    with pytest.raises(InvalidInput, match="closedBy"):
        Removed(NOW, proof, closed_by)


@pytest.mark.parametrize("until", [CHECKOUT, None])
def test_a_residue_does_not_lapse_before_its_exposure_is_over(until):
    residue = replace(in_state(Residual), exposure_until=until)

    with pytest.raises(InvalidInput, match="not over"):
        residue.apply(Lapse(at=CHECKOUT - timedelta(seconds=1)))


def test_a_grants_time_never_runs_backwards():
    assert GRANT.apply(Withdraw(at=NOW - timedelta(days=1))).state == Removing(NOW)


@pytest.mark.parametrize("field", ["pin_index", "vendor_ref_index"])
def test_a_grant_never_holds_a_pin_or_reference_where_its_index_belongs(field):
    with pytest.raises(InvalidInput) as refusal:
        replace(GRANT, **{field: "48213907"})

    assert refusal.value.field == field
    assert "48213907" not in str(refusal.value)


def test_a_residue_has_a_plain_cause():
    with pytest.raises(InvalidInput, match="cause"):
        Residual(NOW, "pin 48213907 refused")


def test_the_vendor_visible_name_is_short_and_names_nobody():
    assert re.fullmatch("MM-[0-9a-f]{12}", GRANT.vendor_name)
    assert GRANT.vendor_name == replace(GRANT, id=GrantId.mint("01ARZ3NDEKTSV4RRFFQ69G5FAW")).vendor_name
    assert GRANT.vendor_name != replace(GRANT, vendor_key="another").vendor_name


@pytest.mark.parametrize(
    "difference",
    [
        {"claim": ClaimKey("sha256:" + "00" * 32)},
        {"credential_id": KeyCredentialId.mint(OTHER)},
        {"device_id": LockDeviceId.mint(OTHER)},
        {"kind": KeyCredentialKind.RFID_CARD},
        {"secret_try": 1},
        {"step": "revoke"},
    ],
)
def test_each_part_of_a_vendor_call_makes_another_key(difference):
    assert replace(CALL, **difference).key != CALL.key


def test_the_same_vendor_call_has_the_same_key():
    assert replace(CALL).key == CALL.key
    assert len(CALL.key) == 64
