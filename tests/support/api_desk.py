"""Somebody at a desk who calls the API of the sample hotel's fleet, in virtual time."""

import orjson

from infra.local.people import Badge
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.permissions import Role
from shared.vendor_kit.http import Call

KABUL = PropertyId("ppt_kabul")


class Told:
    """An answer: its status, headers, and what it says."""

    def __init__(self, answer):
        self.status, self.headers = answer.status, {name.lower(): at for name, at in answer.headers.items()}
        self.body = orjson.loads(answer.body) if answer.body else None

    def __getitem__(self, name):
        return self.body[name]


class Desk:
    """A person with roles, at a fleet."""

    ROOT = "lock/v1"

    def __init__(self, house, *roles, at=(KABUL,), user="usr_7", tenant="tnt_silk", function="lock-api"):
        self.house, self.function = house, function
        self.badge = Badge(
            TenantId(tenant), UserId(user), frozenset(roles or Role), None if at is None else frozenset(at)
        )

    def token(self):
        """Return a token that is fresh now."""
        return self.house.fleet.people.token(self.badge, self.house.fleet.config.base_url)

    async def ask(self, method, path, body=None, *, token=None, **headers):
        """Ask, and return what is told."""
        sent = {"authorization": f"Bearer {token or self.token()}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        raw = b"" if body is None else orjson.dumps(body)
        if body is not None:
            sent["content-type"] = "application/json"
        url = f"{self.house.fleet.config.base_url}/{self.function}/{self.ROOT}/{path}"
        return Told(await self.house.fleet.means.transport.send(Call(method, url, sent, raw, timeout=60)))

    async def get(self, path):
        """Read something that is there."""
        told = await self.ask("GET", path)
        assert told.status == 200, told.body
        return told.body

    async def do(self, path, body=None, method="POST", **headers):
        """Change something that may be changed."""
        told = await self.ask(method, path, body or {}, **headers)
        assert told.status < 300, told.body
        return told.body


def stay(**wanted):
    """Return a stay to be booked."""
    usual = {
        "property": "ppt_kabul",
        "rooms": ["rmu_101"],
        "validFrom": "2026-03-02T09:30:00Z",
        "validUntil": "2026-03-05T07:30:00Z",
    }
    return {**usual, **wanted}
