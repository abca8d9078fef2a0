"""What is peculiar to Vostio, at the simulator: maintenance, idempotency keys, grants, the limit of calls."""

from dataclasses import replace
from datetime import timedelta

import orjson
import pytest

from shared.domain.kinds import CLOCK_SKEW, WINDOW_ROUNDED
from shared.domain.lock_errors import DeviceNotPaired, KeyIssueFailed, LockError, VendorUnreachable
from shared.domain.secret import Secret
from shared.ports.lock_causes import deferred_by_us
from shared.vendors.assa_abloy.adapter import GUARD
from tests.contract.failing import failure_of
from tests.contract.lock.assa_abloy_setting import STRANGER, VostioSetting
from tests.contract.lock.broken_vostio import BROKEN
from tests.contract.lock.setting import CARD_NUMBER, DAY, DOOR_101, HOUR, KeyCredentialKind
from tests.contract.lock.suite import LockVendorContract

ADD, LIST, MAINTENANCE = "/v1/access-grants", "/v1/access-grants", "/v1/maintenance-windows"
MINUTE = timedelta(minutes=1)


@pytest.fixture
async def setting(tmp_path):
    async with VostioSetting(tmp_path) as setting:
        yield setting


async def closed(setting, begins, ends):
    """Publish a maintenance window, as so much from now."""
    now = int(setting.clock.now().timestamp())
    begins, ends = (now + int(each.total_seconds()) for each in (begins, ends))
    await setting.steer("PUT", "maintenance", windows=[{"begins": begins, "ends": ends}])


async def refusal(act, kind=VendorUnreachable):
    """Return the error that something ends with."""
    with pytest.raises(kind) as caught:
        await act
    return caught.value


def added(setting):
    """Return the bodies of the grants that were asked for."""
    posts = [call for call in setting.straight.asked if call.method == "POST" and call.url.endswith(ADD)]
    return [(call.headers.get("idempotency-key"), orjson.loads(call.body)) for call in posts]


async def test_published_maintenance_lets_work_wait_without_a_call(setting):
    await closed(setting, -HOUR, 2 * HOUR)
    error = await refusal(setting.vendor.place(setting.key()))
    assert (error.cause.kind, deferred_by_us(error)) == ("maintenance", True)
    assert setting.vendor.wait_after(error) == 2 * HOUR
    for act in (setting.vendor.place, setting.vendor.remove, setting.vendor.suspend):
        await refusal(act(setting.key()))
    assert {path for path in setting.straight.paths if path.startswith("/v1")} == {MAINTENANCE}
    setting.clock.advance(hours=2)
    await setting.vendor.place(setting.key())
    assert await setting.opens()


async def test_maintenance_nobody_knew_of_is_read_when_the_vendor_refuses(setting):
    await setting.vendor.place(setting.key())
    await closed(setting, -MINUTE, HOUR)
    error = await refusal(setting.vendor.remove(setting.key()))
    assert (deferred_by_us(error), setting.vendor.wait_after(error)) == (True, HOUR)
    setting.clock.advance(hours=1)
    await setting.vendor.remove(setting.key())
    assert not await setting.opens()


async def test_maintenance_that_is_published_nowhere_is_asked_after_in_a_while(setting):
    await setting.fault("errcode:maintenance", "grants/add")
    error = await refusal(setting.vendor.place(setting.key()))
    assert (deferred_by_us(error), setting.vendor.wait_after(error)) == (True, 5 * MINUTE)


async def test_maintenance_is_no_breakdown(setting):
    for _ in range(25):
        await setting.fault("errcode:maintenance", "grants/add", times=1)
        await refusal(setting.vendor.place(setting.key()))
    assert setting.changes == []


async def test_windows_that_cannot_be_read_close_nothing(setting):
    await setting.fault("http_500", "maintenance/list")
    await setting.vendor.place(setting.key())
    assert await setting.opens()


async def test_windows_are_read_now_and_then_and_not_with_every_key(setting):
    for number in range(5):
        await setting.vendor.place(setting.key(str(number)))
    assert setting.straight.paths.count(MAINTENANCE) == 1
    setting.clock.advance(minutes=31)
    await setting.vendor.place(setting.key("later"))
    assert setting.straight.paths.count(MAINTENANCE) == 2


async def test_a_repeated_request_has_the_same_idempotency_key_and_body(setting):
    await setting.fault("drop", "grants/add", times=1)
    await refusal(setting.vendor.place(setting.key()))
    await setting.vendor.place(setting.key())
    (first, body), (again, same) = added(setting)
    assert first == again
    assert first is not None
    assert body == same


async def test_a_repeated_key_is_never_sent_with_another_body(setting):
    await setting.fault("timeout_after_success", "grants/add", times=1)
    await setting.fault("http_500", "grants/list", times=1)
    await refusal(setting.vendor.place(setting.key()))
    setting.sim.cloud.grants.clear()
    later = setting.key(valid_until=setting.clock.now() + 3 * DAY)
    assert (await setting.vendor.place(later)).valid_until == later.valid_until


async def test_a_grant_deleted_since_is_not_believed_to_stand(setting):
    await setting.vendor.place(setting.key())
    await setting.vendor.remove(setting.key())
    await setting.vendor.place(setting.key(intent_predates=True))
    assert (await setting.opens(), await setting.count()) == (True, 1)


