"""What the demo says is so, and whether it was seen to be."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rich.text import Text

from infra.cli.answer import line, plain


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether something held, what was seen of it, and what is worth showing."""

    held: bool
    seen: Mapping[str, Any] = field(default_factory=dict)
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that should hold, what was seen of it, and how long it took."""

    name: str
    text: str
    held: bool
    seconds: float
    seen: Mapping[str, Any] = field(default_factory=dict)
    detail: str = ""

    def described(self) -> dict[str, Any]:
        """Return the claim as `--json` prints it."""
        return asdict(self)

    def said(self) -> Text:
        """Return the claim as a line of the story, and below it what there is to show."""
        mark = plain("✓", "bold green") if self.held else plain("✗", "bold red")
        below = self._below()
        return line("  ", mark, f" {self.text} ", plain(f"({self.seconds:.2f} s)", "dim"), below)

    def _below(self) -> Text:
        told = self.detail if self.held else f"seen instead: {dict(self.seen)}"
        return plain("".join(f"\n    {each}" for each in told.splitlines()), "cyan" if self.held else "red")
