"""Whether files are laid out as `terraform fmt` lays them out: its indentation, without Terraform.

Where Terraform is installed, `make check` also runs `terraform fmt`, which aligns as well.

    a line opens more brackets than it closes   indented as the lines before; what follows, by two more
    it closes more than it opens                indented as the line that opened the first of them
    it is inside a heredoc                      left alone
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from infra.terraform.hcl import deeper
from infra.terraform.tokens import tokens

STEP: Final = 2


def askew(path: Path, source: str) -> Iterator[str]:
    """Yield the lines that `terraform fmt` would move."""
    texts, opened = source.splitlines(), _opened(source)
    open_: list[int] = []
    for number in sorted(opened):
        text, net = texts[number - 1], opened[number]
        if net < 0:
            _close(open_, -net)
        if len(text) - len(text.lstrip()) != STEP * len(open_):
            yield f"{path}:{number}: indented by {len(text) - len(text.lstrip())}, not {STEP * len(open_)}"
        if net > 0:
            open_.append(net)
    for number, text in enumerate(texts, 1):
        if text != text.rstrip() or "\t" in text:
            yield f"{path}:{number}: a tab, or spaces at its end"
    if not source.endswith("\n") or source.endswith("\n\n"):
        yield f"{path}: does not end with one end of a line"


def _opened(source: str) -> dict[int, int]:
    """Return how many brackets each line opens that it does not close; lines without words are left out."""
    found: dict[int, int] = defaultdict(int)
    for word in tokens(source):
        if word.text != "\n":
            found[word.line] += deeper(word)
    return found


def _close(open_: list[int], closed: int) -> None:
    while closed > 0 and open_:
        if closed < open_[-1]:
            open_[-1] -= closed
            return
        closed -= open_.pop()
