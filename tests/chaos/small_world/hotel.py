"""The sample hotel as it stands before anything happens: written down once, copied for every schedule."""

from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from types import SimpleNamespace

from infra.local.sample.load import move_in, read_sample
from infra.local.simulation.loop import BEGINNING
from shared.domain.capabilities import LockCapabilities
from shared.domain.kinds import VendorCode
from shared.ledger.indexes import DEVICES
from tests.chaos.small_world.documents import MemoryDocuments, Table
from tests.chaos.small_world.fate import Air
from tests.chaos.small_world.weather import clear_sky


@dataclass(frozen=True, slots=True)
class House:
    """The sample hotel with locks of one vendor, with or without the front door that all its rooms share."""

    vendor: VendorCode
    front_door: bool = True
    able: LockCapabilities | None = None
    """What its locks can do, where that is not what the sample's can."""


@cache
def sample(house: House):
    """Return the hotel of a house."""
    hotel = read_sample()
    devices = [
        replace(device, vendor=house.vendor, capabilities=house.able or device.capabilities)
        for device in hotel.devices
    ]
    return replace(hotel, devices=tuple(each for each in devices if house.front_door or len(each.rooms) == 1))


@cache
def _written(house):
    shelf, clock = Table(), SimpleNamespace(now=lambda: BEGINNING)
    documents = MemoryDocuments(shelf, clock, (DEVICES,), Air(clear_sky(), kill=lambda: None))
    with suppress(StopIteration):  # in fair weather nothing here waits for anything
        move_in(sample(house), documents, BEGINNING).send(None)
    return shelf


def furnished(house: House) -> Table:
    """Return a shelf of one's own with the hotel's documents."""
    written = _written(house)
    rows = {place: {id_: copy(row) for id_, row in each.items()} for place, each in written.rows.items()}
    return Table(rows, written.version)


@cache
def doors_of(house: House):
    """Return the rooms that each lock leads to."""
    return {str(device.id): set(device.rooms) for device in sample(house).devices}
