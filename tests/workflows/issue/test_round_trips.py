"""How often a key waits for the platform, one time after the other: on Google Cloud each is a round trip.

Every operation of a port takes one tick of virtual time, so the ticks between a function's first line and its
last are its round trips in a row. What runs beside its neighbour costs none.
"""

import asyncio
import sys
from contextvars import ContextVar

import pytest

from infra.local.bus.bus import Bus
from infra.local.documents.tenant import SqliteTenantDocuments
from infra.local.host.app import Host
from infra.local.sagas.service import LocalSagas
from infra.local.secrets import SqliteSecrets
from tests.support.sample_hotel import play

TICK = 1.0
"""Seconds: long beside what a vendor that answers at once takes."""
PORTS = {
    SqliteTenantDocuments: ("get", "query", "commit", "note"),
    Bus: ("publish",),
    LocalSagas: ("start", "get"),
    SqliteSecrets: ("latest",),
}
QUIET_SECONDS = 120
"""Longer than premises and accounts are remembered: a hotel with few keys an hour."""
MOST = {"mock": {"on-booking-confirmed": 6, "adapter-mock": 7}}
"""Another key is at the room: it is read. An adapter's last note, when `issued` is told, is counted too."""
BESIDE = 2
"""On nobody's way: `pending` is told beside the vendor's call, and the last note comes after all."""
AIM = 12
"""In all until a key of a vendor without gateways is known."""


@pytest.fixture
def counted(monkeypatch):
    """Make each operation inside a function take a tick, and note how many ticks each function took."""
    within, took, house = ContextVar("within", default=None), {}, []

    def ticking(port, name):
        real = getattr(port, name)

        async def operation(self, *args, **more):
            if within.get():
                token = within.set(None)  # what it stands on is not another one
                await asyncio.sleep(TICK)
                try:
                    return await real(self, *args, **more)
                finally:
                    within.reset(token)
            return await real(self, *args, **more)

        monkeypatch.setattr(port, name, operation)

    for port, names in PORTS.items():
        for name in names:
            ticking(port, name)
    call = Host._call

    async def _call(self, hosted, *rest):
        if hosted.deployed.name in MOST["mock"]:
            _forget(house)
        token, began = within.set(hosted.deployed.name), asyncio.get_running_loop().time()
        try:
            return await call(self, hosted, *rest)
        finally:
            within.reset(token)
            took[hosted.deployed.name] = int((asyncio.get_running_loop().time() - began) / TICK)

    monkeypatch.setattr(Host, "_call", _call)
    return took, house


def _forget(house):
    """Have the next function know of no hotel what another read: on Google Cloud it is another process.

    What a third one reads at that moment it would read itself, and in no more time.
    """
    for each in house:
        for remembered in (each.fleet.platform.hotels._admitted, each.fleet.platform.hotels._premises):
            remembered._values.clear()


def test_a_key_waits_no_more_often_than_it_may(tmp_path, capsys, counted):
    took, house = counted

    async def scenario(hotel):
        await hotel.unmap("front")
        await hotel.refit("101", "mock")
        await hotel.open_account("mock", b"mock://")
        await hotel.publish("evt_1")
        await hotel.keys_active(1)
        await asyncio.sleep(QUIET_SECONDS)
        house.append(hotel)
        took.clear()
        await hotel.publish("evt_2", reservationId="rsv_2")
        await hotel.keys_active(2)
        await asyncio.sleep(60)
        return {name: took[name] for name in MOST["mock"]}

    found = play(tmp_path, scenario)
    with capsys.disabled():
        sys.stdout.write(
            f"\nround trips in a row of a key, without a gateway: {sum(found.values())}, "
            f"{BESIDE} of them on nobody's way; aim {AIM}\n"
        )
        for name, count in found.items():
            sys.stdout.write(f"  {count} in {name}\n")
    assert {name: count for name, count in found.items() if count > MOST["mock"][name]} == {}
    assert all(found.values())
    assert sum(found.values()) - BESIDE <= AIM
