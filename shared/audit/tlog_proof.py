"""A proof to take away (C2SP tlog-proof v1): an index, the way to the root, and the signed checkpoint."""

from dataclasses import dataclass
from typing import Final, Self

from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import Malformed
from shared.audit.notes import Note
from shared.audit.proofs import LONGEST_PATH, Path, require_inclusion
from shared.audit.text import decode_base64, decode_hash, decode_lines, decode_number, encode_base64
from shared.audit.tree import leaf_hash

FIRST_LINE: Final = "c2sp.org/tlog-proof@v1"
_EXTRA, _INDEX = "extra ", "index "
_WHOLE = "Copy the proof whole"


@dataclass(frozen=True, slots=True)
class LogProof:
    """What shows, offline, that an entry stands at an index of a log."""

    index: int
    path: Path
    note: Note
    extra: bytes = b""
    """Whatever goes along; nothing vouches for it."""

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that the proof leads to; whether it is trusted is another question."""
        return Checkpoint.parse(self.note.text)

    def require(self, entry: bytes) -> None:
        """Refuse an entry that is not at the index of the checkpointed tree."""
        at = self.checkpoint
        require_inclusion(leaf_hash(entry), self.index, at.size, self.path, at.root)

    def __str__(self) -> str:
        extra = f"{_EXTRA}{encode_base64(self.extra)}\n" if self.extra else ""
        path = "".join(f"{encode_base64(each)}\n" for each in self.path)
        return f"{FIRST_LINE}\n{extra}{_INDEX}{self.index}\n{path}\n{self.note}"

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """The proof in a file."""
        head, parted, note = decode_lines(text, "proof").partition("\n\n")
        first, *lines = head.split("\n")
        if first != FIRST_LINE or not parted or not lines:
            raise Malformed("proof", f"it is no {FIRST_LINE}", _WHOLE)
        extra = decode_base64(lines.pop(0).removeprefix(_EXTRA)) if lines[0].startswith(_EXTRA) else b""
        if not lines or not lines[0].startswith(_INDEX) or len(lines) - 1 > LONGEST_PATH:
            raise Malformed("proof", "its index or its hashes are not where they belong", _WHOLE)
        index = decode_number(lines[0].removeprefix(_INDEX), "index")
        proof = cls(index, tuple(map(decode_hash, lines[1:])), Note.parse(note.encode()), extra)
        if str(proof).encode() != text:
            raise Malformed("proof", "it has a line that says nothing", _WHOLE)
        return proof
