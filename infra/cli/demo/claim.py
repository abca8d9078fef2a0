"""What the demo says is so, and whether it was seen to be."""

from dataclasses import asdict, dataclass, field
from typing import Any

from rich.text import Text

from infra.cli.answer import line, plain


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that should hold, what was seen of it, and how long it took."""

    name: str
    text: str
    held: bool
    seconds: float
    seen: dict[str, Any] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """Return the claim as `--json` prints it."""
        return asdict(self)

    def said(self) -> Text:
        """Return the claim as a line of the story."""
        mark = plain("✓", "bold green") if self.held else plain("✗", "bold red")
        seen = "" if self.held else plain(f"\n    seen instead: {self.seen}", "red")
        return line(mark, f" {self.text} ", plain(f"({self.seconds:.2f} s)", "dim"), seen)
