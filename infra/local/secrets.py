"""Secrets with numbered versions, each sealed under the key file before it is stored."""

import re
import sqlite3
from functools import partial

from infra.local import keyring as keyring_part
from infra.local.cipher import LocalCipher, Parts, Stamp
from infra.local.storage.engine import Engine
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.ports.vault import SecretMissing, SecretVersion

SCHEMA = (
    *keyring_part.SCHEMA,
    """CREATE TABLE IF NOT EXISTS secrets (
        secret TEXT NOT NULL, version INTEGER NOT NULL, sealed BLOB, crc INTEGER NOT NULL,
        PRIMARY KEY (secret, version),
        CHECK (crc = checksum(secret || '@' || version || ':' || hex(ifnull(sealed, ''))))) WITHOUT ROWID""",
)
PURPOSE = "secrets"
MOST_BYTES = 64 * 1024
_NAME = re.compile(r"[0-9A-Za-z_-]{1,255}")
_CRC = "checksum(?1 || '@' || ?2 || ':' || hex(ifnull(?3, '')))"
# S608: what is put into these statements are constants of this module.
_NEXT = "SELECT ifnull(max(version), 0) + 1 FROM secrets WHERE secret = ?"
_INSERT = f"INSERT INTO secrets VALUES (?1, ?2, ?3, {_CRC})"  # noqa: S608
_DESTROY = f"UPDATE secrets SET sealed = ?3, crc = {_CRC} WHERE secret = ?1 AND version = ?2"  # noqa: S608
_LATEST = """SELECT version, sealed FROM secrets WHERE secret = ? AND sealed IS NOT NULL
ORDER BY version DESC LIMIT 1"""
_VERSION = "SELECT version, sealed FROM secrets WHERE secret = ? AND version = ? AND sealed IS NOT NULL"


class SqliteSecrets:
    """The secrets of the embedded cloud. A destroyed version keeps its number and loses its bytes."""

    def __init__(self, engine: Engine, cipher: LocalCipher) -> None:
        self._engine, self._cipher = engine, cipher

    async def latest(self, secret: str) -> SecretVersion:
        """Return the newest version that is not destroyed."""
        return self._found(secret, self._engine.read(_LATEST, (secret,)))

    async def version(self, secret: str, version: int) -> SecretVersion:
        """Return one version."""
        return self._found(secret, self._engine.read(_VERSION, (secret, version)))

    async def add(self, secret: str, value: Secret[bytes]) -> int:
        """Add a version and return its number; versions count from 1."""
        if not _NAME.fullmatch(secret):
            raise InvalidInput("secret", "malformed", "Use 1 to 255 letters, digits, '_' and '-'")
        if not 1 <= len(value.reveal()) <= MOST_BYTES:
            raise InvalidInput("value", f"not 1 to {MOST_BYTES} bytes", "Store a reference to what is larger")
        stamp = await self._cipher.stamp(PURPOSE)
        return await self._engine.write(partial(_add, secret, stamp, value))

    async def destroy(self, secret: str, version: int) -> None:
        """Make one version unreadable for ever."""
        if not await self._engine.write(partial(_destroy, secret, version)):
            raise _missing(secret)

    def _found(self, secret: str, rows: list[tuple[int, bytes]]) -> SecretVersion:
        for version, sealed in rows:
            return SecretVersion(version, self._cipher.unseal(PURPOSE, _parts(secret, version), sealed))
        raise _missing(secret)


def _missing(secret: str) -> SecretMissing:
    return SecretMissing(f"no such version of secret {secret!r}, or it was destroyed: add a new version")


def _parts(secret: str, version: int) -> Parts:
    return (PURPOSE, secret, str(version))


def _add(secret: str, stamp: Stamp, value: Secret[bytes], connection: sqlite3.Connection) -> int:
    ((version,),) = connection.execute(_NEXT, (secret,)).fetchall()
    connection.execute(_INSERT, (secret, version, stamp(_parts(secret, version), value)))
    return int(version)


def _destroy(secret: str, version: int, connection: sqlite3.Connection) -> int:
    return connection.execute(_DESTROY, (secret, version, None)).rowcount
