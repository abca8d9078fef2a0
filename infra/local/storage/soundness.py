"""That the database was looked through, and that nobody but us has written to its file since.

To look through all of it takes seconds once it holds tens of thousands of keys, and after a kill -9 a guest
may be waiting. What a process wrote is in the machine's memory, killed or not: it can be damaged by the
machine going down, by the disk, or by somebody else. So a start looks through all of it, unless this holds:

| what | how it is known |
|---|---|
| the machine has not gone down since | its boot has the same id |
| nobody else wrote to the file | inode, size and times are those of our last checkpoint |
| the note is younger than what it says | it was written after the file's clock had ticked |
| the last look is not long ago | within a day: a disk that rots is found then |

What a killed process leaves in the log carries SQLite's own checksums; the mark says how far it reaches. An
orderly end forgets the note: the next start has time to look. Decision 0080.
"""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import orjson

from infra.local.ambient import SystemClock, stopwatch
from infra.local.storage.private import create_private

BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
LOOKED_WITHIN: Final = timedelta(days=1)
TICK_SECONDS: Final = 0.05
"""Longer than any kernel's clock of files stands still."""


class Soundness:
    """The note beside one database."""

    def __init__(self, database: Path) -> None:
        self._database, self._note = database, database.with_suffix(".sound")
        self._looked_at: datetime | None = None
        self._owed_since: float | None = None
        self._left: list[int] | None = None

    def holds(self) -> bool:
        """Return whether the file need not be looked through again."""
        kept = self._read()
        if kept is None or kept.get("boot") != _boot() or kept.get("file") != self._file():
            return False
        looked_at = datetime.fromisoformat(kept["looked_at"])
        recent = timedelta(0) <= SystemClock().now() - looked_at < LOOKED_WITHIN
        if recent:
            self._looked_at = looked_at
        return recent

    def looked(self) -> None:
        """Note that the file was looked through just now, and found whole."""
        self._looked_at = SystemClock().now()

    def written(self) -> None:
        """Note that we have written to the file: what is noted of it must wait until a clock has ticked."""
        if self._looked_at is not None:
            self._owed_since, self._left = stopwatch(), self._file()

    @property
    def owed(self) -> bool:
        """Whether a note waits to be written."""
        return self._owed_since is not None

    def settle(self) -> None:
        """Write the note that is owed, if it is time; of a file as somebody else left it there is none."""
        if self._owed_since is None or stopwatch() - self._owed_since <= TICK_SECONDS:
            return
        self._owed_since = None
        if self._file() == self._left:
            self._write()
        else:
            self.forget()

    def forget(self) -> None:
        """Have the next start look through everything."""
        self._looked_at = self._owed_since = None
        self._note.unlink(missing_ok=True)

    def _write(self) -> None:
        assert self._looked_at is not None  # noqa: S101 - nothing is owed before the first look
        said = {"boot": _boot(), "file": self._left, "looked_at": self._looked_at.isoformat()}
        draft = self._note.with_suffix(".sound-draft")
        draft.unlink(missing_ok=True)
        create_private(draft)
        draft.write_bytes(orjson.dumps(said))
        draft.replace(self._note)

    def _read(self) -> dict[str, Any] | None:
        try:
            found = orjson.loads(self._note.read_bytes())
        except (OSError, orjson.JSONDecodeError):
            return None
        return found if isinstance(found, dict) and _boot() is not None else None

    def _file(self) -> list[int] | None:
        try:
            found = self._database.stat()
        except OSError:
            return None
        return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def _boot() -> str | None:
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except OSError:
        return None  # a machine that does not tell: then every start looks
