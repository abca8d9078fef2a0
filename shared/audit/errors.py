"""What can be wrong with a log, a proof or a text of theirs."""


class AuditError(Exception):
    """The root of every error of the log."""


class Malformed(AuditError, ValueError):
    """A text or a number that is not written as its format has it; it never repeats the value."""

    def __init__(self, field: str, problem: str, remedy: str) -> None:
        super().__init__(field, problem, remedy)
        self.field, self.problem, self.remedy = field, problem, remedy

    def __str__(self) -> str:
        return f"{self.field}: {self.problem}. {self.remedy}"


class NotProven(AuditError):
    """A proof that does not lead to the root it is said to lead to."""


class Forked(AuditError):
    """A checkpoint that contradicts one signed before: it must never be signed."""


class Behind(Forked):
    """A log smaller than one signed before: a restored backup, until somebody explains it."""


class Untrusted(AuditError):
    """A note without the signatures that its reader asks for."""
