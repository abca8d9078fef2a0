"""Keys after the first day: rotated, what they sealed sealed anew, old ones destroyed, nothing lost."""

import asyncio
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest

from infra.local.fleet import open_fleet
from infra.local.keyfile import KeyFileRefused
from infra.local.world import FleetConfig, World
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from tests.support.sample_hotel import play

PIN, REF, ACCOUNTS, MESSAGES = "guest-artifact-ttlock", "vendor-ref-ttlock", "secrets", "messages"
ACCOUNT = "lock-ttlock-tnt_silk-ppt_kabul-api"


async def _stayed(house):
    """Have a key made, and something set aside."""
    await house.publish("evt_1")
    await house.publish("evt_2", reservationId="rsv_2", propertyId="ppt_none")
    await house.settled()
    return house.fleet.rekeying


def test_s5_what_is_sealed_anew_opens_as_before_and_the_old_keys_are_destroyed(tmp_path):
    async def scenario(house):
        keys = await _stayed(house)
        account = (await house.fleet.platform.secrets.latest(ACCOUNT)).value.reveal()
        (letter,) = house.fleet.bus.dead_letters.page()
        done = {}
        for purpose in (PIN, REF, ACCOUNTS, MESSAGES):
            assert keys.rotate(purpose) == 2
            assert await keys.retire(purpose) == []
            done[purpose] = (
                await keys.reseal(purpose),
                await keys.retire(purpose),
                await keys.reseal(purpose),
            )
        assert (await house.fleet.platform.secrets.latest(ACCOUNT)).value.reveal() == account
        assert house.fleet.bus.dead_letters.page()[0].data == letter.data
        await house.publish("evt_3", "checked_out", time="2026-03-01T10:00:00Z")
        await house.settled()
        return done, await house.keys_at("101"), keys.versions()

    done, left, versions = play(tmp_path, scenario)
    assert all(
        resealed > 0 and retired == [1] and again == 0 for resealed, retired, again in done.values()
    ), done
    assert left == []
    assert all(versions[purpose]["newest"] == 2 for purpose in done)


def test_s5_a_destroyed_key_opens_no_copy_of_the_database(tmp_path):
    async def scenario(house):
        keys = await _stayed(house)
        old = house.fleet.cipher.keyring.newest(PIN)
        keys.rotate(PIN)
        await keys.reseal(PIN)
        await keys.retire(PIN)
        return old, house.fleet.cipher.keyring.find(PIN, old.id, 1)

    old, found = play(tmp_path, scenario)
    assert found is None
    assert old.material.reveal().hex().encode() not in (tmp_path / "master.key").read_bytes()


def test_s5_no_key_is_destroyed_that_something_is_sealed_with_or_that_nobody_seeks(tmp_path):
    async def scenario(house):
        keys = await _stayed(house)
        keys.rotate(PIN)
        kept = await keys.retire(PIN)
        with pytest.raises(InvalidInput, match="no key of that purpose"):
            keys.rotate("nothing")
        await house.fleet.cipher.stamp("lock-config")
        keys.rotate("lock-config")
        with pytest.raises(InvalidInput, match="not walked"):
            await keys.retire("lock-config")
        return kept

    assert play(tmp_path, scenario) == []


def test_s5_what_is_a_guests_gets_a_key_of_its_own_each_month(tmp_path, monkeypatch):
    monkeypatch.setattr("infra.local.rekeying.MONTH", timedelta(hours=3))

    async def scenario(house):
        keys = await _stayed(house)
        seen = []
        for _ in range(3):
            async with house.on.unscheduled():
                await asyncio.sleep(timedelta(hours=3.2).total_seconds())
            seen.append(keys.versions()[PIN])
        await house.publish("evt_3", "checked_out", time="2026-03-01T10:00:00Z")
        await house.settled()
        return seen, house.fleet.cipher.keyring.held(PIN), await house.keys_at("101")

    seen, held, left = play(tmp_path, scenario)
    assert seen[0]["newest"] >= 1
    assert seen[-1]["newest"] > seen[0]["newest"]
    assert 1 not in held
    assert left == []


def _config(home):
    return FleetConfig(home, 18787)


async def _sealed_once(home, purpose):
    async with open_fleet(_config(home), World(threaded=False)) as fleet:
        await fleet.cipher.stamp(purpose)


def test_s5_a_restored_key_file_that_lacks_keys_is_refused_and_no_number_is_given_twice(tmp_path):
    asyncio.run(_sealed_once(tmp_path, ACCOUNTS))
    shutil.copy2(tmp_path / "master.key", tmp_path / "backup")

    async def more():
        async with open_fleet(_config(tmp_path), World(threaded=False)) as fleet:
            await fleet.cipher.stamp(PIN)
            fleet.rekeying.rotate(ACCOUNTS)
            await fleet.platform.secrets.add("another", Secret(b"value"))

    asyncio.run(more())
    (tmp_path / "backup").replace(tmp_path / "master.key")
    for _ in range(2):
        with pytest.raises(
            KeyFileRefused, match=rf"lacks the keys of {PIN}, {ACCOUNTS}\. Restore its backup"
        ):
            asyncio.run(_sealed_once(tmp_path, PIN))

    async def accepted():
        config = FleetConfig(tmp_path, 18787, accept_loss=True)
        async with open_fleet(config, World(threaded=False)) as fleet:
            return fleet.cipher.keyring.newest(ACCOUNTS).version, fleet.cipher.keyring.held(ACCOUNTS)

    assert asyncio.run(accepted()) == (3, (1, 3))
    asyncio.run(_sealed_once(tmp_path, PIN))


def test_s5_a_note_that_was_altered_is_found(tmp_path):
    asyncio.run(_sealed_once(tmp_path, PIN))
    with closing(sqlite3.connect(tmp_path / "fleet.db")) as other, pytest.raises(sqlite3.Error):
        other.execute("UPDATE keyring_key SET retired = 1")
