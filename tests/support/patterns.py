"""Text drawn by chance from all that a regular expression matches."""

import re._constants as sre
import re._parser as parser
from functools import cache
from random import Random

MOST = 24
"""So often at most is repeated what may be repeated without end."""
ANY = "".join(map(chr, range(0x21, 0x7F))) + "\x00\n\xa0éßİ٣۴\u200b\u202e\ufeff\uffff😀"
"""Whom a character is drawn from that is only said not to be some."""


def drawn_from(pattern: str, chance: Random) -> str:
    """Return something that a pattern, which spans all of the text, matches."""
    return _joined(_parsed(pattern), chance)


@cache
def _parsed(pattern: str) -> list:
    return list(parser.parse(pattern))


def _joined(parts: list, chance: Random) -> str:
    return "".join(_DRAWN[kind](what, chance) for kind, what in parts)


def _one_of(what: list, chance: Random) -> str:
    """Return a character that a class in brackets has."""
    return chance.choice(_members(tuple(what)))


@cache
def _members(what: tuple) -> str:
    if what[0][0] is sre.NEGATE:
        return "".join(each for each in ANY if each not in _members(what[1:]))
    spans = (range(at[0], at[1] + 1) if kind is sre.RANGE else (at,) for kind, at in what)
    return "".join(chr(each) for span in spans for each in span)


def _repeated(what: tuple, chance: Random) -> str:
    """Repeat as little as may be, as much as may be, or any number between."""
    least, most, parts = what
    most = max(least, MOST) if most is sre.MAXREPEAT else most
    few, some = chance.randint(least, min(most, least + 9)), chance.randint(least, most)
    return "".join(_joined(parts, chance) for _ in range(chance.choice((least, few, some, most))))


_DRAWN = {
    sre.AT: lambda what, chance: "",
    sre.LITERAL: lambda what, chance: chr(what),
    sre.IN: _one_of,
    sre.BRANCH: lambda what, chance: _joined(chance.choice(what[1]), chance),
    sre.SUBPATTERN: lambda what, chance: _joined(what[3], chance),
    sre.MAX_REPEAT: _repeated,
}
