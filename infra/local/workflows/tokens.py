"""Splits the text of an expression into tokens."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final

from infra.local.workflows import limits

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<number>(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<symbol>//|<=|>=|==|!=|[-+*/%<>()\[\].,])""",
    re.VERBOSE | re.DOTALL,
)
_BRACES: Final = "Keep one ${...} per value: join texts with +, and build maps in an assign step"
_RAW_CONTROLS: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


class ExpressionError(Exception):
    """An expression that cannot be read; column counts from the first character after `${`."""

    def __init__(self, column: int, message: str, remedy: str) -> None:
        self.column, self.message, self.remedy = column, message, remedy
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; `value` is the number or text a literal stands for."""

    kind: str
    text: str
    column: int
    value: Any = None


def tokenize(source: str) -> list[Token]:
    """All tokens of an expression, closed by one of kind "end"."""
    tokens: list[Token] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            raise _unknown(source, at)
        at = match.end()
        if match.lastgroup != "space":
            tokens.append(_token(str(match.lastgroup), match.group(), match.start() + 1))
    tokens.append(Token("end", "the end", len(source) + 1))
    return tokens


def _unknown(source: str, at: int) -> ExpressionError:
    if source[at] in "\"'":
        return ExpressionError(at + 1, "a string literal that never ends", "Close it with the same quote")
    remedy = _BRACES if source[at] in "{}" else "Remove it, or put text in double quotes"
    return ExpressionError(at + 1, f"unexpected character {source[at]!r}", remedy)


def _token(kind: str, text: str, column: int) -> Token:
    if kind == "number":
        return Token(kind, text, column, _number(text, column))
    if kind == "string":
        return Token(kind, text, column, _string(text, column))
    return Token(kind, text, column)


def _number(text: str, column: int) -> int | float:
    if text.isdigit():
        number = int(text)
        # One beyond the largest is let through for the parser, which may find a minus before it.
        if number <= limits.LARGEST_INTEGER + 1:
            return number
        raise ExpressionError(
            column, f"the integer {text[:24]} does not fit 64 bits", "Use a double or a string"
        )
    double = float(text)
    if double == float("inf"):
        raise ExpressionError(column, f"the number {text[:24]} is too large", "Use a smaller number")
    return double


def _string(text: str, column: int) -> str:
    body = text[1:-1]
    if text[0] == "'":
        body = body.replace("\\'", "'").replace('"', '\\"')
    for raw, escape in _RAW_CONTROLS.items():
        body = body.replace(raw, escape)
    try:
        return str(json.loads(f'"{body}"')).encode("utf-8").decode("utf-8")
    except ValueError:
        raise ExpressionError(
            column, "a string literal with an unknown escape", 'Use \\", \\\\, \\n, \\t or \\uXXXX'
        ) from None
