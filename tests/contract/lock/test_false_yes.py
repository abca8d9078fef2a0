"""A yes of which the vendor never heard: whoever believes it leaves a code at a door, and nobody is told."""

from dataclasses import replace

import pytest

from shared.domain.lock_errors import LockError, VendorUnreachable
from shared.domain.secret import Secret
from shared.ports.lock_causes import outcome_unknown
from shared.vendor_kit.http import Answer
from tests.contract.lock.setting import GUEST_ACCOUNT, HOUR, MOBILE_APP
from tests.contract.lock.ttlock_setting import TTLockSetting

YES = b'{"errcode": 0, "errmsg": "none error message", "description": "ok"}'
CHANGE, DELETE = "/v3/keyboardPwd/change", "/v3/keyboardPwd/delete"
FREEZE, UNFREEZE = "/v3/key/freeze", "/v3/key/unfreeze"


@pytest.fixture
async def setting(tmp_path):
    async with TTLockSetting(tmp_path) as setting:
        yield setting


def answered_falsely(setting, path):
    """Have the next call of a path answered by somebody on the way, who passes nothing on."""
    send, left = setting.straight.send, [path]

    async def sent(call):
        if left and left[0] in call.url:
            left.clear()
            return Answer(200, {}, YES)
        return await send(call)

    setting.straight.send = sent


async def windows(setting):
    """Return when each code in the lock's own memory ends."""
    state = await setting.steer("GET", "state")
    return [code["end"] for lock in state["locks"] if lock["lockId"] == 1000101 for code in lock["codes"]]


def minute(at):
    """Return an instant as locks keep it: to the minute."""
    return int(at.replace(second=0, microsecond=0).timestamp() * 1000)


@pytest.mark.parametrize("path", [CHANGE, DELETE])
@pytest.mark.parametrize("used", [False, True])
async def test_a_stay_that_was_shortened_leaves_one_code_of_its_new_end(setting, path, used):
    key = setting.key()
    at = await setting.vendor.place(key)
    if used:
        assert await setting.opens()
    sooner = replace(key, valid_until=key.valid_until - HOUR, intent_predates=True, vendor_ref=at.vendor_ref)
    answered_falsely(setting, path)
    for _ in range(3):
        try:
            placed = await setting.vendor.place(sooner)
        except LockError as error:
            failed = error
        else:
            break
    else:
        pytest.fail(f"not placed: {failed}")
    assert await windows(setting) == [minute(placed.valid_until)] == [minute(sooner.valid_until)]


async def test_a_change_that_only_somebody_on_the_way_agreed_to_is_no_change(setting):
    key = setting.key()
    await setting.vendor.place(key)
    sooner = replace(key, valid_until=key.valid_until - HOUR, intent_predates=True)
    answered_falsely(setting, CHANGE)
    with pytest.raises(VendorUnreachable) as caught:
        await setting.vendor.place(sooner)
    assert outcome_unknown(caught.value)


async def test_a_second_code_of_the_key_whose_removal_was_lost_is_told_of(setting):
    await setting.steer("PATCH", "gateways/501", online=False)
    await setting.vendor.place(setting.key(any_secret=True))
    await setting.steer("PATCH", "gateways/501", online=True)
    await setting.vendor.place(setting.key(any_secret=True))
    assert await setting.count() == 2
    answered_falsely(setting, DELETE)
    at = await setting.vendor.place(setting.key(any_secret=True, intent_predates=True))
    assert [each.code for each in at.warnings] == ["REVOKE_PENDING_AT_LOCK"]
    again = await setting.vendor.place(setting.key(any_secret=True, intent_predates=True))
    assert (list(again.warnings), await setting.count()) == ([], 1)


@pytest.mark.parametrize("act", ["suspend", "unsuspend"])
async def test_an_ekey_rests_and_wakes_only_where_the_list_says_so(setting, act):
    key = setting.key(kind=MOBILE_APP, secret=Secret(GUEST_ACCOUNT))
    await setting.vendor.place(key)
    if act == "unsuspend":
        await setting.vendor.suspend(key)
    answered_falsely(setting, FREEZE if act == "suspend" else UNFREEZE)
    with pytest.raises(VendorUnreachable):
        await getattr(setting.vendor, act)(key)
    await getattr(setting.vendor, act)(key)
