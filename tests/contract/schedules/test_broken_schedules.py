"""The contract can fail: broken schedules fail the guarantee they break."""

import pytest

from tests.contract.schedules.broken_schedules import BROKEN
from tests.contract.schedules.suite import SchedulesContract


@pytest.mark.parametrize(("make", "guarantee"), BROKEN.values(), ids=list(BROKEN))
def test_broken_schedules_fail_their_guarantee(tmp_path, make, guarantee):
    contract = type("BrokenSchedules", (SchedulesContract,), {"make": staticmethod(make)})()
    with pytest.raises(AssertionError):
        getattr(contract, guarantee)(tmp_path)
