"""Secrets on the disk: sealed, each version bound to its name and number."""

import sqlite3

import pytest

from shared.ports.vault import SealBroken
from tests.contract.secrets.setting import API, WEBHOOK, Setting, sqlite_secrets


@pytest.fixture
async def setting(tmp_path):
    async with Setting(tmp_path, sqlite_secrets, threaded=False) as setting:
        yield setting


def on_disk(setting):
    """Return every byte of the folder."""
    return b"".join(path.read_bytes() for path in sorted(setting.folder.iterdir()))


async def test_a_value_is_never_on_the_disk_in_clear(setting):
    await setting.add(b"a secret of the vendor")
    await setting.engine.write(lambda connection: None)
    assert b"a secret of the vendor" not in on_disk(setting)


async def test_a_destroyed_versions_sealed_bytes_leave_its_row(setting):
    await setting.add(b"old", b"new")
    await setting.secrets.destroy(API, 1)
    rows = setting.engine.read("SELECT version, sealed IS NULL FROM secrets ORDER BY version")
    assert rows == [(1, 1), (2, 0)]


@pytest.mark.parametrize(
    "columns", [("secret", WEBHOOK), ("version", 7), ("sealed", b"other bytes"), ("sealed", None)]
)
async def test_no_part_of_a_row_can_change_without_its_checksum(setting, columns):
    column, value = columns
    await setting.add(b"a")
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        await setting.engine.write(
            lambda connection: connection.execute(f"UPDATE secrets SET {column} = ?", (value,)).rowcount
        )


async def test_versions_cannot_be_exchanged_by_whoever_has_the_file(setting):
    await setting.add(b"old", b"new")
    (old,) = setting.engine.read("SELECT sealed FROM secrets WHERE version = 1")
    exchange = """UPDATE secrets SET sealed = ?1,
        crc = checksum(secret || '@' || version || ':' || hex(?1)) WHERE version = 2"""
    await setting.engine.write(lambda connection: connection.execute(exchange, old).rowcount)
    with pytest.raises(SealBroken):
        await setting.secrets.latest(API)


async def test_a_secret_opens_after_its_key_was_rotated(setting):
    await setting.add(b"old")
    setting.secrets._cipher.rotate("secrets")
    await setting.add(b"new")
    assert [await setting.value(number) for number in (1, 2)] == [b"old", b"new"]
