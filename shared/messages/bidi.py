"""Text that runs both ways: an inserted value is cleaned and isolated, and turns nothing around it.

A PIN in two groups is drawn with its groups exchanged if it stands bare in an Arabic line. Hence:

| where          | a number, time or link           | a name, of whichever script   |
|----------------|----------------------------------|-------------------------------|
| HTML           | `<bdi dir="ltr">`                | `<bdi>`                       |
| plain text     | U+2066 ... U+2069                | U+2068 ... U+2069             |
| SMS            | U+200E ... U+200E, U+00A0 within | U+200E ... if Latin comes first |

Old handsets do not know the isolates of the second row, and GSM-7 has none of the marks: an SMS in a language
that runs left to right gets none. A link gets none anywhere: what makes links clickable would take a mark for
a part of it.
"""

import re
import unicodedata
from typing import Final

from shared.messages.locales import Direction

LRM, RLM, ALM = "\u200e", "\u200f", "\u061c"
LRI, RLI, FSI, PDI = "\u2066", "\u2067", "\u2068", "\u2069"
ISOLATES: Final = frozenset({LRI, RLI, FSI})
OVERRIDES: Final = frozenset("\u202a\u202b\u202c\u202d\u202e")
CONTROLS: Final = ISOLATES | OVERRIDES | {LRM, RLM, ALM, PDI}
_JOINERS: Final = frozenset("\u200c\u200d")
_KEPT_OUT: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_SPACES: Final = re.compile(r"\s+")


def clean(value: str, longest: int) -> str:
    """Return an inserted value as one line of single spaces, without control and bidi characters, cut."""
    spaced = _SPACES.sub(" ", unicodedata.normalize("NFC", value))
    kept = "".join(each for each in spaced if each in _JOINERS or _is_shown(each)).strip()
    return kept if len(kept) <= longest else kept[: longest - 1].rstrip() + "…"


def _is_shown(each: str) -> bool:
    return unicodedata.category(each) not in _KEPT_OUT


def first_strong(text: str) -> Direction | None:
    """Return the direction of the first letter, which decides that of a line without markup."""
    for each in text:
        if (kind := unicodedata.bidirectional(each)) in {"L", "R", "AL"}:
            return "ltr" if kind == "L" else "rtl"
    return None


def isolated(value: str, direction: Direction | None) -> str:
    """Return a value that keeps to itself; without a direction, its first letter decides."""
    opener = {"ltr": LRI, "rtl": RLI, None: FSI}[direction]
    return f"{opener}{value}{PDI}"


def marked(value: str, direction: Direction | None, line: Direction) -> str:
    """Return a value for an SMS, held by marks that old handsets know, where its line runs the other way."""
    if line == "ltr":
        return value
    if direction == "ltr":
        value = value.replace(" ", "\u00a0")
    return f"{LRM}{value}{LRM}" if (direction or first_strong(value)) == "ltr" else value


def led(text: str) -> str:
    """Return a line that runs right to left whatever it starts with: handsets look at its first letter."""
    return text if first_strong(text) == "rtl" else f"{RLM}{text}"


def balanced(text: str) -> bool:
    """Say whether every isolate ends within its paragraph, ends nothing else, and nothing is overridden."""
    return not OVERRIDES & set(text) and all(_closes(line) for line in text.splitlines())


def _closes(line: str) -> bool:
    depth = 0
    for each in line:
        depth += (each in ISOLATES) - (each == PDI)
        if depth < 0:
            return False
    return depth == 0
