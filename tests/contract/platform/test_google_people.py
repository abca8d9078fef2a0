"""People sign in on Google's ports: provider, roles and properties hold as they do elsewhere."""

import orjson
import pytest

from infra.emulated.signing import Signer
from shared.domain.ids import TenantId
from shared.domain.sign_in import TenantAccess
from shared.usecases.hotels.staff_access import register_access
from tests.support.idp import Provider
from tests.support.sample_hotel import SILK

API, ME, PERMISSIONS = "lock-api", "/lock/v1/me", "/lock/v1/permissions"


@pytest.fixture
async def provider(house):
    """The tenant's identity provider, registered and reachable."""
    provider = Provider(house.clock, "RS256")
    house.cloud.internet.neighbours[provider.jwks_uri] = provider
    await register_access(
        TenantAccess(issuers=(provider.registered(),)), house.platform.documents.tenant(TenantId(SILK))
    )
    return provider


async def _ask(house, path, token):
    answer = await house.cloud.internet.visit(API, path, token)
    return answer.status, orjson.loads(answer.body)


async def test_a_clerk_signs_in_and_hears_what_they_may_do(house, provider):
    audience = house.cloud.settings.base_url
    token = provider.token(aud=audience)
    status, me = await _ask(house, ME, token)
    assert (status, me["tenantId"], me["roles"], me["properties"]) == (
        200,
        SILK,
        ["front_desk"],
        ["ppt_kabul"],
    )
    _, told = await _ask(house, PERMISSIONS, token)
    verdicts = {each["permission"]: each["verdict"] for each in told["permissions"]}
    assert (verdicts["lock.key.issue"], verdicts["lock.pin.reveal"]) == ("allowed", "forbidden")
    assert provider.asked == 1


async def test_nobody_else_signs_in(house, provider):
    audience, now = house.cloud.settings.base_url, int(house.clock.now().timestamp())
    evil = Provider(house.clock, "RS256")
    service = Signer("google").token(house.clock, house.cloud.settings.email_of("operator"), audience)
    strangers = {
        "nobody": None,
        "expired": provider.token(aud=audience, iat=now - 4000, exp=now - 400),
        "another audience": provider.token(aud=f"{audience}/{API}"),
        "another issuer": evil.token(aud=audience, iss="https://evil.example"),
        "another's name": evil.token(aud=audience),
        "another tenant": provider.token(aud=audience, tenantId="tnt_lapis"),
        "a service": service,
    }
    for who, token in strangers.items():
        status, problem = await _ask(house, ME, token)
        assert (status, problem["code"]) == (401, "unauthenticated"), who
