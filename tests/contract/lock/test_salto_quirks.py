"""What is peculiar to Salto, at the simulator: keys that age, a failing connector, doors without a line."""

from datetime import timedelta

import pytest

from infra.simulators.salto.hotel import API_KEY, ApiKeyPlan
from shared.domain.lock_errors import KeyIssueFailed, KeyRevokeFailed, LockError, VendorUnreachable
from shared.domain.secret import Secret
from shared.vendors.salto import adapter, connector
from shared.vendors.salto.connector import OFFLINE_VALIDITY, ConnectorProtocol
from tests.contract.failing import failure_of
from tests.contract.lock.carried_suite import CarriedKeysContract, ToldDoorsContract
from tests.contract.lock.salto_setting import OTHER_PHONE, PHONE, OfflineSaltoSetting, SaltoSetting
from tests.contract.lock.setting import DAY, DOOR_101, HOUR

KEYS = "/api/keys"


@pytest.fixture
async def setting(tmp_path):
    async with SaltoSetting(tmp_path) as setting:
        yield setting


@pytest.fixture
async def offline(tmp_path):
    async with OfflineSaltoSetting(tmp_path) as setting:
        yield setting


async def refusal(act, kind=VendorUnreachable):
    """Return the error that something ends with."""
    with pytest.raises(kind) as caught:
        await act
    return caught.value


def posts(setting):
    """Return the requests that made keys, or tried."""
    return [call for call in setting.straight.asked if call.method == "POST" and call.url.endswith(KEYS)]


async def test_requests_bear_the_api_key_and_no_other_proof(setting):
    await setting.vendor.place(setting.key())
    (post,) = posts(setting)
    assert (post.headers["x-api-key"], "authorization" in post.headers) == (API_KEY, False)
    assert post.headers["x-idempotency-key"]


async def test_an_api_key_of_ninety_days_is_refused_and_the_next_one_used(setting):
    issued = int((setting.clock.now() - 90 * DAY).timestamp())
    plan = setting.sim.cloud.plan
    keys = (ApiKeyPlan(issued=issued), ApiKeyPlan(key="the-next"))
    setting.sim.reset(plan.model_copy(update={"api_keys": keys}))
    error = await refusal(setting.vendor.place(setting.key()))
    assert (error.cause.kind, error.cause.vendor_code) == ("account_refused", "api_key_expired")
    setting.account = {**setting.account, "nextApiKey": "the-next"}
    await setting.make_vendor().place(setting.key())
    assert await setting.opens()


async def test_a_repeated_request_has_the_same_idempotency_key_and_body(setting):
    await setting.fault("drop", "keys/add", times=1)
    await refusal(setting.vendor.place(setting.key()))
    await setting.vendor.place(setting.key())
    first, again = posts(setting)
    assert (first.body, first.headers) == (again.body, again.headers)


async def test_while_the_connector_is_down_doors_with_a_line_are_reached_around_it(setting):
    await setting.steer("PATCH", "connector", up=False)
    await setting.vendor.place(setting.key())
    assert await setting.opens()
    await setting.vendor.remove(setting.key())
    assert not await setting.opens()


async def test_while_the_connector_is_down_doors_without_a_line_wait(offline):
    await offline.steer("PATCH", "connector", up=False)
    error = await refusal(offline.vendor.place(offline.key()))
    assert (error.cause.kind, error.permanent) == ("gateway_offline", False)
    await offline.steer("PATCH", "connector", up=True)
    await offline.vendor.place(offline.key())
    assert await offline.opens()


async def test_at_a_door_without_a_line_a_key_lasts_as_long_as_its_holder_passes_an_updater(offline):
    at = await offline.vendor.place(offline.key(valid_until=offline.clock.now() + 12 * DAY))
    assert OFFLINE_VALIDITY in [warning.code for warning in at.warnings]
    offline.clock.advance(days=7)
    assert not await offline.opens()
    await offline.steer("POST", "updater", phone=PHONE)
    assert await offline.opens()


