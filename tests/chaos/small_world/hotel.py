"""The sample hotel as it stands before anything happens: written down once, copied for every schedule."""

from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

from infra.local.sample.load import move_in, read_sample
from infra.local.simulation.loop import BEGINNING
from shared.domain.kinds import VendorCode
from tests.chaos.small_world.documents import MemoryDocuments, Shelf
from tests.chaos.small_world.fate import Air
from tests.chaos.small_world.weather import clear_sky


@cache
def sample(vendor: VendorCode):
    """Return the sample hotel with locks of this vendor."""
    hotel = read_sample()
    return replace(hotel, devices=tuple(replace(device, vendor=vendor) for device in hotel.devices))


@cache
def _written(vendor):
    shelf, clock = Shelf(), SimpleNamespace(now=lambda: BEGINNING)
    documents = MemoryDocuments(shelf, clock, (), Air(clear_sky(), kill=lambda: None))
    with suppress(StopIteration):  # in fair weather nothing here waits for anything
        move_in(sample(vendor), documents, BEGINNING).send(None)
    return shelf


def furnished(vendor: VendorCode) -> Shelf:
    """Return a shelf of one's own with the hotel's documents."""
    written = _written(vendor)
    rows = {place: {id_: copy(row) for id_, row in each.items()} for place, each in written.rows.items()}
    return Shelf(rows, written.version)


@cache
def doors_of(vendor: VendorCode):
    """Return the rooms that each lock leads to."""
    return {str(device.id): set(device.rooms) for device in sample(vendor).devices}
