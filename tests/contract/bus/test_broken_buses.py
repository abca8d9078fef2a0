"""The contract can fail: each broken bus fails the guarantee it breaks."""

import pytest

from tests.contract.bus.broken_buses import BROKEN
from tests.contract.bus.suite import BusContract

CAUGHT = (AssertionError, pytest.fail.Exception)


@pytest.mark.parametrize(("make", "guarantee", "arguments"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_bus_fails_its_guarantee(tmp_path, make, guarantee, arguments):
    contract = type("BrokenBus", (BusContract,), {"make": staticmethod(make)})()
    with pytest.raises(CAUGHT):
        getattr(contract, guarantee)(tmp_path, **arguments)