async def test_a_cancelled_key_opens_a_door_without_a_line_until_it_passes_an_updater(offline):
    await offline.vendor.place(offline.key())
    error = await refusal(offline.vendor.remove(offline.key()), KeyRevokeFailed)
    assert error.cause.kind == "ends_by_time"
    assert await offline.opens()
    await offline.steer("POST", "updater", phone=PHONE)
    assert not await offline.opens()
    await offline.vendor.remove(offline.key())


async def test_a_door_with_a_line_gives_no_such_warning(setting):
    assert (await setting.vendor.place(setting.key())).warnings == ()


async def test_a_phone_that_is_none_is_refused_for_good(setting):
    error = await refusal(setting.vendor.place(setting.refused_key()), KeyIssueFailed)
    assert (error.cause.kind, error.permanent) == ("receiver_refused", True)


async def test_who_joins_between_our_look_and_our_key_is_not_ended(setting):
    await setting.vendor.place(setting.key())
    setting.clock.advance(hours=1)
    await setting.vendor.place(setting.key("second", secret=Secret(OTHER_PHONE)))
    roles = [b'"role":"new"' in post.body for post in posts(setting)]
    assert roles == [True, False]


@pytest.mark.parametrize(("minutes", "codes"), [(4, 0), (9, 1), (30, 2)])
async def test_a_wrong_clock_is_warned_of(setting, minutes, codes):
    await setting.steer("PATCH", "locks/1000101", skewSeconds=minutes * 60)
    assert len((await setting.vendor.health_check(DOOR_101)).warnings) == codes


async def test_a_key_is_not_made_before_the_stay_begins(setting):
    key = setting.key(valid_from=setting.clock.now() + 8 * HOUR)
    error = await refusal(setting.vendor.place(key))
    assert setting.vendor.wait_after(error) == timedelta(hours=4)
    assert posts(setting) == []


def believes_what_a_repeated_key_is_answered(patch):
    """Takes a key for good that was cancelled since."""
    added = connector._added
    patch.setattr(connector, "_added", lambda answer: added({**answer, "cancelled": False}))


def sends_one_idempotency_key_for_all(patch):
    """Takes the name of a key for the name of a request."""
    patch.setattr(connector, "_nonce", lambda new, after, by_cloud: new.nonce)


def gives_up_with_the_connector(patch):
    """Knows one way to a door."""
    patch.setattr(adapter, "CONNECTOR_DOWN", "never said")


def takes_pending_for_gone(patch):
    """Takes a wish for a deed."""
    patch.setattr(connector, "_gone", lambda answer: True)


def forgets_its_key(patch):
    """Proves itself as others do."""
    patch.setattr(ConnectorProtocol, "prepared", ConnectorProtocol.__mro__[1].prepared)


BROKEN = {
    believes_what_a_repeated_key_is_answered: (
        ToldDoorsContract.test_a_suspended_key_does_not_open_and_opens_again_afterwards
    ),
    sends_one_idempotency_key_for_all: ToldDoorsContract.test_placing_again_with_an_earlier_end_moves_the_end,
    gives_up_with_the_connector: test_while_the_connector_is_down_doors_with_a_line_are_reached_around_it,
    forgets_its_key: test_requests_bear_the_api_key_and_no_other_proof,
}
BROKEN_OFFLINE = {
    takes_pending_for_gone: test_a_cancelled_key_opens_a_door_without_a_line_until_it_passes_an_updater,
}


def called(test, setting):
    """Return a guarantee as a function of a setting."""
    owner = CarriedKeysContract() if "." in test.__qualname__ else None
    return failure_of(lambda at: test(at) if owner is None else test(owner, at), setting, refusal=LockError)


@pytest.mark.parametrize("broken", BROKEN, ids=lambda change: change.__name__)
async def test_broken_salto_fails_its_guarantee(setting, broken, monkeypatch):
    broken(monkeypatch)
    assert await called(BROKEN[broken], setting)


@pytest.mark.parametrize("broken", BROKEN_OFFLINE, ids=lambda change: change.__name__)
async def test_broken_salto_without_lines_fails_its_guarantee(offline, broken, monkeypatch):
    broken(monkeypatch)
    assert await called(BROKEN_OFFLINE[broken], offline)
