"""Addresses that are added and removed at once: whoever is there hears, and nobody else's events go out."""

from types import SimpleNamespace

import pytest

from shared.kernel.log import Log
from shared.ledger.admission import HEARD, RECORD
from shared.ledger.hotel_directory import HotelDirectory
from shared.ledger.listener import listeners_of
from shared.ports.documents import Create, StaleVersion
from shared.usecases.outbound.listeners import ListenerWanted, add_listener, remove_listener
from shared.usecases.outbound.services import Outbound
from tests.support.ledger_books import SILK

WANTED = ListenerWanted("https://hooks.hotel.example/", ("*",), (), "usr_1")


class Overtaken:
    """A store before whose next commit somebody else is faster."""

    def __init__(self, store, somebody):
        self._store, self._somebody = store, somebody

    def tenant(self, tenant):
        self._of = self._store.tenant(tenant)
        return self

    def __getattr__(self, name):
        return getattr(self._of, name)

    async def commit(self, writes):
        somebody, self._somebody = self._somebody, None
        if somebody is not None:
            await somebody()
        return await self._of.commit(writes)


def outbound(books, store=None):
    """Return what sends for the tenant, perhaps with a store of its own."""
    ports = {name: getattr(books, name) for name in ("cipher", "sagas", "entropy", "ids", "clock")}
    hotels = HotelDirectory(books.store, "local", books.clock.now)
    ports |= {"documents": store or books.store, "sealed": books.vault, "hotels": hotels}
    return Outbound(SILK, SimpleNamespace(**ports, log=Log("keyfleet", books.log), sandbox=False))


async def is_heard(books):
    """Say whether the tenant is marked as one whose events somebody hears."""
    return (await books.documents.get(RECORD)).data.get(HEARD)


@pytest.fixture
async def silk(books):
    """Return the books of a tenant that is known, with one address."""
    await books.documents.commit([Create(RECORD, {"id": str(SILK), "data_residency": "local"})])
    await add_listener(WANTED, outbound(books))
    return books


async def test_a_tenant_is_marked_as_long_as_somebody_hears_its_events(silk):
    assert await is_heard(silk)
    first, _ = await add_listener(WANTED, outbound(silk))
    await remove_listener(first, outbound(silk))
    assert await is_heard(silk)
    (last,) = await listeners_of(silk.documents)
    await remove_listener(last, outbound(silk))
    assert await is_heard(silk) is False


async def test_an_address_that_is_added_while_the_last_one_goes_is_not_left_unheard(silk):
    (last,) = await listeners_of(silk.documents)
    store = Overtaken(silk.store, lambda: add_listener(WANTED, outbound(silk)))
    with pytest.raises(StaleVersion):
        await remove_listener(last, outbound(silk, store))
    assert len(await listeners_of(silk.documents)) == 2
    assert await is_heard(silk)
