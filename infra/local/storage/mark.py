"""The high-water mark: beside the database, how far it must reach.

SQLite silently drops damaged frames from the end of its log, so a shortened database opens without complaint.
The mark is written after each group commit (28 bytes, no fsync) and synced at checkpoints. A process crash
therefore hides nothing; a power cut can lose the last writes of the mark itself, and so hide a shortening
back to the last checkpoint.
"""

import os
import struct
import zlib
from pathlib import Path

from infra.local.storage.private import open_private

SLOT = struct.Struct("<16sQI")
"""Database id, commit number, checksum. Two slots take turns, so that a torn write spoils only one."""


class MarkBroken(Exception):
    """Neither slot of the mark can be read."""


def _pack(database: bytes, commit: int) -> bytes:
    head = struct.pack("<16sQ", database, commit)
    return head + struct.pack("<I", zlib.crc32(head))


def _unpack(slot: bytes) -> tuple[bytes, int] | None:
    if len(slot) != SLOT.size or zlib.crc32(slot[:24]) != struct.unpack("<I", slot[24:])[0]:
        return None
    return slot[:16], struct.unpack("<Q", slot[16:24])[0]


class Mark:
    """The mark of one database."""

    def __init__(self, path: Path) -> None:
        self._file = open_private(path)

    def read(self) -> tuple[bytes, int] | None:
        """Return (database id, commit number), or None if the mark was never written."""
        raw = os.pread(self._file, 2 * SLOT.size, 0)
        if not raw:
            return None
        slots = [_unpack(raw[: SLOT.size]), _unpack(raw[SLOT.size :])]
        readable = [slot for slot in slots if slot is not None]
        if not readable:
            raise MarkBroken
        return max(readable, key=lambda slot: slot[1])

    def write(self, database: bytes, commit: int) -> None:
        """Raise the mark."""
        os.pwrite(self._file, _pack(database, commit), (commit % 2) * SLOT.size)

    def reset(self, database: bytes, commit: int) -> None:
        """Set both slots, whatever they held; a crash in between leaves the higher one standing."""
        for slot in range(2):
            os.pwrite(self._file, _pack(database, commit), slot * SLOT.size)
        self.sync()

    def clear(self) -> None:
        """Forget every promise."""
        os.ftruncate(self._file, 0)
        self.sync()

    def sync(self) -> None:
        """Make the mark survive a power cut."""
        os.fsync(self._file)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
