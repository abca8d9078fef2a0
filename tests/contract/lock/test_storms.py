"""Five minutes in which a vendor is broken: its circuit opens once, keys wait, none is lost or doubled."""

import asyncio
from dataclasses import replace

import pytest

from infra.local.simulation.loop import run_virtually
from shared.domain.lock_errors import LockError
from shared.domain.secret import Secret
from shared.vendor_kit.breaker import BreakerState
from shared.vendor_kit.guard import Guards
from tests.contract.lock.assa_abloy_setting import VisionlineSetting, VostioSetting
from tests.contract.lock.salto_setting import OfflineSaltoSetting, SaltoSetting
from tests.contract.lock.setting import EAGER
from tests.contract.lock.ttlock_setting import TTLockSetting

SETTINGS = (TTLockSetting, VostioSetting, VisionlineSetting, SaltoSetting, OfflineSaltoSetting)
STORM_SECONDS, GUESTS, MOST_TRIES = 300, 6, 200


async def insisted(setting, key):
    """Place a key, however often it takes, as a saga would; return when it stood."""
    for _ in range(MOST_TRIES):
        try:
            await setting.vendor.place(key)
        except LockError as error:
            if error.permanent:
                raise
            wait = setting.vendor.wait_after(error)
            await asyncio.sleep(5 if wait is None else max(1, wait.total_seconds()))
            key = replace(key, intent_predates=True)
        else:
            return setting.clock.now()
    pytest.fail("a key was lost in the storm")


async def storm(setting, fault):
    """Let guests come while the vendor is broken, and the first of them before."""
    began = setting.clock.now()
    names = [f"guest {number}" for number in range(GUESTS)]
    keys = [setting.key(name, secret=Secret(setting.secret_of(number))) for number, name in enumerate(names)]
    await setting.vendor.place(keys[0])
    await setting.fault(fault, "*")
    placing = [asyncio.create_task(insisted(setting, key)) for key in keys[1:]]
    await asyncio.sleep(STORM_SECONDS)
    await setting.mend()
    stood = await asyncio.gather(*placing)
    delays = [(when - began).total_seconds() - STORM_SECONDS for when in stood]
    opens = [await setting.opens(setting.secret_of(number)) for number in range(GUESTS)]
    return delays, opens, await setting.count(), [change for _, change in setting.changes]


def played(folder, kind, fault):
    """Play a storm in virtual time."""

    async def main(clock):
        async with kind(folder, clock=clock) as setting:
            return await storm(setting, fault)

    return run_virtually(main, 7)


@pytest.mark.parametrize("fault", ["http_502", "drop"])
@pytest.mark.parametrize("kind", SETTINGS, ids=lambda kind: kind.__name__)
def test_a_broken_vendor_s_circuit_opens_once_and_every_key_is_made_when_it_is_well(tmp_path, kind, fault):
    delays, opens, count, changes = played(tmp_path, kind, fault)
    trips = [change for change in changes if change.before is BreakerState.CLOSED]
    assert len(trips) == 1
    assert changes[-1].after is BreakerState.CLOSED
    assert 0 <= max(delays) <= 120
    assert (opens, count) == ([True] * GUESTS, GUESTS)


class WithoutABreaker(VostioSetting):
    """A vendor whose calls nobody counts."""

    async def _opened(self, embedded):
        await super()._opened(embedded)
        never = replace(EAGER, breaker=replace(EAGER.breaker, fewest=10**6, window_size=10**6))
        self.means = replace(self.means, guards=Guards(embedded.clock, None, instead=never, tell=self._told))
        return self.make_vendor()


def test_a_storm_nobody_notices_is_seen_to_fail(tmp_path):
    with pytest.raises(AssertionError):
        test_a_broken_vendor_s_circuit_opens_once_and_every_key_is_made_when_it_is_well(
            tmp_path, WithoutABreaker, "http_502"
        )
