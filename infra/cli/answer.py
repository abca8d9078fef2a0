"""A command's answer: the facts for scripts, and the same said for people."""

import json
import sys
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from infra.cli.problems import Field, Problem, said_of

LONGEST_LINE = 400
SPANS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
PARTS_SAID = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command returns: nothing is printed anywhere else."""

    facts: Any
    said: tuple[RenderableType, ...] = ()
    exit_code: int = 0
    always_json: bool = False
    complaints: tuple[str, ...] = ()
    """Lines for stderr."""


Telling = Generator[RenderableType, None, Answer]
"""A command that takes its time yields what it says as it happens, and returns its answer at the end."""
Outcome = Answer | Telling


def plain(value: Any, style: str = "") -> Text:
    """Return a value as text that cannot steer a terminal, whoever wrote it."""
    text = str(value)
    return Text("".join(each if each.isprintable() or each == "\n" else "�" for each in text), style=style)


def line(*parts: str | Text) -> Text:
    """Return one line made of plain texts and styled ones."""
    return Text.assemble(*(plain(part) if isinstance(part, str) else part for part in parts))


def field_line(indent: str, field: Field) -> Text:
    """Return what is wrong with a field and what to do about it, on one line."""
    remedy = field.get("remedy")
    return line(indent, plain(said_of(field), "yellow"), f". {remedy}" if remedy else "")


def moment(text: str) -> str:
    """Return an instant in UTC as people read it; scripts get it whole."""
    return text[:19].replace("T", " ")


def counted(count: int, noun: str) -> str:
    """Return a count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def span(seconds: float) -> str:
    """Return how long something is as people say it, in the two largest units that matter."""
    whole = round(abs(seconds))
    largest = next((at for at, (_, length) in enumerate(SPANS) if length <= whole), len(SPANS) - 1)
    said, parts = SPANS[largest : largest + PARTS_SAID], list[str]()
    finest = said[-1][1]
    left = round(whole / finest) * finest
    for noun, length in said:
        count, left = divmod(left, length)
        parts += [counted(count, noun)] if count else []
    return " ".join(parts)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Return rows under their heads; the first column is never broken, for it is what people copy."""
    drawn = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for head in heads:
        drawn.add_column(head, overflow="fold", no_wrap=head is heads[0])
    for row in rows:
        drawn.add_row(
            *(cell if isinstance(cell, Text) else plain("" if cell is None else cell) for cell in row)
        )
    return drawn


def print_answer(answer: Answer, *, as_json: bool) -> None:
    """Print an answer; with JSON, one document and nothing else on stdout."""
    for complaint in answer.complaints:
        errors().print(plain(complaint), soft_wrap=True)
    if as_json or answer.always_json:
        print_document(answer.facts)
        return
    for part in answer.said:
        print_part(part)


def print_part(part: RenderableType) -> None:
    """Print one part of what is said to people."""
    # A row that goes to another program is not broken to fit a screen.
    width = None if sys.stdout.isatty() else LONGEST_LINE
    screen = Console(markup=False, highlight=False, emoji=False, width=width)
    screen.print(part, soft_wrap=isinstance(part, Text))


def print_problem(problem: Problem, *, as_json: bool) -> None:
    """Say on stderr what is wrong and what to do; scripts get the same as their document."""
    errors().print(line(plain("error: ", "bold red"), problem.message), soft_wrap=True)
    for field in problem.fields:
        errors().print(field_line("  ", field), soft_wrap=True)
    if problem.remedy:
        errors().print(line(plain("  fix: ", "bold green"), problem.remedy), soft_wrap=True)
    if as_json:
        print_document({"error": problem.described()})


def print_document(facts: Any) -> None:
    """Print one JSON document."""
    json.dump(facts, sys.stdout, indent=2, ensure_ascii=False)
    sys.stdout.write("\n")
    sys.stdout.flush()


def errors() -> Console:
    """Return the console on stderr."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False)
