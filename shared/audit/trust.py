"""Whom a reader trusts (C2SP tlog-policy): the logs' keys, the witnesses', and how many of those it takes.

A key that was replaced stays listed, for what it signed stays true; a comment says up to which size, which
strangers' tools pass over and ours obey: `#until <name>+<id> <size>`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from shared.audit.errors import Malformed
from shared.audit.notes import SignatureType, VerifierKey
from shared.audit.succession import LogKeys

QUORUM: Final = "witnesses"


@dataclass(frozen=True, slots=True)
class Trust:
    """What is handed to a reader on the first day, by another way than any pack."""

    logs: Sequence[LogKeys]
    witnesses: Sequence[VerifierKey] = ()
    quorum: int = 0

    def __post_init__(self) -> None:
        """Refuse a quorum that nobody could make up, and a log's key among the witnesses."""
        if not 0 <= self.quorum <= len(self.witnesses):
            raise Malformed("quorum", "more witnesses than there are", "Name more, or ask for fewer")
        if any(each.type is not SignatureType.COSIGNATURE for each in self.witnesses):
            raise Malformed("witnesses", "a key of type 0x01", "Give witnesses keys of type 0x04")

    def __str__(self) -> str:
        lines = [line for log in self.logs for line in _lines(log)]
        lines += [f"witness w{number} {key}" for number, key in enumerate(self.witnesses, 1)]
        if self.quorum:
            names = " ".join(f"w{number}" for number in range(1, len(self.witnesses) + 1))
            lines += [f"group {QUORUM} {self.quorum} {names}"]
        return "\n".join([*lines, f"quorum {QUORUM if self.quorum else 'none'}"]) + "\n"


def _lines(log: LogKeys) -> list[str]:
    lines = list[str]()
    for each in log.keys:
        if each.until is not None:
            lines += [f"#until {each.key.name}+{each.key.id.hex()} {each.until}"]
        lines += [f"log {each.key}"]
    return lines
