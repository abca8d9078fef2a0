"""Next builds on trial at the sample hotel: good ones, bad ones, and what is seen of them."""

import asyncio
from dataclasses import replace
from types import ModuleType

from infra.local.host.functions import host_function
from infra.local.people import Badge
from shared.domain.ids import UserId
from shared.domain.lock_errors import LockErrorCause, VendorUnreachable
from shared.domain.permissions import Role
from shared.ports.lock_causes import LockCause
from shared.runtime.adapter import adapter
from tests.support.sample_hotel import KABUL, SILK
from tests.support.vendors import TTLOCK

NEXT = f"adapter-{TTLOCK}-next"
ROOMS = ("101", "102", "203", "204")


class Broken(Exception):
    """What a bad build dies of."""


class Refuses:
    """A build that cannot speak to its vendor any more; all else is as it was."""

    def __init__(self, port):
        self._port = port

    def __getattr__(self, name):
        return getattr(self._port, name)

    async def place(self, key):
        raise self._unreadable()

    async def place_all(self, keys):
        return [self._unreadable() for _ in keys]

    async def remove(self, *_args, **_named):
        raise self._unreadable()

    def _unreadable(self):
        return VendorUnreachable(vendor=TTLOCK, cause=LockErrorCause(LockCause.UNREADABLE_ANSWER))


def refusing():
    """Return what opens a build that cannot read its vendor's answers."""
    from shared.vendors.ttlock.adapter import open_vendor

    return lambda binding, means: Refuses(open_vendor(binding, means))


def crashing():
    """Return what opens a build that dies of it."""

    def open_vendor(_binding, _means):
        raise Broken

    return open_vendor


def plant(house, opening, build="next-1"):
    """Deploy a next build of an adapter beside the present one."""
    opening.__name__ = "adapter_ttlock"
    module = ModuleType("next_build")
    module.__file__, module.adapter_ttlock = __file__, adapter(opening)
    functions = house.fleet._functions
    deployed = replace(functions[NEXT].deployed, build=build)
    functions[NEXT] = host_function(deployed, module, "adapter_ttlock")


async def ask(house, path="", body=None, role=Role.TENANT_ADMIN):
    """Ask the API of canaries as a person; return the answer."""
    import orjson

    badge = Badge(SILK, UserId("usr_admin"), frozenset({role}), None)
    token = house.fleet.people.token(badge, house.fleet.config.base_url)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    raw, how = (b"", "GET") if body is None else (orjson.dumps(body), "POST")
    status, answer = await house.on.send(
        f"canary-api/lock/v1/canaries{path}", raw, headers=headers, method=how
    )
    assert status in (200, 202), answer
    return answer


async def begin(house):
    """Put the next build on trial at the hotel."""
    return await ask(house, body={"vendor": str(TTLOCK), "propertyId": str(KABUL)})


async def shown(house):
    """Return what people are shown of the trial."""
    (only,) = (await ask(house))["canaries"]
    return only


async def book(house, first, count):
    """Book rooms one after the other, month after month, each for a guest of its own."""
    for number in range(first, first + count):
        year, month = divmod(number // len(ROOMS), 12)
        await house.publish(
            f"evt_{number}",
            reservationId=f"rsv_{number}",
            guest={"id": f"gst_{number}", "displayName": "A Guest"},
            rooms=[f"rmu_{ROOMS[number % len(ROOMS)]}"],
            validFrom=f"{2027 + year}-{month + 1:02d}-10T14:00:00Z",
            validUntil=f"{2027 + year}-{month + 1:02d}-12T10:00:00Z",
        )
        await asyncio.sleep(4)


async def trials(house):
    """Return what the next build was handed, and when it was done with each."""
    return [each.get("ended_at") for each in (await house.documents("canary_trials")).values()]


async def handed(house):
    """Return what of the hotel's keys goes to next builds."""
    (hotel,) = (await house.documents("properties")).values()
    return hotel.get("next_builds", [])
