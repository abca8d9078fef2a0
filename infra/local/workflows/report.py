"""Collects every problem of a file, so that an author sees them all at once."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from infra.local.workflows.errors import Problem, WorkflowRefused


@dataclass(slots=True)
class Report:
    """The problems found so far in one file."""

    file: str
    problems: list[Problem] = field(default_factory=list)

    def add(self, line: int, message: str, remedy: str) -> None:
        """Note a problem; the same one is noted once."""
        problem = Problem(self.file, line, message, remedy)
        if problem not in self.problems:
            self.problems.append(problem)

    def raise_if_any(self) -> None:
        """Refuse the file if anything was noted."""
        if self.problems:
            raise WorkflowRefused(sorted(self.problems, key=lambda problem: problem.line))


def suggestion(wrong: str, known: Iterable[str]) -> str:
    """A remedy naming the nearest known word, or all of them when few."""
    words = sorted(known)
    near = difflib.get_close_matches(wrong, words, n=1)
    if near:
        return f'Did you mean "{near[0]}"?'
    return f"Use one of: {', '.join(words)}" if words and len(words) <= 12 else "Check the spelling"
