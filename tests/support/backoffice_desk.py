"""A desktop of the sample hotel: somebody signed in, and what the backoffice tells of them."""

import orjson

from infra.local.people import Badge
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.permissions import Role
from shared.events.backoffice.catalogue import ROOT, TELEMETRY
from shared.ledger.indexes import NEWEST_TOLD
from shared.usecases.telemetry.keep import KEPT

SILK, KABUL = TenantId("tnt_silk"), PropertyId("ppt_kabul")
PRINT = "fingerprint-of-a-machine"
PROVENANCE = {
    "model": "ghasi-ops-v3",
    "modelVersion": "3.2.1",
    "promptVersion": "hk-reorder-v5",
    "modelClass": "cloud",
    "signatureFingerprint": "sha256:" + "ab" * 32,
}


class BackofficeDesk:
    """One operator at one machine."""

    def __init__(self, on, user="usr_1", device="dev_front", roles=(Role.GM,), at=frozenset({KABUL})):
        self.on, self.user, self.device = on, user, device
        self.badge = Badge(SILK, UserId(user), frozenset(roles), at)
        self.session = self.secret = None

    async def ask(self, method, path, body=None, **headers):
        """Ask the backoffice as this operator at this machine."""
        people, base = self.on.fleet.people, self.on.fleet.config.base_url
        sent = {
            "authorization": f"Bearer {people.token(self.badge, base)}",
            "content-type": "application/json",
            "backoffice-device": self.device,
            "x-forwarded-for": "10.0.0.1, 203.0.113.9",
        }
        if self.secret:
            sent["backoffice-session"] = self.secret
        raw = b"" if body is None else orjson.dumps(body)
        return await self.on.send(
            f"backoffice/bff/v1/{path}", raw, method=method, headers={**sent, **headers}
        )

    async def sign_in(self, version="1.4.2", fingerprint=PRINT):
        """Sign in at this machine."""
        wish = {
            "deviceId": self.device,
            "fingerprint": fingerprint,
            "appVersion": version,
            "appPlatform": "win32",
            "locale": "ps-AF",
            "primaryPropertyId": KABUL,
        }
        status, told = await self.ask("POST", "sessions", wish)
        if status == 201:
            self.session, self.secret = told["sessionId"], told["secret"]
        return status, told

    async def told(self, event):
        """Return what telemetry was kept of this operator, by subject."""
        store = self.on.fleet.platform.documents.tenant(SILK)
        found = []
        for house in (KABUL, "none"):
            page = {"subject": f"{ROOT}.{event}.v1", "property_id": house}
            found += await store.query(NEWEST_TOLD, page, limit=500)
        assert f"{ROOT}.{event}.v1" in TELEMETRY
        assert all(each.ref.collection == KEPT for each in found)
        bodies = [orjson.loads(each.data["body"]) for each in found]
        return [each for each in bodies if each["envelope"]["deviceId"] == self.device]


async def hear(on, subject, event, data, *, tenant=SILK, time=None):
    """Publish an event of a neighbour's."""
    at = time or on.fleet.platform.clock.now().isoformat().replace("+00:00", "Z")
    body = {
        "specVersion": "1.0",
        "id": event,
        "subject": subject,
        "tenantId": tenant,
        "time": at,
        "data": data,
    }
    from shared.ports.bus import Message

    await on.fleet.platform.bus.publish(subject, [Message(orjson.dumps(body))])
