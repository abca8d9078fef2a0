"""From one signed checkpoint to the next: never two roots for one size, never a past that changes.

`shared/audit/anchor.py` asks these questions in their order before it has anything signed:

1. `require_not_behind`: no witness has seen more of this log than is here. A restored backup stops here.
2. `require_edge`: the files make up the root that was signed last.
3. `succeed`: read back after the day was written, the new tree holds the old one as its beginning.
4. `LogKeys.good_for`: which key signs a checkpoint of this size.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import Behind, Forked, Malformed, NotProven
from shared.audit.log import edge_at
from shared.audit.notes import Check, Note, VerifierKey, require_signed
from shared.audit.proofs import Path, consistency_path, require_consistency
from shared.audit.tiles import Read, stored_subtrees
from shared.audit.tree import EMPTY_ROOT


@dataclass(frozen=True, slots=True)
class Succession:
    """A checkpoint that may be signed next, and the proof that it continues the last."""

    last: Checkpoint
    next: Checkpoint
    path: Path


def beginning(origin: str) -> Checkpoint:
    """The checkpoint that every log begins with."""
    return Checkpoint(origin, 0, EMPTY_ROOT)


def succeed(last: Checkpoint, size: int, read: Read) -> Succession:
    """The next checkpoint, of the files as they are, if they continue the last; nothing is taken on trust."""
    if size < last.size:
        raise Behind(f"the log has {size} entries and was signed with {last.size}: find the lost ones")
    root = edge_at(size, read).root
    path = consistency_path(last.size, size, stored_subtrees(size, read)) if last.size else ()
    try:
        require_consistency(last.size, size, path, last.root, root)
    except NotProven as broken:
        raise Forked(str(broken)) from None
    return Succession(last, Checkpoint(last.origin, size, root), path)


def require_not_behind(last: Checkpoint, elsewhere: Iterable[Checkpoint]) -> None:
    """Refuse to go on from a checkpoint that is smaller than, or other than, what a witness remembers."""
    for seen in elsewhere:
        if seen.origin != last.origin:
            raise Malformed("origin", "a witness tells of another log", "Ask it for this one")
        if seen.size > last.size:
            raise Behind(
                f"a witness has seen {seen.size} entries, here are {last.size}: a backup was restored"
            )
        if seen.size == last.size and seen.root != last.root:
            raise Forked(f"a witness has seen another log of {seen.size} entries")


@dataclass(frozen=True, slots=True)
class LogKey:
    """A key of a log, and the sizes it is good for: after `until` another has taken over."""

    key: VerifierKey
    until: int | None = None


@dataclass(frozen=True, slots=True)
class LogKeys:
    """The keys of a log, the oldest first; each but the last has an end."""

    keys: tuple[LogKey, ...]

    def __post_init__(self) -> None:
        """Refuse keys among which two would be good for one size, or none."""
        ends = [each.until for each in self.keys[:-1]]
        whole = [end for end in ends if end is not None]
        if not self.keys or self.keys[-1].until is not None or sorted(set(whole)) != ends:
            raise Malformed(
                "keys", "their ends do not follow one another", "List each key once, oldest first"
            )

    def good_for(self, size: int) -> VerifierKey:
        """The one key that signs a checkpoint of a size."""
        return next(each.key for each in self.keys if each.until is None or size <= each.until)

    def replaced(self, size: int, key: VerifierKey) -> "LogKeys":
        """The keys after a change at a size, from which on the new one signs."""
        return LogKeys((*self.keys[:-1], LogKey(self.keys[-1].key, size), LogKey(key)))

    def require(self, note: Note, check: Check) -> Checkpoint:
        """The checkpoint of a note, if the key that is good for its size signed it."""
        at = Checkpoint.parse(note.text)
        key = self.good_for(at.size)
        if at.origin != key.name:
            raise Malformed("origin", "it is another log's checkpoint", "Take this log's")
        require_signed(note, [key], check)
        return at
