"""The words of HCL: what a file is made of, with the places inside texts that are expressions again."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

NAME, NUMBER, TEXT, MARK, LINE = "name", "number", "text", "mark", "line"
_FORMS: Final = re.compile(
    r"""
      (?P<space>[ \t\r]+ | (?:\#|//)[^\n]* | /\*.*?\*/)
    | (?P<line>\n)
    | (?P<heredoc><<-?(?P<end>\w+)\n)
    | (?P<quote>")
    | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    | (?P<name>[A-Za-z_][\w-]*)
    | (?P<mark>=>|\.\.\.|[=!<>]=|&&|\|\||[-+*/%<>!?:=,.(){}\[\]])
    """,
    re.VERBOSE | re.DOTALL,
)


class Malformed(Exception):
    """A file that is not HCL: where, and what stands there."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Token:
    """One word: of a text, `inner` holds the words of what is inserted into it."""

    kind: str
    text: str
    line: int
    inner: tuple["Token", ...] = field(default=())


def tokens(source: str, line: int = 1) -> Iterator[Token]:
    """Yield the words of a file, each end of a line among them; comments and spaces are left out."""
    at = 0
    while at < len(source):
        found = _FORMS.match(source, at)
        if found is None:
            raise Malformed(line, f"{source[at]!r} is no word of HCL")
        at, token = _taken(source, found, line)
        if token is not None:
            yield token
        line += source.count("\n", found.start(), at)


def _taken(source: str, found: re.Match[str], line: int) -> tuple[int, Token | None]:
    if found["heredoc"]:
        end = re.compile(rf"^[ \t]*{found['end']}$", re.MULTILINE).search(source, found.end())
        if end is None:
            raise Malformed(line, f"<<{found['end']} has no end")
        text = source[found.end() : end.start()]
        return end.end(), Token(TEXT, text, line, tuple(_inserted(text, line + 1)))
    if found["quote"]:
        at = _closing_quote(source, found.end(), line)
        text = source[found.end() : at]
        return at + 1, Token(TEXT, text, line, tuple(_inserted(text, line)))
    kind = found.lastgroup or ""
    return found.end(), None if kind == "space" else Token(kind, found.group(), line)


def _closing_quote(source: str, at: int, line: int) -> int:
    while at < len(source) and source[at] != "\n":
        if source[at] == "\\":
            at += 2
        elif source.startswith("${", at) and not source.startswith("$${", at - 1):
            at = _closing_brace(source, at + 2, line) + 1
        elif source[at] == '"':
            return at
        else:
            at += 1
    raise Malformed(line, "a text has no end")


def _closing_brace(source: str, at: int, line: int) -> int:
    depth = 1
    while at < len(source):
        match source[at]:
            case '"':
                at = _closing_quote(source, at + 1, line)
            case "{":
                depth += 1
            case "}":
                depth -= 1
        if depth == 0:
            return at
        at += 1
    raise Malformed(line, "${ has no end")


def _inserted(text: str, line: int) -> Iterator[Token]:
    at = text.find("${")
    while at >= 0:
        if at and text[at - 1] == "$":
            at = text.find("${", at + 2)
            continue
        end = _closing_brace(text, at + 2, line)
        yield from tokens(text[at + 2 : end], line + text.count("\n", 0, at))
        yield Token(MARK, ",", line)  # what follows is another expression
        at = text.find("${", end)
