"""How long an SMS is: in GSM-7 or, for one letter that is not in it, in UCS-2 (3GPP TS 23.038)."""

import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

Encoding = Literal["GSM-7", "UCS-2"]
BASIC: Final = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?"
    "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
EXTENDED: Final = frozenset("^{}\\[~]|€\f")
"""Each is an escape and a letter: two septets that stay together."""
SINGLE: Final = {"GSM-7": 160, "UCS-2": 70}
JOINED: Final = {"GSM-7": 153, "UCS-2": 67}
"""What fits into one message alone, and into each of several: six octets of a header say which is which."""
_FOLDED: Final = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-", "…": "...", "œ": "oe"}
    | {"Œ": "OE", "\u00a0": " ", "\u202f": " ", "\u2009": " "}
)


@dataclass(frozen=True, slots=True)
class Length:
    """What an SMS costs."""

    encoding: Encoding
    units: int
    segments: int


def measured(text: str) -> Length:
    """Count the units and segments of a text; what takes two units is never cut in two."""
    encoding: Encoding = "GSM-7" if set(text) <= BASIC | EXTENDED else "UCS-2"
    sizes = [_size(each, encoding) for each in text]
    units = sum(sizes)
    return Length(encoding, units, 1 if units <= SINGLE[encoding] else _joined(sizes, JOINED[encoding]))


def _size(each: str, encoding: Encoding) -> int:
    return 1 + (each in EXTENDED if encoding == "GSM-7" else ord(each) > 0xFFFF)


def _joined(sizes: list[int], room: int) -> int:
    segments, used = 1, 0
    for size in sizes:
        if used + size > room:
            segments, used = segments + 1, 0
        used += size
    return segments


def folded(text: str) -> str:
    """Return a Latin text in GSM-7 as far as it goes: a letter that is not in it loses its accent."""
    return "".join(each if each in BASIC else _bare(each) for each in text.translate(_FOLDED))


def _bare(each: str) -> str:
    base = unicodedata.normalize("NFD", each)[0]
    return base if base in BASIC else each
