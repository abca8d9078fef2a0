"""Somebody with every role who asks the API of staff: on the embedded cloud, and on Google's ports."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta
from urllib.parse import urlsplit

import aiohttp
import orjson

from infra.local.ambient import SystemClock
from infra.local.people import Badge
from shared.domain.ids import IntegratorId, PropertyId, TenantId, UserId
from shared.domain.permissions import Permission, Role
from shared.domain.sign_in import Integrator, TenantAccess
from shared.kernel.api_keys import draw_key
from shared.usecases.hotels.staff_access import register_access, register_integrator
from shared.vendor_kit.http import Answer
from tests.contract.platform.hotel import hotel
from tests.support.api_desk import stay
from tests.support.idp import Provider
from tests.support.sample_hotel import KABUL, SILK, SampleHotel
from tests.support.served import served

WORKFLOWS = "https://workflowexecutions.googleapis.com/v1/projects/hotel-"
API, GUESTS, EVERYWHERE = "lock-api", "guest-api", {"roles": [*Role], "propertyScope": ["*"]}
LONGEST_WAIT = 20


class AtDesk:
    """What is asked of the API, whichever platform answers."""

    def __init__(self, clock, send):
        self.clock, self._send = clock, send

    async def ask(self, method, path, body=None, function=API, **headers):
        """Ask, and return status and answer."""
        sent = {"if-match": "*", **{name.replace("_", "-"): value for name, value in headers.items()}}
        return await self._send(function, method, path, body, sent)

    async def done(self, method, path, body=None, **headers):
        """Ask what is granted, and return the answer."""
        status, answer = await self.ask(method, f"/lock/v1/{path}", body, **headers)
        assert status < 300, answer
        return answer

    def stay(self, **wanted):
        """Return a stay that begins in two days."""
        begins = self.clock.now().replace(hour=9, minute=30, second=0) + timedelta(days=2)
        first, last = (f"{begins + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in (0, 3))
        return stay(**{"reservation": "rsv_1", "validFrom": first, "validUntil": last, **wanted})

    async def key_is(self, key, state):
        """Return a key once it has come to a state."""
        for _ in range(LONGEST_WAIT * 10):
            found = await self.done("GET", f"credentials/{key}")
            if found["state"] == state:
                return found
            await asyncio.sleep(0.1)
        raise AssertionError(f"after {LONGEST_WAIT} seconds it is {found['state']}")


class _Doors(SampleHotel):
    """The doors of the sample, at whatever port the fleet believes them."""

    async def send(self, call):
        """Be the vendor."""
        return await self.vendor.send(call)


async def booking_site(on):
    """Return the key of a service account that serves guests: people have no right to."""
    name = IntegratorId("itg_01KSAMP1E00000000000000001")
    key = draw_key(TenantId(SILK), name, on.entropy.token)
    site = Integrator(
        id=name,
        name="Booking site",
        digests=(key.digest,),
        permissions=(Permission.GUEST_SERVE,),
        properties=(PropertyId(KABUL),),
        expires_at=on.clock.now() + timedelta(days=90),
    )
    await register_integrator(site, on.documents.tenant(TenantId(SILK)))
    return key.text


@asynccontextmanager
async def on_embedded(folder, _fixtures):
    """Yield a desk at a fleet of the embedded cloud, behind a real socket."""
    doors = _Doors(SystemClock(), seed=7)
    async with served(folder, lambda base: {}, outside=doors) as house, aiohttp.ClientSession() as session:
        badge = Badge(TenantId(SILK), UserId("usr_1"), frozenset(Role), None)
        person = house.fleet.people.token(badge, house.url)
        program = await booking_site(house.fleet.platform)

        async def send(function, method, path, body, headers):
            token = program if function == GUESTS else person
            named, url = {**headers, "authorization": f"Bearer {token}"}, f"{house.url}/{function}{path}"
            async with session.request(method, url, json=body, headers=named) as answer:
                return answer.status, orjson.loads(await answer.read() or b"{}")

        yield AtDesk(SystemClock(), send)


class _Steps:
    """The JSON API of Workflows: of an execution that there is, its first step."""

    def __init__(self, waker):
        self._waker = waker

    async def send(self, call):
        """Answer what is asked of one execution's steps."""
        name = urlsplit(call.url).path.removesuffix("/stepEntries").rpartition("/")[2]
        if await self._waker.process.sagas.get(name) is None:
            return Answer(404)
        entry = {"entryId": "1", "step": "begin", "state": "STATE_SUCCEEDED"}
        return Answer(200, body=orjson.dumps({"stepEntries": [entry]}))


@asynccontextmanager
async def on_google(folder, fixtures):
    """Yield a desk at the functions on Google's ports, whose staff signs in at a provider of their own."""
    emulators = [fixtures.getfixturevalue(each) for each in ("firestore_emulator", "pubsub_emulator")]
    fixtures.getfixturevalue("no_platform")
    async with hotel(folder, *emulators) as house:
        provider = Provider(house.clock, "RS256")
        house.cloud.internet.neighbours |= {provider.jwks_uri: provider, WORKFLOWS: _Steps(house.cloud.waker)}
        access = TenantAccess(issuers=(provider.registered(),))
        await register_access(access, house.platform.documents.tenant(TenantId(SILK)))
        person = provider.token(aud=house.cloud.settings.base_url, **EVERYWHERE)
        program = await booking_site(house.platform)

        async def send(function, method, path, body, headers):
            token = program if function == GUESTS else person
            raw = b"" if body is None else orjson.dumps(body)
            kind = {} if body is None else {"content-type": "application/json"}
            told = await house.cloud.internet.visit(function, path, token, method, raw, {**headers, **kind})
            return told.status, orjson.loads(told.body) if told.body else {}

        yield AtDesk(house.clock, send)


PLATFORMS = {"embedded": on_embedded, "google": on_google}
