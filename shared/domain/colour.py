"""The one colour of a hotel's own, on its guests' pages and letters: words stand on it, and it on white."""

import re
from typing import Final

OURS: Final = "#1f4f46"
"""What a hotel has that named none."""
LEAST_CONTRAST: Final = 4.5
"""With white, either way round, as WCAG 2.2 AA asks of text."""
_COLOUR: Final = re.compile(r"#[0-9a-f]{6}")
_LINEAR_BELOW: Final = 0.04045
_SHARES: Final = (0.2126, 0.7152, 0.0722)


def is_legible(colour: str) -> bool:
    """Say whether it is a colour, `#rrggbb`, that can be read on white, and white on it."""
    return bool(_COLOUR.fullmatch(colour)) and 1.05 / (_luminance(colour) + 0.05) >= LEAST_CONTRAST


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return sum(share * _linear(part) for share, part in zip(_SHARES, parts, strict=True))


def _linear(part: float) -> float:
    return float(part / 12.92 if part <= _LINEAR_BELOW else ((part + 0.055) / 1.055) ** 2.4)
