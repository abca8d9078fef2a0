"""Reads regular expressions in RE2 syntax into a tree; backreferences and lookaround are refused."""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from infra.local.workflows.errors import RaisedError, value_error
from infra.local.workflows.library.character_classes import CLASSES, NAMED, WORD, CharacterTest, among

EdgeTest = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Character:
    """One character that passes a test."""

    test: CharacterTest


@dataclass(frozen=True, slots=True)
class Edge:
    """A condition on the characters before and after a position; "" stands for the text's ends."""

    test: EdgeTest


@dataclass(frozen=True, slots=True)
class Series:
    """One part after the other."""

    parts: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Choice:
    """Any one of the parts."""

    parts: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part this often; no `most` means without end."""

    part: "Tree"
    least: int
    most: int | None


Tree = Character | Edge | Series | Choice | Repeat


@dataclass(frozen=True, slots=True)
class _Flags:
    fold: bool = False
    lines: bool = False
    dot_all: bool = False


_MOST_REPEATS: Final = 1_000
_MOST_DEPTH: Final = 50
_COUNT: Final = re.compile(r"\{(\d{1,6})(,(\d{1,6})?)?\}")
_GROUP: Final = re.compile(r"\?(P?<[A-Za-z_]\w*>|[imsU]*(?:-[imsU]+)?[:)])")
_PROPERTY: Final = re.compile(r"[pP](\{\^?[A-Za-z]{1,2}\}|[A-Z])")
_HEX: Final = re.compile(r"x(\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))")
_POSIX: Final = re.compile(r"\[:(\^?)([a-z]+):\]")
_SINGLE: Final = MappingProxyType({"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"})


def _at_boundary(before: str, after: str) -> bool:
    return (before in WORD) is not (after in WORD)


_EDGES: Final[Mapping[str, EdgeTest]] = MappingProxyType(
    {
        "A": lambda before, _: before == "",
        "B": lambda before, after: not _at_boundary(before, after),
        "b": _at_boundary,
        "z": lambda _, after: after == "",
    }
)


def _not(test: CharacterTest) -> CharacterTest:
    return lambda character: not test(character)


def parse_pattern(source: str) -> Tree:
    """The tree of a regular expression; an invalid one is a ValueError of the language."""
    parser = _Parser(source)
    tree = parser.choice(_Flags(), 0)
    if parser.at < len(source):
        raise parser.invalid("unexpected )")
    return tree


class _Parser:
    def __init__(self, source: str) -> None:
        self.source, self.at = source, 0
        self._flags = _Flags()

    def invalid(self, why: str) -> RaisedError:
        """The error for this place."""
        return value_error(f"invalid regular expression at position {self.at}: {why}")

    def _peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def _next(self) -> str:
        if self.at >= len(self.source):
            raise self.invalid("it ends too early")
        self.at += 1
        return self.source[self.at - 1]

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.match(self.source, self.at)
        if found is not None:
            self.at = found.end()
        return found

    def choice(self, flags: _Flags, depth: int) -> Tree:
        """Alternatives up to a closing parenthesis or the end."""
        if depth > _MOST_DEPTH:
            raise self.invalid("nested too deeply")
        self._flags = flags
        parts = [self._series(depth)]
        while self._peek() == "|":
            self.at += 1
            parts.append(self._series(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _series(self, depth: int) -> Tree:
        parts: list[Tree] = []
        while self._peek() not in {"", "|", ")"}:
            parts.append(self._repeated(self._atom(depth)))
        return parts[0] if len(parts) == 1 else Series(tuple(parts))

    def _repeated(self, part: Tree) -> Tree:
        bounds = self._bounds()
        if bounds is None:
            return part
        if self._peek() == "?":  # lazy or greedy, the longest match is the same
            self.at += 1
        if self._peek() in {"*", "+", "?"}:
            raise self.invalid("two repetitions in a row")
        return Repeat(part, *bounds)

    def _bounds(self) -> tuple[int, int | None] | None:
        simple = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(self._peek())
        if simple is not None:
            self.at += 1
            return simple
        found = self._match(_COUNT) if self._peek() == "{" else None
        if found is None:
            return None
        least = int(found[1])
        most = least if found[2] is None else (int(found[3]) if found[3] else None)
        if max(least, most or 0) > _MOST_REPEATS or (most is not None and most < least):
            raise self.invalid("bad repetition count")
        return least, most

    def _atom(self, depth: int) -> Tree:
        character = self._next()
        if character in {"*", "+", "?"}:
            raise self.invalid("nothing to repeat")
        if character == "(":
            return self._group(depth)
        if character == "[":
            return Character(self._class())
        if character == "\\":
            return self._escape()
        return self._plain(character)

    def _plain(self, character: str) -> Tree:
        lines = self._flags.lines
        if character == "^":
            return Edge(lambda before, _: before == "" or (lines and before == "\n"))
        if character == "$":
            return Edge(lambda _, after: after == "" or (lines and after == "\n"))
        if character == ".":
            return Character((lambda _: True) if self._flags.dot_all else (lambda each: each != "\n"))
        return Character(self._folded(among(character)))

    def _folded(self, test: CharacterTest) -> CharacterTest:
        if not self._flags.fold:
            return test
        return lambda each: test(each) or test(each.lower()) or test(each.upper())

    def _group(self, depth: int) -> Tree:
        outer = self._flags
        if self._peek() == "?" and self._match_flags() == ")":
            return Series(())
        inner = self._flags
        tree = self.choice(inner, depth + 1)
        if self._next() != ")":
            raise self.invalid("a group is not closed")
        self._flags = outer
        return tree

    def _match_flags(self) -> str:
        found = self._match(_GROUP)
        if found is None:
            raise self.invalid("an unknown kind of group; there is no lookaround")
        if "<" in found[1]:
            return ":"
        on, _, off = found[1][:-1].partition("-")
        for letters, value in ((on, True), (off, False)):
            self._flags = replace(self._flags, **{_FLAGS[each]: value for each in letters if each in _FLAGS})
        return found[1][-1]

    def _escape(self) -> Tree:
        character = self._peek()
        if character in _EDGES:
            self.at += 1
            return Edge(_EDGES[character])
        return Character(self._folded(self._escaped_class() or among(self._escaped_character())))

    def _escaped_class(self) -> CharacterTest | None:
        character = self._peek()
        if character.lower() in CLASSES and character:
            self.at += 1
            test = CLASSES[character.lower()]
            return test if character.islower() else _not(test)
        found = self._match(_PROPERTY)
        return None if found is None else self._property(found)

    def _property(self, found: re.Match[str]) -> CharacterTest:
        name = found[1].strip("{}")
        negated = (found[0][0] == "P") is not name.startswith("^")
        category = name.lstrip("^")
        if category[0] not in "CLMNPSZ":
            raise self.invalid(f"unknown character property {category}")
        return lambda each: unicodedata.category(each).startswith(category) is not negated

    def _escaped_character(self) -> str:
        found = self._match(_HEX)
        if found is not None:
            code = int(found[2] or found[3], 16)
            if code > 0x10FFFF:
                raise self.invalid("no such character")
            return chr(code)
        character = self._next()
        if character in _SINGLE:
            return _SINGLE[character]
        if character.isalnum() or not character.isascii():
            raise self.invalid(f"unknown escape \\{character}; there are no backreferences")
        return character

    def _class(self) -> CharacterTest:
        negated = self._peek() == "^"
        self.at += negated
        tests: list[CharacterTest] = []
        while not tests or self._peek() != "]":
            tests.append(self._class_part())
        self.at += 1
        test = self._folded(lambda each: any(test(each) for test in tests))
        return _not(test) if negated else test

    def _class_part(self) -> CharacterTest:
        named = self._match(_POSIX)
        if named is not None:
            if named[2] not in NAMED:
                raise self.invalid(f"unknown class {named[0]}")
            return _not(NAMED[named[2]]) if named[1] else NAMED[named[2]]
        first = self._class_end()
        if not isinstance(first, str):
            return first
        if self._peek() != "-" or self.source[self.at + 1 : self.at + 2] in {"]", ""}:
            return among(first)
        self.at += 1
        last = self._class_end()
        if not isinstance(last, str) or last < first:
            raise self.invalid("bad character range")
        return lambda each: first <= each <= last

    def _class_end(self) -> str | CharacterTest:
        character = self._next()
        if character != "\\":
            return character
        return self._escaped_class() or self._escaped_character()


_FLAGS: Final = MappingProxyType({"i": "fold", "m": "lines", "s": "dot_all"})
