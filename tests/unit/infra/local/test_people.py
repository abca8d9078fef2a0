"""The embedded cloud's issuer of people's tokens."""

import pytest

from infra.local.keyfile import KeyFileRefused
from infra.local.people import PEOPLE_KEY, Badge, LocalPeople
from shared.domain.ids import TenantId, UserId
from shared.domain.permissions import Role
from shared.kernel.jwt import read_token
from tests.support.simulated import play

BADGE = Badge(TenantId("tnt_silk"), UserId("usr_1"), frozenset({Role.GM}), None)


def test_its_key_is_kept_for_the_owner_alone_and_is_not_that_of_services(tmp_path):
    async def scenario(on):
        home = on.fleet.config.home
        return [(home / name).read_bytes() for name in (PEOPLE_KEY, "identity.key")], home

    (people, services), home = play(tmp_path, scenario)
    assert len(people) == 32
    assert people != services
    assert (home / PEOPLE_KEY).stat().st_mode & 0o777 == 0o600


def test_the_same_file_signs_the_same(tmp_path):
    def minted():
        return LocalPeople.at(tmp_path / PEOPLE_KEY, _at_noon, lambda size: b"k" * size).token(BADGE, "us")

    assert minted() == minted()


def test_a_damaged_key_is_refused_with_the_remedy(tmp_path):
    (tmp_path / PEOPLE_KEY).write_bytes(b"short")
    (tmp_path / PEOPLE_KEY).chmod(0o600)
    with pytest.raises(KeyFileRefused, match="delete it"):
        LocalPeople.at(tmp_path / PEOPLE_KEY, _at_noon, bytes)


def test_a_token_tells_who_where_and_as_what_for_an_hour():
    claims = read_token(LocalPeople(b"p" * 32, _at_noon).token(BADGE, "us")).claims
    assert (claims["sub"], claims["tenantId"], claims["roles"]) == ("usr_1", "tnt_silk", ["gm"])
    assert (claims["propertyScope"], claims["aud"]) == (["*"], "us")
    assert claims["exp"] - claims["iat"] == 3600


def _at_noon():
    from datetime import UTC, datetime

    return datetime(2026, 5, 1, 12, tzinfo=UTC)
