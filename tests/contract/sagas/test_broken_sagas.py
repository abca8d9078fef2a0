"""The contract can fail: each broken service fails the guarantee it breaks."""

import pytest

from infra.local.simulation.loop import NothingLeftToDo
from tests.contract.sagas.broken_sagas import BROKEN
from tests.contract.sagas.suite import SagasContract


@pytest.mark.parametrize(("make", "guarantee"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_service_fails_its_guarantee(tmp_path, make, guarantee):
    contract = type("BrokenSagas", (SagasContract,), {"make": staticmethod(make)})()
    with pytest.raises((AssertionError, NothingLeftToDo, pytest.fail.Exception)):
        getattr(contract, guarantee)(tmp_path)
