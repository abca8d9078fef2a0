"""The file under a desk's ledger: SQLCipher, proved to encrypt before anything is written.

Two failures are silent in the libraries: plain SQLite takes `PRAGMA key` and ignores it, and a file made
so looks like any other. Hence three proofs: the library names its cipher, an existing file does not begin
as plain SQLite's do, and a new one does not after its first commit.

Power loss costs nothing acknowledged: WAL with `synchronous = FULL` waits for the disk at each commit. One
process holds the file for itself.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import sqlcipher3

from edge_agent.ledger.errors import LedgerBusy, LedgerSealed, LedgerUnencrypted
from shared.domain.secret import Secret

PLAIN_HEADER: Final = b"SQLite format 3\x00"
KEY_BYTES: Final = 32
COMPANIONS: Final = ("", "-wal", "-shm", "-journal")
SETTINGS: Final = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA secure_delete = ON",
    "PRAGMA foreign_keys = ON",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA busy_timeout = 0",
)
SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS keys (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL, document TEXT NOT NULL, server_id TEXT
) STRICT;
CREATE TABLE IF NOT EXISTS work (
    claim TEXT PRIMARY KEY, key_id TEXT NOT NULL REFERENCES keys (id),
    step TEXT NOT NULL CHECK (step IN ('begun', 'done', 'failed')), at TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS secrets (
    key_id TEXT PRIMARY KEY REFERENCES keys (id), value TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS cards (
    key_id TEXT PRIMARY KEY REFERENCES keys (id), number INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS outbox (
    sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, subject TEXT NOT NULL, key_id TEXT NOT NULL,
    body BLOB NOT NULL, salt BLOB, secret BLOB, commitment BLOB NOT NULL, hash BLOB NOT NULL,
    sent INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, document TEXT NOT NULL, uid TEXT, error TEXT, local_id TEXT,
    step TEXT NOT NULL CHECK (step IN ('waiting', 'writing', 'written', 'failed', 'dropped')),
    told INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS unsent ON outbox (sequence) WHERE sent = 0;
"""


def open_file(path: Path, key: Secret[bytes]) -> Any:
    """Open or make the file with its key, for this process alone, or raise a LedgerError."""
    if len(key.reveal()) != KEY_BYTES:
        raise LedgerSealed(f"the ledger's key has {KEY_BYTES} bytes: pair the desk anew")
    _check_header(path)
    path.touch(mode=0o600, exist_ok=True)
    connection = sqlcipher3.connect(str(path), isolation_level=None)
    try:
        _unlock(connection, key)
        for setting in SETTINGS:
            connection.execute(setting)
        connection.executescript(f"BEGIN EXCLUSIVE;{SCHEMA}COMMIT;")
        _check_header(path)
    except sqlcipher3.OperationalError as error:
        connection.close()
        raise LedgerBusy("the ledger is in use: another agent runs on this machine") from error
    except BaseException:
        connection.close()
        raise
    return connection


def destroy_file(path: Path) -> None:
    """Remove the ledger and what lies beside it; without its key, what a disk keeps of it is noise."""
    for companion in COMPANIONS:
        with suppress(FileNotFoundError):
            path.with_name(path.name + companion).unlink()


def _unlock(connection: Any, key: Secret[bytes]) -> None:
    if not connection.execute("PRAGMA cipher_version").fetchone():
        raise LedgerUnencrypted("the database library does not encrypt: install sqlcipher3")
    # A raw key: the keychain keeps 32 drawn bytes, which no derivation makes better.
    connection.execute(f"PRAGMA key = \"x'{key.reveal().hex()}'\"")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlcipher3.OperationalError:
        raise
    except sqlcipher3.DatabaseError:
        raise LedgerSealed("the ledger does not open with this desk's key: wipe it and pair anew") from None


def _check_header(path: Path) -> None:
    if path.exists() and path.read_bytes()[: len(PLAIN_HEADER)] == PLAIN_HEADER:
        raise LedgerUnencrypted("the ledger's file is not encrypted: move it away, and pair the desk anew")
