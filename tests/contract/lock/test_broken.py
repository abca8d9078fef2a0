"""The contracts can fail: adapters broken in one way fail the guarantee they break."""

import pytest

from shared.domain.lock_errors import LockError
from shared.vendor_kit.http import CallFault
from tests.contract.failing import failure_of
from tests.contract.lock import broken_ports, broken_ttlock, broken_vendors
from tests.contract.lock.mock_setting import MockSetting
from tests.contract.lock.port_suite import PinPortContract
from tests.contract.lock.setting import KeyCredentialKind
from tests.contract.lock.suite import LockVendorContract
from tests.contract.lock.ttlock_setting import TTLockSetting

RAW = {broken_vendors.RaisesRawHttpErrors: CallFault}
ARGUMENTS = {
    broken_vendors.PlacesWhatItSaysItCannot: {"kind": KeyCredentialKind.QR_CODE},
    broken_vendors.StaysAfterAnError: {"end": ValueError},
    broken_ttlock.leaves_its_turns_behind: {"end": ValueError},
}


def guarantees(contract):
    """Return the names of a contract's tests."""
    return {name for name in dir(contract) if name.startswith("test_")}


@pytest.mark.parametrize("broken", broken_vendors.BROKEN)
async def test_broken_vendor_fails_its_guarantee(tmp_path, broken):
    test = getattr(LockVendorContract(), broken_vendors.BROKEN[broken])
    async with MockSetting(tmp_path, adapter=broken) as setting:
        refusal = RAW.get(broken, LockError)
        assert await failure_of(test, setting, ARGUMENTS.get(broken), refusal=refusal)


@pytest.mark.parametrize("broken", broken_ports.BROKEN, ids=lambda change: change.__name__)
async def test_broken_port_fails_its_guarantee(tmp_path, broken, monkeypatch):
    test = getattr(PinPortContract(), broken_ports.BROKEN[broken])
    broken(monkeypatch)
    async with MockSetting(tmp_path) as setting:
        assert await failure_of(test, setting, refusal=LockError)


@pytest.mark.parametrize("broken", broken_ttlock.BROKEN, ids=lambda change: change.__name__)
async def test_broken_ttlock_fails_its_guarantee(tmp_path, broken, monkeypatch):
    test = getattr(LockVendorContract(), broken_ttlock.BROKEN[broken])
    broken(monkeypatch)
    async with TTLockSetting(tmp_path) as setting:
        arguments = ARGUMENTS.get(broken)
        assert await failure_of(test, setting, arguments, refusal=LockError)


@pytest.mark.parametrize(
    ("contract", "unbroken"),
    [
        (LockVendorContract, {"test_placing_at_once_makes_no_second_key"}),
        (PinPortContract, set()),
    ],
)
def test_every_guarantee_is_seen_to_fail(contract, unbroken):
    broken = {*broken_vendors.BROKEN.values(), *broken_ports.BROKEN.values(), *broken_ttlock.BROKEN.values()}
    assert guarantees(contract) - broken == unbroken - broken