async def test_a_late_first_request_makes_no_second_grant(setting):
    await setting.vendor.place(setting.key())
    late = next(call for call in setting.straight.asked if "idempotency-key" in call.headers)
    await setting.straight.send(late)
    assert await setting.count() == 1


async def test_names_that_only_begin_alike_are_others(setting):
    key = setting.key()
    await setting.vendor.place(replace(key, name=f"{key.name}-x", idempotency_key="other"))
    assert await setting.vendor.find(key) is None
    await setting.vendor.remove(key)
    assert await setting.opens()


async def test_a_door_with_many_grants_is_read_to_its_last_page(setting):
    for number in range(60):
        key = setting.key(str(number), secret=Secret(setting.secret_of(number % 8)))
        await setting.vendor.place(replace(key, name=f"MM-{number:012x}"))
    last = replace(setting.key("59"), name=f"MM-{59:012x}")
    assert await setting.vendor.find(last) is not None
    assert await setting.count() == 60


async def test_somebody_without_the_app_is_refused_for_good(setting):
    stranger = setting.key(secret=Secret(STRANGER))
    error = await refusal(setting.vendor.place(stranger), KeyIssueFailed)
    assert (error.cause.kind, error.permanent) == ("receiver_refused", True)


async def test_a_card_and_a_tag_open_by_their_number(setting):
    for kind in (KeyCredentialKind.RFID_CARD, KeyCredentialKind.NFC_TAG):
        key = setting.key(str(kind), kind=kind, secret=Secret(CARD_NUMBER))
        await setting.vendor.place(key)
        tried = await setting.steer("POST", "doors/1000101/try", card=CARD_NUMBER)
        assert tried["opens"]
        await setting.vendor.remove(key)
    assert not (await setting.steer("POST", "doors/1000101/try", card=CARD_NUMBER))["opens"]


async def test_seconds_are_rounded_to_minutes_and_said_so(setting):
    now = setting.clock.now()
    at = await setting.vendor.place(setting.key(valid_until=now + DAY + timedelta(seconds=20)))
    assert at.valid_until == now + DAY + MINUTE
    assert [warning.code for warning in at.warnings] == [WINDOW_ROUNDED]


async def test_a_lock_out_of_reach_is_told_later(setting):
    await setting.steer("PATCH", "locks/1000101", inReach=False)
    error = await refusal(setting.vendor.place(setting.key()))
    assert (error.cause.kind, error.cause.vendor_code) == ("gateway_offline", "door_offline")
    await setting.steer("PATCH", "locks/1000101", inReach=True)
    await setting.vendor.place(setting.key())
    await setting.steer("PATCH", "locks/1000101", inReach=False)
    await refusal(setting.vendor.remove(setting.key()))
    assert await setting.opens()


async def test_every_grant_at_a_door_is_listed_and_one_nobody_knows_can_go(setting):
    await setting.vendor.place(setting.key())
    await setting.vendor.place(setting.key("theirs", secret=Secret(setting.other_secret)))
    listed = await setting.vendor.list_keys(DOOR_101)
    assert {each.name for each in listed.keys} == {setting.key().name, setting.key("theirs").name}
    theirs = next(each for each in listed.keys if each.name == setting.key("theirs").name)
    await setting.vendor.remove_listed(DOOR_101, theirs)
    assert (await setting.opens(), await setting.opens(setting.other_secret)) == (True, False)


async def test_a_lock_that_left_the_environment_is_not_paired(setting):
    lost = setting.key(vendor_device="1000999")
    assert (await refusal(setting.vendor.place(lost), DeviceNotPaired)).cause.kind == "no_such_lock"


@pytest.mark.parametrize(("minutes", "codes"), [(4, []), (9, [CLOCK_SKEW]), (30, None)])
async def test_a_wrong_clock_is_warned_of_and_makes_no_wrong_window(setting, minutes, codes):
    await setting.steer("PATCH", "locks/1000101", skewSeconds=minutes * 60)
    at = await setting.vendor.place(setting.key())
    key = setting.key()
    assert (at.valid_from, at.valid_until) == (key.valid_from, key.valid_until)
    said = [warning.code for warning in (await setting.vendor.health_check(DOOR_101)).warnings]
    assert said == (["CLOCK_SKEW", "CLOCK_SKEW_ALERT"] if codes is None else codes)
    assert [warning.code for warning in at.warnings] == said


async def test_a_token_that_ran_out_or_was_revoked_is_renewed(setting):
    await setting.vendor.place(setting.key())
    setting.sim.cloud.tokens.clear()
    await setting.vendor.remove(setting.key())
    setting.clock.advance(hours=2)
    await setting.vendor.place(setting.key("second"))
    assert setting.straight.paths.count("/oauth2/token") == 3


def test_an_environment_s_limit_of_thirty_calls_in_any_second_is_kept():
    limit = GUARD.limit
    in_a_second = limit.burst + int(1000 / limit.interval) + 1
    assert in_a_second <= 30


@pytest.mark.parametrize("broken", BROKEN, ids=lambda change: change.__name__)
async def test_broken_vostio_fails_its_guarantee(setting, broken, monkeypatch):
    name = BROKEN[broken]
    test = globals().get(name) or getattr(LockVendorContract(), name)
    broken(monkeypatch)
    assert await failure_of(test, setting, refusal=LockError)
