import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.events.idempotency import RECIPES, RecipeError, claim_key

WRITTEN_OUT = [
    ("issue", {"reservation_id": "rsv_1", "incarnation": 1}, "rsv_1issuev1"),
    ("revoke", {"event_id": "evt_1", "key_credential_id": "key_1"}, "evt_1key_1revoke"),
    ("update", {"reservation_id": "rsv_1", "version": 7}, "rsv_1update7"),
    ("suspend-noshow", {"reservation_id": "rsv_1"}, "rsv_1suspend-noshow"),
    ("suspend-fraud", {"reservation_id": "rsv_1"}, "rsv_1suspend-fraud"),
    ("issue-master", {"shift_id": "shf_1"}, "shf_1issue-master"),
    ("revoke-master", {"shift_id": "shf_1"}, "shf_1revoke-master"),
    ("mass-revoke-iam", {"user_id": "usr_1"}, "usr_1mass-revoke-iam"),
    ("mass-revoke-property", {"property_id": "ppt_1"}, "ppt_1mass-revoke-property"),
]


@pytest.mark.parametrize(("recipe", "parts", "text"), WRITTEN_OUT, ids=[case[0] for case in WRITTEN_OUT])
def test_claim_key_hashes_the_concatenation_of_the_specification(recipe, parts, text):
    assert claim_key(recipe, **parts) == "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def test_every_recipe_is_written_out_above():
    assert {recipe for recipe, _, _ in WRITTEN_OUT} == set(RECIPES)


def test_reinstated_booking_gets_a_claim_of_its_own():
    first, second = (claim_key("issue", reservation_id="rsv_1", incarnation=n) for n in (1, 2))
    assert first != second


def test_update_claims_by_event_time_where_the_version_is_missing():
    assert claim_key("update", reservation_id="rsv_1", version="2026-05-02T08:00:00Z").startswith("sha256:")


@pytest.mark.parametrize(
    "parts", [{}, {"shift_id": ""}, {"shift_id": "shf_1", "extra": "x"}, {"user_id": "usr_1"}]
)
def test_claim_key_refuses_anything_but_exactly_its_parts(parts):
    with pytest.raises(RecipeError, match="exactly the parts shift_id"):
        claim_key("issue-master", **parts)


def test_claim_key_refuses_an_unknown_recipe_and_names_the_known():
    with pytest.raises(RecipeError, match="issue-master"):
        claim_key("isue", reservation_id="rsv_1")


ids = st.from_regex(r"rsv_[0-9A-Za-z_-]{1,12}", fullmatch=True)


@given(one=st.tuples(ids, st.integers(0, 99)), other=st.tuples(ids, st.integers(0, 99)))
def test_update_claims_of_different_changes_differ(one, other):
    keys = [claim_key("update", reservation_id=stay, version=version) for stay, version in (one, other)]
    assert (keys[0] == keys[1]) == (one == other)
