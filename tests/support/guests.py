"""Guests of the sample hotel: the booking service, links as they are sent, and what a key told."""

from datetime import timedelta
from urllib.parse import urlencode

import orjson

from shared.domain.documents import to_document
from shared.domain.ids import IntegratorId, ReservationId, TenantId, credential_id
from shared.domain.permissions import Permission
from shared.domain.sign_in import Integrator
from shared.kernel.api_keys import draw_key
from shared.ledger.guest_tokens import GuestToken, GuestTokens, draw_token
from shared.ledger.message_settings import MessageSettings
from shared.ports.documents import Create, Ref
from shared.runtime.platform import deployed
from shared.usecases.guests.services import GuestServices
from shared.usecases.hotels.staff_access import register_integrator
from shared.vendor_kit.http import Call

SILK = TenantId("tnt_silk")
SERVICE = IntegratorId("itg_01KSAMP1E00000000000000009")
GUEST = {
    "id": "gst_7",
    "displayName": "Zarghuna Canary",
    "contact": {"email": "canary@guest.test", "phoneE164": "+93700555121"},
    "locale": "fa-AF",
}


class BookingService:
    """A tenant's own booking service, which has signed its guest in."""

    def __init__(self, house, key):
        self.house, self.key = house, key

    @classmethod
    async def of(cls, house, tenant=SILK, permissions=(Permission.GUEST_SERVE,), properties=()):
        """Register one, everywhere or at some properties."""
        on = house.fleet.platform
        key = draw_key(tenant, SERVICE, on.entropy.token)
        service = Integrator(
            id=SERVICE,
            name="Booking service",
            digests=(key.digest,),
            permissions=permissions,
            properties=properties,
            everywhere=not properties,
            expires_at=on.clock.now() + timedelta(days=90),
        )
        await register_integrator(service, on.documents.tenant(tenant))
        return cls(house, key)

    async def ask(self, path, body=None, **more):
        """Ask the API as this service."""
        headers = {"authorization": f"Bearer {self.key.text}", "content-type": "application/json", **more}
        raw = b"" if body is None else orjson.dumps(body)
        return await self.house.on.send(f"guest-api/guest/v1/{path}", raw, headers=headers)

    async def session(self, stay="rsv_1"):
        """Begin a session of a stay's guest."""
        status, answer = await self.ask(f"reservations/{stay}/sessions")
        assert status == 201, answer
        return answer["session"]

    async def redeem(self, key, handle, session, **headers):
        """Redeem a handle."""
        return await self.ask(f"keys/{key}/artifact", {"opaqueRef": handle, "session": session}, **headers)


async def issued(house, key=None):
    """Return the id and the handle of the key that was told of last."""
    rows = (await house.documents("outbox")).values()
    told = [orjson.loads(row["body"]) for row in rows if row["subject"].endswith("issued.v1")]
    (event,) = [each for each in told if key in (None, each["data"]["keyCredentialId"])][-1:]
    return event["data"]["keyCredentialId"], event["data"]["delivery"]["artifact"]["opaqueRef"]


class Browser:
    """A guest's browser: it keeps cookies, says whose form it sends, and runs no script."""

    def __init__(self, house, **headers):
        self.house, self.headers, self.cookies = house, headers, {}
        self.raw = b""

    async def get(self, link, language="fa-AF", **more):
        """Look at a page."""
        return await self._send("GET", f"{language}/{link}", b"", more)

    async def post(self, link, language="fa-AF", **form):
        """Send a page's form."""
        own = {
            "origin": self.house.fleet.config.base_url,
            "content-type": "application/x-www-form-urlencoded",
        }
        return await self._send("POST", f"{language}/{link}", urlencode({"do": "show", **form}).encode(), own)

    async def _send(self, method, path, body, more):
        headers = {**self.headers, **more}
        if self.cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        url = f"{self.house.fleet.config.base_url}/guest-page/{path}"
        answer = await self.house.fleet.means.transport.send(Call(method, url, headers, body, timeout=60))
        if "set-cookie" in answer.headers:
            name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
            self.cookies[name] = value
        self.raw = answer.body
        return answer.status, answer.headers, answer.body.decode(errors="replace")


async def link_to(house, key, stay="rsv_1", channel="email", lasts=timedelta(hours=3)):
    """Send a link, as whoever writes to guests does, and return its token."""
    on = house.fleet.platform
    token = draw_token(on.entropy)
    kept = GuestToken(
        tenant=SILK,
        reservation=ReservationId(stay),
        credential=credential_id(key),
        channel=channel,
        expires=on.clock.now() + lasts,
    )
    await GuestTokens(on.documents).keep(token, kept)
    return token


async def settle(house, **settings):
    """Have the sample hotel write to its guests."""
    kept = MessageSettings(
        **{"phone": "+93 20 210 0000", "link_base": f"{house.fleet.config.base_url}/guest-page", **settings}
    )
    write = Create(Ref("message_settings", "ppt_kabul"), to_document(kept))
    await house.fleet.documents.tenant(SILK).commit([write])


def serving(house, function="guest-api"):
    """Be one of the functions that serve guests from now on, with what it may open and no more."""
    deployed.set(house.fleet._functions[function].deployed)
    return GuestServices.on(house.fleet.platform)
