"""A notebook as a killed process leaves it, and ways to damage it."""

import stat
from dataclasses import dataclass, field
from pathlib import Path

from infra.local.storage.database import Damaged
from tests.unit.infra.local.storage.notebook import keep, notes, start

FILES = ("fleet.db", "fleet.db-wal", "fleet.mark")
TEXT = {f"{number:03}": f"note {number} " + "x" * 300 for number in range(40)}


@dataclass
class Image:
    """The bytes of a database, its log and its mark, which can be laid out anew for each case."""

    folder: Path
    content: dict[str, bytes] = field(default_factory=dict)

    def restore(self, **changed):
        """Lay out the files; one that is changed to None is left out."""
        for path in self.folder.iterdir():
            path.unlink()
        replaced = {
            name.replace("_", ".").replace(".wal", "-wal"): content for name, content in changed.items()
        }
        for name, content in (self.content | replaced).items():
            if content is not None:
                (self.folder / name).write_bytes(content)

    def files(self):
        """Return what lies in the folder now, but for locks and the log's index."""
        return {name: (self.folder / name).read_bytes() for name in FILES if (self.folder / name).exists()}

    def finding(self):
        """Open, and return what is found damaged; None if everything was there."""
        try:
            assert notes(self.folder) == TEXT
        except Damaged as damage:
            return damage.finding
        return None


async def take_image(folder, *, checkpointed=False):
    """Write the notes in a commit each, and keep the files as they lie while the process lives."""
    engine = start(folder / "source", threaded=False)
    for name, payload in TEXT.items():
        await engine.write(keep(name, payload))
    if checkpointed:
        engine._database.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    content = {name: (folder / "source" / name).read_bytes() for name in FILES}
    await engine.close()
    (folder / "copy").mkdir()
    return Image(folder / "copy", content)


def modes(folder):
    """Return who may do what with each file."""
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in sorted(folder.iterdir())}


def flipped(content, place, bit=0):
    """Return the bytes with one bit changed."""
    changed = bytearray(content)
    changed[place] ^= 1 << bit
    return bytes(changed)
