"""What stops a command, each kind with its exit code; a problem names its remedy."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

LONGEST_NAME: Final = 64
Field = Mapping[str, Any]
"""What is wrong with one field of the input: `field`, `problem` and `remedy`."""


class Problem(Exception):
    """The root of everything a command stops at."""

    exit_code: ClassVar[int] = 1
    kind: ClassVar[str] = "failed"

    def __init__(self, message: str, remedy: str = "", fields: Sequence[Field] = ()) -> None:
        super().__init__(message)
        self.message, self.remedy, self.fields = message, remedy, tuple(fields)

    def described(self) -> dict[str, Any]:
        """Return the problem as `--json` prints it; its fields only where some are wrong."""
        told = {"kind": self.kind, "message": self.message, "remedy": self.remedy}
        return {**told, "problems": [dict(each) for each in self.fields]} if self.fields else told


class Failed(Problem):
    """What was asked for was tried, and did not succeed."""


class Refused(Problem):
    """The input cannot be accepted; nothing was done."""

    exit_code = 2
    kind = "refused"


def refused_fields(fields: Sequence[Field], remedy: str = "") -> Refused:
    """Return the problem of fields that are wrong; `remedy` is for those that name none."""
    if len(fields) == 1:
        return Refused(said_of(fields[0]), fields[0].get("remedy") or remedy)
    return Refused(f"{len(fields)} things are wrong", remedy, fields)


def said_of(field: Field) -> str:
    """Return which field is wrong, if it is one, and how."""
    return ": ".join(filter(None, (field.get("field"), field.get("problem"))))


def parted(sentence: str) -> tuple[str, str]:
    """Return the problem and the remedy of whoever refuses in one sentence, which ends with what to do."""
    what, colon, remedy = sentence.rpartition(": ")
    return (what, remedy) if colon else (sentence, "")


def not_found(what: str, names: Iterable[object], remedy: str, *, but: str = "") -> Refused:
    """Return the problem of names that stand for nothing; `but` says what became of the rest."""
    missing = ", ".join(repr(str(name)[:LONGEST_NAME]) for name in names)
    return Refused(f"no {what} {missing}" + (f", and {but}" if but else ""), remedy)


class Unreachable(Problem):
    """The fleet of this home does not answer."""

    exit_code = 3
    kind = "unreachable"


EXIT_CODES = (
    (0, "done"),
    (1, "what was asked about failed, such as an execution or a check"),
    (2, "wrong usage or refused input, such as the name of what is not there: nothing was done"),
    (3, "the fleet is not reachable"),
)
"""What a script may rely on."""
