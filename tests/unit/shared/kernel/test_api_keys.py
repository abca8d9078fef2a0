"""Keys of service accounts: whose they are, and nobody's else."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.ids import IntegratorId, PropertyId, TenantId
from shared.domain.permissions import Permission
from shared.domain.sign_in import Integrator
from shared.kernel.api_keys import SECRET_BYTES, draw_key, proven_by, read_key
from shared.kernel.identity import Unauthenticated

NOW = datetime(2026, 5, 1, tzinfo=UTC)
ID = IntegratorId(f"itg_{'0' * 25}1")
TENANT = TenantId("tnt_silk")
KEY = draw_key(TENANT, ID, lambda size: bytes(range(size)))
KEPT = Integrator(
    id=ID,
    name="Property system",
    digests=(KEY.digest,),
    permissions=(Permission.KEY_READ, Permission.KEY_ISSUE),
    properties=(PropertyId("ppt_kabul"),),
    expires_at=NOW + timedelta(days=90),
)


def test_a_key_proves_its_service_account():
    found = proven_by(read_key(KEY.text), KEPT, NOW)
    assert (found.id, found.tenant, found.properties) == (ID, TENANT, {"ppt_kabul"})
    assert found.permissions == {Permission.KEY_READ, Permission.KEY_ISSUE}
    assert (found.roles, found.signed_in_at) == (frozenset(), None)


def test_a_key_for_everywhere_works_everywhere():
    assert proven_by(KEY, replace(KEPT, everywhere=True), NOW).properties is None


def test_a_key_is_drawn_from_enough_chance_and_kept_as_a_digest_only():
    assert SECRET_BYTES * 8 == 256
    assert KEY.secret not in repr(KEY)
    assert KEY.secret not in repr(KEPT)


def test_two_keys_count_while_one_is_changed_for_the_other():
    new = draw_key(TENANT, ID, lambda size: b"n" * size)
    both = replace(KEPT, digests=(KEY.digest, new.digest))
    for key in (KEY, new):
        assert proven_by(key, both, NOW).id == ID
    with pytest.raises(Unauthenticated):
        proven_by(KEY, replace(KEPT, digests=(new.digest,)), NOW)


@pytest.mark.parametrize(
    ("kept", "now"),
    [
        (None, NOW),
        (KEPT, NOW + timedelta(days=90)),
        (replace(KEPT, stopped_at=NOW), NOW),
        (replace(KEPT, digests=("0" * 64,)), NOW),
    ],
)
def test_unknown_wrong_stopped_and_expired_look_alike(kept, now):
    with pytest.raises(Unauthenticated, match="the key is not one of ours"):
        proven_by(KEY, kept, now)


@pytest.mark.parametrize(
    "text",
    [
        "kfk.",
        "kfk.tnt_silk",
        f"kfk.tnt_silk.{ID}",
        f"kfk.silk.{ID}.x",
        "kfk.tnt_silk.itg_1.x",
        "kfk." + "x" * 999,
    ],
)
def test_what_is_no_key_is_refused(text):
    with pytest.raises(Unauthenticated, match="the key is not one of ours"):
        read_key(text)
