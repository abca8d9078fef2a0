"""The character classes of RE2: the escaped ones and the POSIX names, all of them ASCII."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

CharacterTest = Callable[[str], bool]


def among(characters: str) -> CharacterTest:
    """Whether a character is one of these."""
    members = frozenset(characters)
    return lambda character: character in members


def span(first: str, last: str) -> str:
    """All characters from one to another."""
    return "".join(map(chr, range(ord(first), ord(last) + 1)))


_DIGITS: Final = span("0", "9")
_UPPER: Final = span("A", "Z")
_LOWER: Final = span("a", "z")
WORD: Final = frozenset(_DIGITS + _UPPER + _LOWER + "_")
CLASSES: Final[Mapping[str, CharacterTest]] = MappingProxyType(
    {"d": among(_DIGITS), "s": among("\t\n\f\r "), "w": WORD.__contains__}
)
NAMED: Final[Mapping[str, CharacterTest]] = MappingProxyType(
    {
        "alnum": among(_DIGITS + _UPPER + _LOWER),
        "alpha": among(_UPPER + _LOWER),
        "ascii": str.isascii,
        "blank": among("\t "),
        "cntrl": among(span("\0", "\x1f") + "\x7f"),
        "digit": among(_DIGITS),
        "graph": among(span("!", "~")),
        "lower": among(_LOWER),
        "print": among(span(" ", "~")),
        "punct": among("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        "space": among("\t\n\v\f\r "),
        "upper": among(_UPPER),
        "word": WORD.__contains__,
        "xdigit": among(_DIGITS + "ABCDEFabcdef"),
    }
)
