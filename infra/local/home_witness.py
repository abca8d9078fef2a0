"""Whether a home's database is the file that was closed here last, or an older copy that was put back.

A restored ledger is older than the locks: keys made since the backup are at doors, and it knows nothing of
them. Nothing in a copied folder says that it is one, but the file system does:

| the home was | beside the database is noted | a copy that was put back |
|---|---|---|
| closed in order | which file it was, and when the file system changed it last | was changed later |
| left by a crash | which file it was | is another file, unless it was written over the old one |

To change its rights or its owner looks like a copy, too. Then locks are compared once more than need be, and
what vanished waits for a person's word.
"""

import contextlib
import json
import os
from pathlib import Path
from typing import Any, Final

from infra.local.storage.presence import identity_of
from shared.ledger.comparison import Occasion

NOTE: Final = "fleet.seen"


class HomeWitness:
    """The note beside a database, and what is owed to its locks since it was found to be a copy."""

    def __init__(self, database: Path) -> None:
        self._database, self._note = database, database.with_name(NOTE)
        known = self._read()
        self.owed = _occasion(known.get("owed"))
        if self._is_copy(known):
            self.owed = Occasion.RESTORED

    def owe(self, occasion: Occasion) -> None:
        """Have locks compared, whatever crash comes before; a restored ledger stays one."""
        if self.owed is not Occasion.RESTORED:
            self.owed = occasion

    def opened(self) -> None:
        """Note which file is open, and what is owed: while it is, it changes all the time.

        Before there is one, nothing is noted: a fleet that dies in its first start has put no copy back.
        """
        file = identity_of(self._database)
        if file is not None:
            self._write({"file": file})

    def paid(self) -> None:
        """Note that comparisons were begun."""
        self.owed = None
        self.opened()

    def closed(self) -> None:
        """Note the file as it was left."""
        with contextlib.suppress(OSError):
            changed = self._database.stat().st_ctime_ns
            self._write({"file": identity_of(self._database), "changed": changed})

    def _is_copy(self, known: dict[str, Any]) -> bool:
        now = identity_of(self._database)
        if now is None or "file" not in known:
            return False
        changed = known.get("changed")
        later = changed is not None and self._database.stat().st_ctime_ns != changed
        return later or tuple(known["file"] or ()) != now

    def _read(self) -> dict[str, Any]:
        try:
            known = json.loads(self._note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}

    def _write(self, known: dict[str, Any]) -> None:
        """Write the note whole or not at all; without room for it, one copy may go unnoticed."""
        with contextlib.suppress(OSError):
            self._replace({**known, "owed": self.owed})

    def _replace(self, known: dict[str, Any]) -> None:
        draft = self._note.with_name(NOTE + ".new")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(known, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._note)


def _occasion(text: object) -> Occasion | None:
    return next((each for each in Occasion if each == text), None)
