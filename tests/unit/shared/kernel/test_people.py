"""People's tokens: what proves a person, and every way of not proving one."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from infra.local.identity import ISSUER as SERVICE_ISSUER
from infra.local.identity import LocalIdentity
from infra.local.people import PEOPLE_ISSUER, Badge, LocalPeople
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.permissions import Permission, Role
from shared.domain.sign_in import RoleAttribute, SigningAlgorithm, TenantAccess
from shared.kernel.identity import TokenChecker, Unauthenticated
from shared.kernel.people import OUTSIDE, PeopleChecker, SignIn
from shared.kernel.published import IssuerOutOfReach, Published, PublishedKeys
from shared.kernel.signing_keys import read_keys
from tests.support.idp import AUDIENCE, ISSUER, Provider, Signer, compact, encoded

HERE = PropertyId("ppt_kabul")


class Watch:
    """A clock the test sets."""

    def __init__(self):
        self.at = datetime(2026, 5, 1, tzinfo=UTC)

    def now(self):
        return self.at


class House:
    """A tenant, its provider, and the checker between them."""

    def __init__(self, *algorithms):
        self.watch = Watch()
        self.provider = Provider(self.watch, *algorithms)
        self.people = LocalPeople(b"p" * 32, self.watch.now)
        self.access = {"tnt_silk": TenantAccess(issuers=(self.provider.registered(),))}
        self.published, self.asked_of = {}, []
        services = frozenset({SERVICE_ISSUER, "https://services.example"})
        sign_in = SignIn(AUDIENCE, self.people.issuer, services)
        self.checker = PeopleChecker(sign_in, self, self.watch.now)

    async def find(self, issuer, key_id):
        self.asked_of.append(issuer.jwks_uri)
        keys = self.published.setdefault(issuer.jwks_uri, PublishedKeys(self._fetch, self.watch.now))
        return await keys.find(key_id)

    async def _fetch(self):
        answer = await self.provider.send(None)
        if answer.status != 200:
            raise IssuerOutOfReach("away")
        return Published(read_keys(answer.body), timedelta(minutes=10))

    async def person(self, token):
        async def access_of(tenant):
            return self.access.get(tenant)

        return await self.checker.person(token, access_of)

    async def refused(self, token):
        with pytest.raises(Unauthenticated) as refusal:
            await self.person(token)
        assert token not in str(refusal.value)
        return str(refusal.value)


@pytest.fixture
def house():
    return House()


async def test_a_token_proves_a_person_with_tenant_property_and_roles(house):
    person = await house.person(house.provider.token())
    assert (person.tenant, person.properties, person.roles) == ("tnt_silk", {HERE}, {Role.FRONT_DESK})
    assert person.signed_in_at == house.watch.now()
    assert Permission.KEY_ISSUE in person.permissions
    assert Permission.PIN_REVEAL not in person.permissions


@pytest.mark.parametrize("algorithm", SigningAlgorithm)
async def test_every_algorithm_that_a_tenant_may_allow_is_checked(algorithm):
    house = House(algorithm)
    assert (await house.person(house.provider.token())).tenant == "tnt_silk"
    signed, _, signature = house.provider.token(sub="clerk-2").rpartition(".")
    wrong = ("A" if signature[0] != "A" else "B") + signature[1:]
    assert "signature" in await house.refused(f"{signed}.{wrong}")


async def test_issuer_and_subject_together_are_the_user_and_neither_alone(house):
    other = Provider(house.watch, issuer="https://other.example")
    one = await house.person(house.provider.token())
    again = await house.person(house.provider.token(email="somebody@else.example", roles=["gm"]))
    another = await house.person(house.provider.token(sub="clerk-2"))
    house.access["tnt_silk"] = TenantAccess(issuers=(other.registered(),))
    house.provider = other
    elsewhere = await house.person(other.token())
    assert one.id == again.id
    assert len({one.id, another.id, elsewhere.id}) == 3
    assert all(each.id.startswith(OUTSIDE) for each in (one, another, elsewhere))


async def test_the_platforms_own_issuer_names_our_users(house):
    house.access["tnt_silk"] = TenantAccess(issuers=(house.provider.registered(names_users=True),))
    assert (await house.person(house.provider.token(sub="usr_1"))).id == "usr_1"
    for subject in ("clerk-1", OUTSIDE + "AAAA", "usr_", ""):
        await house.refused(house.provider.token(sub=subject))


CHANGES = {
    "no tenant": {"tenantId": None},
    "a tenant that is no id": {"tenantId": "../silk"},
    "several tenants": {"tenantId": ["tnt_silk"]},
    "a tenant that is not there": {"tenantId": "tnt_nobody"},
    "another issuer": {"iss": "https://evil.example"},
    "the issuer, nearly": {"iss": ISSUER + "/"},
    "no issuer": {"iss": None},
    "a service's issuer": {"iss": "https://services.example"},
    "no audience": {"aud": None},
    "another audience": {"aud": "https://other.example"},
    "a function's audience": {"aud": AUDIENCE + "/lock-api"},
    "two audiences": {"aud": [AUDIENCE, "https://other.example"]},
    "nobody": {"sub": None},
    "an empty subject": {"sub": ""},
    "a long subject": {"sub": "x" * 256},
    "no expiry": {"exp": None},
    "no issue": {"iat": None},
    "an expiry in words": {"exp": "tomorrow"},
    "an expiry beyond all clocks": {"exp": 10**400},
    "no number": {"exp": float("nan")},
    "true for a time": {"iat": True},
}


@pytest.mark.parametrize("change", CHANGES)
async def test_what_a_token_says_wrongly_proves_nothing(house, change):
    await house.refused(house.provider.token(**CHANGES[change]))


async def test_one_audience_may_be_said_as_a_list_of_one(house):
    assert await house.person(house.provider.token(aud=[AUDIENCE]))


async def test_times_are_kept_to_half_a_minute(house):
    now = int(house.watch.now().timestamp())
    for shift, fine in ((30, True), (31, False)):
        later = house.provider.token(iat=now + shift, exp=now + 600)
        not_before = house.provider.token(nbf=now + shift)
        ended = house.provider.token(iat=now - 600, exp=now - shift + 1)
        signed_in_later = house.provider.token(auth_time=now + shift)
        for token in (later, not_before, ended, signed_in_later):
            if fine:
                assert await house.person(token)
            else:
                assert "clocks" in await house.refused(token)


async def test_a_token_for_more_than_an_hour_is_nobodys(house):
    now = int(house.watch.now().timestamp())
    assert "hour" in await house.refused(house.provider.token(exp=now + 3601))


async def test_a_token_that_was_proven_still_expires(house):
    token = house.provider.token()
    await house.person(token)
    house.watch.at += timedelta(hours=1, seconds=30)
    assert "expired" in await house.refused(token)


HEADERS = {
    "no algorithm": {"alg": None},
    "alg none": {"alg": "none"},
    "a shared secret": {"alg": "HS256"},
    "another algorithm of ours": {"alg": "ES256"},
    "no key id": {"kid": None},
    "a key id that is none": {"kid": ["k1"]},
    "an unknown key": {"kid": "k9"},
    "another type": {"typ": "dpop+jwt"},
    "a demand": {"crit": ["exp"]},
    "a key of its own": {"jwk": Signer("EdDSA").published()},
    "keys elsewhere": {"jku": "https://evil.example/keys"},
    "a certificate elsewhere": {"x5u": "https://evil.example/cert"},
    "a certificate of its own": {"x5c": ["MII="]},
}


@pytest.mark.parametrize("header", HEADERS)
async def test_a_header_that_would_steer_the_check_proves_nothing(house, header):
    await house.refused(house.provider.token(HEADERS[header]))
    assert set(house.asked_of) <= {house.provider.jwks_uri}


async def test_a_key_is_good_for_its_own_algorithm_only(house):
    # The public key as the secret of an HMAC is the oldest trick; the algorithms of the record end it.
    house.access["tnt_silk"] = TenantAccess(
        issuers=(house.provider.registered(algorithms=tuple(SigningAlgorithm)),)
    )
    for algorithm in ("ES256", "EdDSA", "HS256", "RS512"):
        await house.refused(house.provider.token({"alg": algorithm}))


async def test_an_issuer_of_one_tenant_signs_for_no_other(house):
    evil = Provider(house.watch, issuer="https://evil.example")
    house.access["tnt_evil"] = TenantAccess(issuers=(evil.registered(),))
    await house.refused(evil.token(tenantId="tnt_silk"))
    await house.refused(evil.token(tenantId="tnt_silk", iss=ISSUER))
    assert "https://evil.example/keys" not in house.asked_of


async def test_a_tenant_that_is_not_there_is_refused_as_one_that_named_another_issuer(house):
    house.access["tnt_empty"] = TenantAccess()
    said = {await house.refused(house.provider.token(tenantId=each)) for each in ("tnt_no", "tnt_empty")}
    assert said == {"the token's issuer is not one of its tenant's"}


async def test_an_application_that_the_tenant_does_not_name_is_refused(house):
    house.access["tnt_silk"] = TenantAccess(issuers=(house.provider.registered(clients=("desk",)),))
    assert await house.person(house.provider.token(azp="desk"))
    for azp in (None, "other", ["desk"]):
        assert "application" in await house.refused(house.provider.token(azp=azp))


async def test_services_tokens_are_no_peoples_and_the_reverse(house):
    identity = LocalIdentity(b"s" * 32, house.watch.now)
    await house.refused(identity.token("operator", AUDIENCE))
    signed_as_service = compact(
        {"alg": "EdDSA"}, house.provider.claims(iss=SERVICE_ISSUER), lambda _: b"x" * 64
    )
    await house.refused(signed_as_service)
    services = TokenChecker(identity.issuer, house.watch.now)
    badge = Badge(TenantId("tnt_silk"), UserId("usr_1"), frozenset(Role), None)
    with pytest.raises(Unauthenticated):
        await services.caller(house.people.token(badge, AUDIENCE), AUDIENCE)


async def test_a_service_issuer_that_a_tenant_registers_is_still_nobodys(house):
    google = Provider(house.watch, issuer="https://services.example")
    house.access["tnt_silk"] = TenantAccess(issuers=(google.registered(),))
    house.provider = google
    await house.refused(google.token())


async def test_what_is_not_claimed_is_not_granted(house):
    for claims in (
        {"roles": None, "propertyScope": None},
        {"roles": "gm", "propertyScope": "ppt_kabul"},
        {"roles": ["owner", 7], "propertyScope": ["prop_1", 7]},
    ):
        person = await house.person(house.provider.token(**claims))
        assert (person.roles, person.permissions, person.properties) == (set(), set(), set())


async def test_a_star_is_every_property(house):
    assert (await house.person(house.provider.token(propertyScope=["*"]))).properties is None


async def test_without_a_sign_ins_time_nothing_is_fresh(house):
    person = await house.person(house.provider.token(auth_time=None, roles=["gm"]))
    assert person.signed_in_at is None


async def test_what_a_tenant_says_of_its_roles_counts_at_the_next_request(house):
    token = house.provider.token()
    assert Permission.KEY_ISSUE_OFFLINE not in (await house.person(token)).permissions
    attribute = RoleAttribute(permission=Permission.KEY_ISSUE_OFFLINE, roles=(Role.FRONT_DESK,))
    house.access["tnt_silk"] = TenantAccess(
        issuers=(house.provider.registered(),), role_attributes=(attribute,)
    )
    assert Permission.KEY_ISSUE_OFFLINE in (await house.person(token)).permissions


async def test_an_issuer_that_a_tenant_no_longer_names_lets_nobody_in_at_once(house):
    token = house.provider.token()
    await house.person(token)
    house.access["tnt_silk"] = TenantAccess()
    await house.refused(token)


async def test_a_key_that_the_issuer_withdrew_lets_nobody_in_after_some_minutes(house):
    house.provider = Provider(house.watch, "RS256", "RS256")
    token = house.provider.token(signer=0)
    await house.person(token)
    del house.provider.signers[0]
    house.watch.at += timedelta(minutes=11)
    await house.refused(token)


async def test_an_issuer_out_of_reach_is_no_refusal(house):
    house.provider.status = 503
    with pytest.raises(IssuerOutOfReach):
        await house.person(house.provider.token())


async def test_one_token_has_one_text(house):
    token = house.provider.token()
    head, claims, signature = token.split(".")
    varied = signature[:-1] + chr(ord(signature[-1]) + 1)
    padded = [f"{head}.{claims}.{signature}==", f"{head}=.{claims}.{signature}", f"{head}.{claims}.{varied}"]
    for text in padded:
        await house.refused(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "a.b", "a.b.c", "....", "\0.\0.\0", "é.é.é"),
        f"{encoded(b'[]')}.{encoded(b'{}')}.x",
        f"{encoded(b'{}')}.{encoded(b'[]')}.x",
        f"{encoded(b'[' * 3000)}.{encoded(b'{}')}.",
        "x" * 9000,
    ],
)
async def test_what_is_no_token_is_refused_without_being_repeated(house, text):
    with pytest.raises(Unauthenticated) as refusal:
        await house.person(text)
    assert "token is not a signed JWT" in str(refusal.value)


async def test_the_home_issuer_signs_for_every_tenant_that_is_here(house):
    house.access["tnt_empty"] = TenantAccess()
    badge = Badge(TenantId("tnt_empty"), UserId("usr_1"), frozenset({Role.GM}), frozenset({HERE}))
    person = await house.person(house.people.token(badge, AUDIENCE))
    assert (person.id, person.roles, person.properties) == ("usr_1", {Role.GM}, {HERE})
    stranger = LocalPeople(b"x" * 32, house.watch.now)
    await house.refused(stranger.token(badge, AUDIENCE))
    gone = Badge(TenantId("tnt_nobody"), UserId("usr_1"), frozenset({Role.GM}), None)
    await house.refused(house.people.token(gone, AUDIENCE))
    assert PEOPLE_ISSUER != SERVICE_ISSUER


async def test_without_an_audience_of_ours_nobody_signs_in(house):
    checker = PeopleChecker(SignIn(), house, house.watch.now)

    async def access_of(tenant):
        return house.access.get(tenant)

    for audience in ("", None, [""]):
        with pytest.raises(Unauthenticated, match="audience"):
            await checker.person(house.provider.token(aud=audience), access_of)


async def test_proofs_are_remembered_and_no_more_than_so_many(house, monkeypatch):
    monkeypatch.setattr("shared.kernel.people.REMEMBERED", 3)
    for number in range(5):
        await house.person(house.provider.token(sub=f"clerk-{number}"))
    assert len(house.checker._proven) == 3
    asked = len(house.asked_of)
    await house.person(house.provider.token(sub="clerk-4"))
    assert len(house.asked_of) == asked
    assert house.provider.asked == 1


def test_nothing_of_a_token_is_printed(house):
    from shared.kernel.jwt import read_token

    token = read_token(house.provider.token(sub="canary"))
    assert "canary" not in repr(token)
    assert json.dumps(dict(token.claims)).count("canary") == 1
