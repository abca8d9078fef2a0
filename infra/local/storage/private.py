"""Files that nobody but their owner may read, whatever the umask and whatever the folder allows."""

import os
import stat
from pathlib import Path

OWNERS_ALONE = 0o600
BESIDE = ("", "-wal", "-shm")
"""SQLite gives its log and the log's index the mode of the database, but not to those it finds."""


def open_private(path: Path) -> int:
    """Open for reading and writing, create it if need be, and return the descriptor."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, OWNERS_ALONE)
    if not _is_private(os.fstat(descriptor)):
        os.fchmod(descriptor, OWNERS_ALONE)
    return descriptor


def create_private(path: Path) -> None:
    """Create a file for SQLite to open, which would itself leave the mode to the umask."""
    os.close(open_private(path))


def make_private(database: Path) -> None:
    """Shut what an earlier version, or somebody's copy, left open to others."""
    for suffix in BESIDE:
        file = database.with_name(database.name + suffix)
        if file.exists() and not _is_private(file.stat()):
            file.chmod(OWNERS_ALONE)


def _is_private(found: os.stat_result) -> bool:
    """Say whether a mode may stay: to set it anew would look as if the file had been put back from a copy."""
    return stat.S_IMODE(found.st_mode) == OWNERS_ALONE
