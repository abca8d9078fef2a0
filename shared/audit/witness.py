"""A witness without I/O (C2SP tlog-witness): it remembers the last checkpoint of each log, and what follows.

| asked | answered |
|---|---|
| what is no request, or an old size above the new | 400 |
| a log it does not know | 404 |
| no signature of that log, or a wrong one | 403 |
| an old size that is not the one it remembers | 409, with that size |
| a proof that does not hold, or another root for one size | 422 |
| the next checkpoint, proven | 200, with its cosignature, after it was kept |

Whoever runs it keeps `Verdict.keep` by compare-and-set over what it read, and only then signs: two requests
at once must not both be the successor of one checkpoint.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, Self

from shared.audit.checkpoint import EMPTY_LOG, Checkpoint, cosignature
from shared.audit.errors import AuditError, Malformed, NotProven, Untrusted
from shared.audit.notes import Check, Note, Sign, VerifierKey, require_signed
from shared.audit.proofs import LONGEST_PATH, Path, require_consistency
from shared.audit.succession import beginning
from shared.audit.text import decode_hash, decode_lines, decode_number, encode_base64

SIZE_TYPE: Final = "text/x.tlog.size"
_OLD = "old "

KeysOf = Callable[[str], Iterable[VerifierKey]]
"""The keys that are trusted for a log; none if it is unknown."""
LastOf = Callable[[str], Checkpoint | None]
"""The checkpoint that is remembered of a log."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a log sends: the size it believes remembered, the proof from there, and its checkpoint."""

    old: int
    path: Path
    note: Note

    def __str__(self) -> str:
        path = "".join(f"{encode_base64(each)}\n" for each in self.path)
        return f"{_OLD}{self.old}\n{path}\n{self.note}"

    @classmethod
    def parse(cls, text: bytes) -> Self:
        """The request in a body."""
        head, parted, note = decode_lines(text, "request").partition("\n\n")
        first, *lines = head.split("\n")
        if not parted or not first.startswith(_OLD) or len(lines) > LONGEST_PATH:
            raise Malformed("request", "it is no request for a cosignature", "Send old, proof and checkpoint")
        old = decode_number(first.removeprefix(_OLD), "old")
        return cls(old, tuple(map(decode_hash, lines)), Note.parse(note.encode()))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to answer; a checkpoint to keep first where it is 200."""

    status: int
    body: str = ""
    content_type: str = "text/plain; charset=utf-8"
    keep: Checkpoint | None = None
    note: Note | None = None

    def cosigned(self, key: VerifierKey, sign: Sign, time: int) -> str:
        """The answer to a checkpoint that was kept: the witness's line under it."""
        if self.note is None:
            raise Untrusted("nothing is cosigned but what was found good")
        return str(cosignature(self.note.text, time, key, sign))


def judge(text: bytes, keys_of: KeysOf, last_of: LastOf, check: Check) -> Verdict:
    """The verdict on a request."""
    try:
        request = Request.parse(text)
        at = Checkpoint.parse(request.note.text)
    except Malformed as malformed:
        return Verdict(422 if malformed.field == EMPTY_LOG else 400, f"{malformed}\n")
    return _signed(request, at, keys_of, check) or _successor(request, at, last_of(at.origin))


def _signed(request: Request, at: Checkpoint, keys_of: KeysOf, check: Check) -> Verdict | None:
    keys = list(keys_of(at.origin))
    if not keys:
        return Verdict(404, "the log is not known here\n")
    try:
        require_signed(request.note, keys, check)
    except AuditError as untrusted:
        return Verdict(403, f"{untrusted}\n")
    return None


def _successor(request: Request, at: Checkpoint, last: Checkpoint | None) -> Verdict:
    last = last or beginning(at.origin)
    if request.old > at.size:
        return Verdict(400, "the old size is above the new\n")
    if request.old != last.size:
        return Verdict(409, f"{last.size}\n", SIZE_TYPE)
    try:
        require_consistency(last.size, at.size, request.path, last.root, at.root)
    except NotProven as broken:
        return Verdict(422, f"{broken}\n")
    return Verdict(200, keep=at, note=request.note)
