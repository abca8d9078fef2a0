"""Whatever goes wrong on the way, repetition ends with one key at each lock, and then with none."""

import asyncio

import pytest

from infra.local.simulation.loop import run_virtually
from shared.domain.kinds import RevokeReason
from shared.domain.lock_errors import KeyIssueFailed, LockError
from shared.ports.lock_causes import LockCause
from tests.contract.lock.broken_ports import (
    draws_a_pin_anew,
    forgets_before_the_locks_agree,
    keeps_to_its_own_plan,
    names_by_chance,
    revokes_one_door,
)
from tests.contract.lock.port_suite import opened_by, pin_of
from tests.contract.lock.setting import DOOR_101, FRONT
from tests.contract.lock.ttlock_setting import TTLockSetting

PLANTED = (
    *(draws_a_pin_anew, forgets_before_the_locks_agree, keeps_to_its_own_plan),
    *(names_by_chance, revokes_one_door),
)
MOST_TRIES = 90
WISHES = ("claim-1", "claim-2", "claim-3")
SEEDS = range(12)
ADVERSITY = (
    {"fault": "timeout_after_success", "pct": 15},
    {"fault": "timeout_after_success", "pct": 10, "seconds": 30},
    {"fault": "drop", "pct": 10},
    {"fault": "http_502", "pct": 5},
    {"fault": "http_403", "pct": 5},
    {"fault": "truncated", "pct": 5},
    {"fault": "errcode:-3003", "pct": 10},
    {"fault": "errcode:10004", "pct": 5},
    {"fault": "slow", "pct": 10, "seconds": 5},
)


async def insisted(act, *arguments):
    """Repeat an act until it succeeds, as a saga would."""
    for _ in range(MOST_TRIES):
        try:
            return await act(*arguments)
        except LockError as error:
            if error.permanent:
                raise
            await asyncio.sleep(5)
    pytest.fail(f"not done after {MOST_TRIES} tries")


async def issued(setting):
    """Return a key, or another wish's where all attempts at one were spent, as a saga's are."""
    for wish in WISHES:
        try:
            return await insisted(setting.port.issue_credential, setting.request(wish))
        except KeyIssueFailed as refused:
            if refused.cause.kind != LockCause.ATTEMPTS_SPENT:
                raise
    pytest.fail("no key at all")


async def stay(setting):
    """Issue one key three times at once, then take it back twice at once, at an unkind platform."""
    for adversity in ADVERSITY:
        await setting.fault(operation="*", **adversity)
    await setting.steer("PUT", "latency", cloudMs=[5, 80], gatewayMs=[200, 900])
    results = await asyncio.gather(*(issued(setting) for _ in range(3)))
    assert len({pin_of(result) for result in results}) == 1
    assert await opened_by(setting, results[0]) == [DOOR_101, FRONT]
    keys = [key for wish in WISHES if (key := await setting.port.key_of(wish))]
    assert results[0].credential.key_credential_id == keys[-1]
    for key in keys[:-1]:
        await insisted(setting.port.revoke_credential, key, RevokeReason.REPLACED, "replaced")
    assert await setting.count() == await setting.count(FRONT) == 1
    reason = (keys[-1], RevokeReason.CHECKOUT, "revoke-1")
    await asyncio.gather(*(insisted(setting.port.revoke_credential, *reason) for _ in range(2)))
    assert await opened_by(setting, results[0]) == []
    assert await setting.count() == await setting.count(FRONT) == 0
    return [call.url for call in setting.straight.asked]


def played(folder, seed):
    """Play a stay in virtual time, and return what was asked of the platform."""

    async def main(clock):
        async with TTLockSetting(folder, clock=clock, seed=seed) as setting:
            return await stay(setting)

    return run_virtually(main, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stay_ends_well(tmp_path, seed):
    assert played(tmp_path, seed)


@pytest.mark.parametrize("broken", PLANTED, ids=lambda change: change.__name__)
def test_a_planted_bug_ends_badly_within_a_few_seeds(tmp_path_factory, broken, monkeypatch):
    broken(monkeypatch)
    ends = [_end_of(tmp_path_factory.mktemp("stay"), seed) for seed in range(6)]
    assert any(ends)


def _end_of(folder, seed):
    try:
        played(folder, seed)
    except (AssertionError, LockError, pytest.fail.Exception) as failure:
        return failure
    return None


def test_the_same_seed_is_the_same_stay(tmp_path):
    folders = [tmp_path / "first", tmp_path / "again"]
    for folder in folders:
        folder.mkdir()
    first, again = (played(folder, seed=5) for folder in folders)
    assert first == again
