"""What is peculiar to Visionline, at the simulator: sessions, the hotel's time; its contract can fail."""

import pytest

from shared.domain.lock_errors import KeyIssueFailed, LockError
from shared.domain.secret import Secret
from tests.contract.failing import failure_of
from tests.contract.lock.assa_abloy_setting import STRANGER, VisionlineSetting
from tests.contract.lock.broken_carried import BROKEN
from tests.contract.lock.carried_suite import CarriedKeysContract
from tests.contract.lock.setting import DAY, DOOR_102

SESSIONS = "/api/v1/sessions"


@pytest.fixture
async def setting(tmp_path):
    async with VisionlineSetting(tmp_path) as setting:
        yield setting


async def test_one_session_serves_until_the_server_ends_it(setting):
    await setting.vendor.place(setting.key())
    await setting.vendor.place(setting.key(device_id=DOOR_102))
    assert setting.straight.paths.count(SESSIONS) == 1
    setting.sim.cloud.sessions.clear()
    assert await setting.vendor.find(setting.key()) is not None
    assert setting.straight.paths.count(SESSIONS) == 2


async def test_a_key_ends_by_the_clock_on_the_hotel_s_wall(setting):
    await setting.vendor.place(setting.key())
    (key,) = setting.sim.cloud.phone_keys.values()
    assert key.window.end == int((setting.clock.now() + 2 * DAY).timestamp() * 1000)


async def test_somebody_without_the_app_is_refused_for_good(setting):
    with pytest.raises(KeyIssueFailed) as caught:
        await setting.vendor.place(setting.key(secret=Secret(STRANGER)))
    assert (caught.value.cause.kind, caught.value.permanent) == ("receiver_refused", True)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda change: change.__name__)
async def test_broken_keys_fail_their_guarantee(setting, broken, monkeypatch):
    test = getattr(CarriedKeysContract(), BROKEN[broken])
    broken(monkeypatch)
    assert await failure_of(test, setting, refusal=LockError)
