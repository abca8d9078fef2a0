"""A vendor's account is replaced while keys go on being made: proven, used, and the old one ended."""

import asyncio
from datetime import timedelta

import pytest

from shared.ledger.account_rotation import AccountRotation
from shared.ports.vault import SecretMissing
from tests.support.accounts import ADMIN, account, ask, bring, rotate
from tests.support.mixed_hotel import play_mixed
from tests.support.replaced_accounts import (
    NEXT,
    WRONG,
    alerts,
    assert_hidden,
    died,
    entries,
    pass_time,
    secret_of,
    sweep,
    untold,
    used,
)
from tests.support.sample_hotel import KABUL, play
from tests.support.vendors import ASSA_ABLOY, SALTO, TTLOCK

HOURS = 3 * 3600


async def destroyed(house, vendor, version):
    with pytest.raises(SecretMissing):
        await house.fleet.platform.secrets.version(secret_of(vendor), version)


async def assert_logged(house):
    """Check that the audit log holds each step, in the name of who began it; and that it was told."""
    told = [(each["action"], each["operator"], each["turn"]) for each in entries(house)]
    steps = ("rotation_begun", "account_refused", "account_taken", "account_retired")
    assert told == [(step, ADMIN, 1) for step in steps]
    assert await untold(house) == 0


def test_ttlock_s_next_secret_is_proven_and_used_and_keys_are_made_all_the_while(tmp_path):
    async def scenario(house):
        old, before = await used(house, TTLOCK)
        await rotate(house, TTLOCK)
        await asyncio.sleep(5)
        await bring(house, TTLOCK, {**before, "clientSecret": WRONG})
        await asyncio.sleep(60)
        shown = await account(house, TTLOCK)
        assert (shown["stage"], shown["refused"]) == ("awaiting", "account_refused")
        assert await used(house, TTLOCK) == (old, before)
        await house.steer("PATCH", f"applications/{before['clientId']}", secret=NEXT)
        await house.publish("evt_1")
        await bring(house, TTLOCK, {**before, "clientSecret": NEXT})
        await asyncio.sleep(600)
        assert (await account(house, TTLOCK))["stage"] == "resting"
        version, now = await used(house, TTLOCK)
        assert (version, now["clientSecret"]) == (old + 1, NEXT)
        await destroyed(house, TTLOCK, old)
        await house.publish("evt_2", reservationId="rsv_2", rooms=["rmu_102"])
        await house.keys_active(2)
        await house.settled()
        assert [len(await house.keys_at(door)) for door in ("101", "102")] == [1, 1]
        await assert_hidden(house, NEXT, WRONG, before["clientSecret"])
        await assert_logged(house)

    play(tmp_path, scenario)


async def both_good(house, vendor, old, following):
    if vendor == SALTO:
        await house.steer_at(vendor, "PUT", "api-keys", keys=[*filter(None, (old, following))])
    else:
        one, *other = filter(None, (following, old))
        await house.steer_at(vendor, "PUT", "client-secrets", secret=one, next_secret=next(iter(other), None))


@pytest.mark.parametrize(("vendor", "field"), [(SALTO, "apiKey"), (ASSA_ABLOY, "clientSecret")], ids=str)
def test_an_old_account_that_its_vendor_still_takes_is_asked_for_until_it_is_revoked(tmp_path, vendor, field):
    async def scenario(house):
        await house.open_all_accounts()
        old, before = await used(house, vendor)
        await rotate(house, vendor)
        await both_good(house, vendor, before[field], NEXT)
        await bring(house, vendor, {**before, field: NEXT})
        await asyncio.sleep(600)
        assert (await account(house, vendor))["stage"] == "overlapping"
        assert (await used(house, vendor))[1][field] == NEXT
        await asyncio.sleep(HOURS)
        assert (await account(house, vendor))["stage"] == "overlapping"
        await house.fleet.platform.secrets.version(secret_of(vendor), old)
        for _ in range(2):
            await pass_time(house, timedelta(days=1, minutes=1))
            await sweep(house)
            await asyncio.sleep(HOURS)
        assert len(executions(house)) == 3
        assert len(executions(house, "ACTIVE")) == 1, "whoever is followed asks no more"
        await both_good(house, vendor, None, NEXT)
        await asyncio.sleep(HOURS)
        assert (await account(house, vendor))["stage"] == "resting"
        await destroyed(house, vendor, old)
        await assert_hidden(house, NEXT)

    play_mixed(tmp_path, scenario)


def test_an_account_of_fewer_locks_an_unreadable_one_and_the_same_are_sent_back(tmp_path):
    async def scenario(house):
        _, before = await used(house, TTLOCK)
        await rotate(house, TTLOCK)
        refused = []
        for brought in (before, {"some": "thing"}, {**before, "username": "nobody"}):
            await asyncio.sleep(2)
            await bring(house, TTLOCK, brought)
            await asyncio.sleep(60)
            refused.append((await account(house, TTLOCK))["refused"])
        assert refused == ["the_same", "account_missing", "account_refused"]
        assert (await used(house, TTLOCK))[1] == before
        await house.fault("http_500", "lock/list")
        await house.steer("PATCH", f"applications/{before['clientId']}", secret=NEXT)
        await bring(house, TTLOCK, {**before, "clientSecret": NEXT})
        await asyncio.sleep(60)
        assert (await account(house, TTLOCK))["refused"] == "server_error"
        await house.mend()
        await asyncio.sleep(900)
        shown = await account(house, TTLOCK)
        assert (shown["stage"], "refused" in shown) == ("resting", False)

    play(tmp_path, scenario)


