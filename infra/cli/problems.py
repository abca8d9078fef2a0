"""What stops a command, each kind with its exit code; a problem names its remedy."""

from typing import ClassVar


class Problem(Exception):
    """The root of everything a command stops at."""

    exit_code: ClassVar[int] = 1
    kind: ClassVar[str] = "failed"

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message, self.remedy = message, remedy

    def described(self) -> dict[str, str]:
        """Return the problem as `--json` prints it."""
        return {"kind": self.kind, "message": self.message, "remedy": self.remedy}


class Failed(Problem):
    """What was asked for was tried, and did not succeed."""


class Refused(Problem):
    """The input cannot be accepted; nothing was done."""

    exit_code = 2
    kind = "refused"


class Unreachable(Problem):
    """The fleet of this home does not answer."""

    exit_code = 3
    kind = "unreachable"


EXIT_CODES = (
    (0, "done"),
    (1, "what was asked about failed, such as an execution or a check"),
    (2, "wrong usage or refused input: nothing was done"),
    (3, "the fleet is not reachable"),
)
"""What a script may rely on."""
