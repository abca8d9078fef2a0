"""Files that must stay what and where they were when they were opened: what is written to others is lost."""

import os
from collections.abc import Sequence
from pathlib import Path

Identity = tuple[int, int]
"""Device and inode."""


class Presence:
    """Remembers which files were opened under which names; once one is gone, that is never forgotten."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._known = [(os.fspath(path), identity_of(path)) for path in paths]
        self._gone: str | None = None

    def missing(self) -> str | None:
        """Return the name of a file that is gone or is another by now; asked at each commit."""
        if self._gone is None:
            self._gone = next((path for path, known in self._known if identity_of(path) != known), None)
        return self._gone

    def lose(self, what: str) -> None:
        """Take note that something is gone without which nothing may be acknowledged."""
        self._gone = self._gone or what


def identity_of(path: str | Path) -> Identity | None:
    """Return which file a name means; None for none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - of a text, at each commit
    except OSError:
        return None
    return found.st_dev, found.st_ino
