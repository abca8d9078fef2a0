"""keyfleet token."""

import pytest

from infra.local.ambient import SystemClock
from infra.local.people import LocalPeople
from shared.domain.sign_in import NO_ACCESS
from shared.kernel.people import PeopleChecker, SignIn

SEED = b"p" * 32
AS_CLERK = ("token", "--tenant", "tnt_silk", "--role", "front_desk", "--property", "ppt_kabul")


@pytest.fixture
def issuing(fleet):
    """The fleet, with an issuer of people's tokens in its home."""
    key = fleet.place.home / "people.key"
    key.write_bytes(SEED)
    key.chmod(0o600)
    return fleet


async def _person(token, base_url):
    clock = SystemClock()
    checker = PeopleChecker(SignIn(base_url, LocalPeople(SEED, clock.now).issuer), None, clock.now)

    async def access_of(_tenant):
        return NO_ACCESS

    return await checker.person(token, access_of)


async def test_the_token_is_the_persons_who_is_named(issuing, facts):
    told = facts(*AS_CLERK, "--role", "security", "--property", "ppt_2", "--user", "usr_7")
    person = await _person(told["token"], issuing.place.base_url)
    assert (person.id, person.tenant, person.roles) == ("usr_7", "tnt_silk", {"front_desk", "security"})
    assert person.properties == {"ppt_kabul", "ppt_2"}
    assert (told["audience"], told["expires_in"]) == (issuing.place.base_url, 3600)
    assert issuing.asked == []


async def test_people_get_the_token_alone_on_one_line(issuing, ask):
    printed = ask(*AS_CLERK).stdout
    assert printed.count("\n") == 1
    assert await _person(printed.strip(), issuing.place.base_url)


async def test_a_star_is_everywhere(issuing, facts):
    told = facts("token", "--tenant", "tnt_silk", "--role", "tenant_admin", "--property", "*")
    assert (await _person(told["token"], issuing.place.base_url)).properties is None


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("--tenant", "silk", "--role", "gm", "--property", "ppt_kabul"), "--tenant"),
        (("--tenant", "tnt_silk", "--role", "gm", "--property", "kabul"), "--property"),
        (("--tenant", "tnt_silk", "--role", "gm", "--property", "*", "--user", "me"), "--user"),
    ],
)
def test_what_is_no_id_is_refused_with_its_option(issuing, facts, arguments, option):
    assert facts("token", *arguments, exit_code=2)["error"]["message"].startswith(option)


@pytest.mark.parametrize("missing", ["--tenant", "--role", "--property"])
def test_nothing_is_assumed(issuing, ask, missing):
    at = AS_CLERK.index(missing)
    assert ask(*AS_CLERK[:at], *AS_CLERK[at + 2 :]).exit_code == 2


def test_an_unknown_role_is_refused(issuing, ask):
    assert ask("token", "--tenant", "tnt_silk", "--role", "owner", "--property", "*").exit_code == 2


def test_a_home_without_an_issuer_was_never_started(fleet, facts):
    assert facts(*AS_CLERK, exit_code=3)["error"]["kind"] == "unreachable"


def test_a_key_that_others_can_read_is_refused(issuing, facts):
    (issuing.place.home / "people.key").chmod(0o644)
    assert "chmod 600" in facts(*AS_CLERK, exit_code=2)["error"]["remedy"]
