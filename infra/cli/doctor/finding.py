"""What a check found, and how much it matters."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from rich.text import Text

from infra.cli.answer import line, plain


class Verdict(StrEnum):
    """How a check ended; of these, only a failure changes the exit code."""

    OK = "ok"
    NOTE = "note"
    WARNING = "warning"
    FAILED = "failed"


LOOKS = {
    Verdict.OK: ("✓", "green"),
    Verdict.NOTE: ("·", "dim"),
    Verdict.WARNING: ("!", "yellow"),
    Verdict.FAILED: ("✗", "bold red"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    check: str
    verdict: Verdict
    detail: str
    remedy: str = ""

    def described(self) -> dict[str, Any]:
        """Return the finding as `--json` prints it."""
        return asdict(self)

    def said(self) -> Text:
        """Return the finding as a line, with its remedy below."""
        mark, style = LOOKS[self.verdict]
        remedy = line(plain("\n  fix: ", "green"), self.remedy) if self.remedy else ""
        return line(plain(mark, style), f" {self.check}: {self.detail}", remedy)