def test_an_account_that_is_brought_while_a_wrong_one_is_tried_is_not_sent_back_with_it(tmp_path):
    async def scenario(house):
        _, before = await used(house, TTLOCK)
        await rotate(house, TTLOCK)
        await asyncio.sleep(5)
        await house.fault("slow", "*", seconds=5)
        await bring(house, TTLOCK, {**before, "clientSecret": WRONG})
        await asyncio.sleep(3)
        await house.steer("PATCH", f"applications/{before['clientId']}", secret=NEXT)
        await bring(house, TTLOCK, {**before, "clientSecret": NEXT})
        await asyncio.sleep(30)
        await house.mend()
        await asyncio.sleep(600)
        assert (await used(house, TTLOCK))[1]["clientSecret"] == NEXT

    play(tmp_path, scenario)


def test_who_waits_for_a_person_is_told_of_and_a_rotation_whose_execution_died_is_taken_up(tmp_path):
    async def scenario(house):
        _, before = await used(house, TTLOCK)
        await call_due(house)
        assert (await account(house, TTLOCK))["stage"] == "resting"
        await pass_time(house, timedelta(days=77))
        await sweep(house)
        assert alerts(house) == ["a vendor's account is to be replaced"]
        await rotate(house, TTLOCK)
        await asyncio.sleep(5)
        (execution,) = executions(house)
        await house.fleet.sagas.cancel(execution)
        await pass_time(house, timedelta(days=1, minutes=1))
        await sweep(house)
        assert alerts(house)[-1] == "the next account of a vendor is not here"
        await house.steer("PATCH", f"applications/{before['clientId']}", secret=NEXT)
        await asyncio.sleep(5)
        await bring(house, TTLOCK, {**before, "clientSecret": NEXT})
        await asyncio.sleep(600)
        assert (await used(house, TTLOCK))[1]["clientSecret"] == NEXT
        assert (await account(house, TTLOCK))["stage"] == "resting"

    play(tmp_path, scenario)


def test_turn_whose_beginner_died_before_its_execution_is_found_by_the_next_sweep(tmp_path, monkeypatch):
    async def scenario(house):
        with monkeypatch.context() as dying:
            dying.setattr("shared.usecases.accounts.rotate.start", died)
            body = {"propertyId": KABUL, "vendor": "ttlock", "because": "by_time"}
            assert (await ask(house, ADMIN, "vendor-accounts/rotations", body))[0] >= 500
        assert executions(house) == []
        await asyncio.sleep(15)
        for _ in range(2):
            await sweep(house)
            await asyncio.sleep(15)
        assert len(executions(house)) == 1, "once begun it is left alone"
        assert alerts(house) == []
        _, before = await used(house, TTLOCK)
        await house.steer("PATCH", f"applications/{before['clientId']}", secret=NEXT)
        await bring(house, TTLOCK, {**before, "clientSecret": NEXT})
        await asyncio.sleep(600)
        assert (await account(house, TTLOCK))["stage"] == "resting"

    play(tmp_path, scenario)


async def call_due(house):
    status, answer = await house.on.send("accounts-due", {}, caller="operator")
    assert (status, answer) == (200, {"noted": 1, "broken": 0})


def executions(house, *states):
    found = house.fleet.means.engine.read(
        "SELECT id, state FROM executions WHERE workflow = 'rotate_secret'", ()
    )
    return [each for each, state in found if not states or state in states]


@pytest.mark.parametrize(
    ("who", "path", "body", "status"),
    [
        ("usr_clerk", "vendor-accounts", None, 403),
        ("usr_clerk", "vendor-accounts/rotations", {"propertyId": KABUL, "vendor": "ttlock"}, 403),
        (ADMIN, "vendor-accounts/rotations", {"propertyId": "ppt_elsewhere", "vendor": "ttlock"}, 400),
        (ADMIN, "vendor-accounts/rotations", {"propertyId": KABUL, "vendor": "generic-wiegand"}, 400),
        (ADMIN, "vendor-accounts/next", {"propertyId": KABUL, "vendor": "ttlock", "account": {"a": 1}}, 400),
    ],
)
def test_who_may_not_and_what_cannot_be_is_refused(tmp_path, who, path, body, status):
    async def scenario(house):
        assert (await ask(house, who, path, body))[0] == status

    play(tmp_path, scenario)


@pytest.mark.parametrize("step", ["taken", "over"])
def test_whoever_dies_after_the_secret_was_changed_and_before_it_was_noted_is_followed(
    tmp_path, monkeypatch, step
):
    async def scenario(house):
        old, before = await used(house, TTLOCK)
        await rotate(house, TTLOCK)
        await house.steer("PATCH", f"applications/{before['clientId']}", secret=NEXT)
        with monkeypatch.context() as dying:
            dying.setattr(AccountRotation, step, died)
            await bring(house, TTLOCK, {**before, "clientSecret": NEXT})
            await asyncio.sleep(600)
        changed = await used(house, TTLOCK)
        assert changed[0] == old + 1
        await pass_time(house, timedelta(days=1, minutes=1))
        await sweep(house)
        await asyncio.sleep(600)
        assert (await account(house, TTLOCK))["stage"] == "resting"
        assert await used(house, TTLOCK) == changed, "nothing was added twice"
        await destroyed(house, TTLOCK, old)

    play(tmp_path, scenario)
