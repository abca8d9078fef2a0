"""The sample hotel with staff: two tenants, a provider each, and everybody who may try a door."""

from contextlib import asynccontextmanager
from datetime import timedelta

import aiohttp

from infra.local.people import Badge
from shared.domain.ids import IntegratorId, PropertyId, TenantId, UserId
from shared.domain.permissions import Permission, Role
from shared.domain.sign_in import Integrator, TenantAccess
from shared.kernel.api_keys import draw_key
from shared.ledger.admission import RECORD
from shared.ports.documents import Create
from shared.usecases.hotels.staff_access import register_access, register_integrator, stop_person
from shared.vendor_kit.http import HttpClient
from tests.support.idp import Provider
from tests.support.served import served

SILK, OTHER = TenantId("tnt_silk"), TenantId("tnt_other")
KABUL, HERAT = PropertyId("ppt_kabul"), PropertyId("ppt_herat")
PROGRAM = IntegratorId("itg_01KSAMP1E00000000000000001")
GM = frozenset({Role.GM})


class Providers:
    """The internet as the fleet sees it: some providers of identity, and the fleet itself."""

    def __init__(self):
        self.by_address, self._itself = {}, HttpClient()

    async def send(self, call):
        return await self.by_address.get(call.url, self._itself).send(call)

    async def close(self):
        """Hang up."""
        await self._itself.close()


class Staffed:
    """The hotels' staff and programs, good and bad, and a way to call as any of them."""

    def __init__(self, house, providers, session):
        self.house, self.session, self.url = house, session, house.url
        self.on, self.people = house.fleet.platform, house.fleet.people
        clock = self.on.clock
        self.silk = Provider(clock, "RS256", issuer="https://login.silk.example")
        self.other = Provider(clock, "ES256", issuer="https://login.other.example")
        self.evil = Provider(clock, "EdDSA", issuer="https://login.evil.example")
        providers.by_address = {each.jwks_uri: each for each in (self.silk, self.other, self.evil)}
        self.key = draw_key(SILK, PROGRAM, self.on.entropy.token)

    async def settle_in(self):
        """Keep both tenants, their providers and a service account."""
        documents = self.on.documents
        record = {"schema_version": 1, "id": OTHER, "name": "Other", "data_residency": self.on.cell}
        await documents.tenant(OTHER).commit([Create(RECORD, record)])
        await register_access(TenantAccess(issuers=(self.silk.registered(),)), documents.tenant(SILK))
        await register_access(TenantAccess(issuers=(self.other.registered(),)), documents.tenant(OTHER))
        program = Integrator(
            id=PROGRAM,
            name="Property system",
            digests=(self.key.digest,),
            permissions=(Permission.KEY_READ,),
            properties=(KABUL,),
            expires_at=self.on.clock.now() + timedelta(days=90),
        )
        await register_integrator(program, documents.tenant(SILK))
        await stop_person(UserId("usr_stopped"), self.on.clock.now(), documents.tenant(SILK))

    def badge(self, *roles, at=(KABUL,), user="usr_1", tenant=SILK):
        """Return a token of our own issuer."""
        where = None if at is None else frozenset(at)
        return self.people.token(Badge(tenant, UserId(user), frozenset(roles), where), self.url)

    def gm(self, provider, **claims):
        """Return a token of a general manager everywhere, or one that differs from it."""
        everywhere = {"aud": self.url, "roles": [*Role], "propertyScope": ["*"]}
        return provider.token(**{**everywhere, **claims})

    def strangers(self, function):
        """Return everybody who must not reach the first tenant's things in Kabul, by what they are."""
        now = int(self.on.clock.now().timestamp())
        services, silk = self.house.fleet.identity, self.silk
        return {
            "nobody": None,
            "a word": "secret",
            "an unsigned token": self.gm(silk).rpartition(".")[0] + ".",
            "an expired token": self.gm(silk, iat=now - 4000, exp=now - 400),
            "a token not yet valid": self.gm(silk, iat=now + 400, exp=now + 800),
            "a token for more than an hour": self.gm(silk, exp=now + 7200),
            "another audience": self.gm(silk, aud="https://elsewhere.example"),
            "a function's audience": self.gm(silk, aud=f"{self.url}/{function}"),
            "an issuer nobody named": self.gm(self.evil),
            "another issuer's name": self.gm(self.evil, iss=silk.issuer),
            "another tenant's issuer": self.gm(self.other, tenantId=SILK),
            "another tenant": self.gm(self.other, tenantId=OTHER),
            "a tenant that is not there": self.gm(silk, tenantId="tnt_nobody"),
            "a service": services.token("operator", f"{self.url}/{function}"),
            "a service for people's audience": services.token("operator", self.url),
            "another property": self.badge(*Role, at=(HERAT,)),
            "no property": self.badge(*Role, at=()),
            "a lower role": self.badge(Role.HOUSEKEEPER),
            "no role": self.badge(),
            "somebody stopped": self.badge(*Role, at=None, user="usr_stopped"),
            "a wrong key": self.key.text[:-2] + "xx",
            "another tenant's key": self.key.text.replace(SILK, OTHER),
        }

    async def ask(self, method, path, token=None, body=None, headers=None):
        """Call as somebody, and return status, headers and answer."""
        headers = dict(headers or {})
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        async with self.session.request(method, self.url + path, json=body, headers=headers) as answer:
            raw = await answer.read()
            is_json = "json" in answer.headers.get("content-type", "")
            return (
                answer.status,
                answer.headers,
                (await answer.json(content_type=None) if is_json and raw else raw),
            )


@asynccontextmanager
async def staffed(home, functions, **options):
    """Serve functions to the staff of two hotels for a while."""
    providers = Providers()
    async with (
        served(home, functions, outside=providers, **options) as house,
        aiohttp.ClientSession() as session,
    ):
        staff = Staffed(house, providers, session)
        await staff.settle_in()
        yield staff
