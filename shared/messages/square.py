"""QR codes: inline for a page, as a picture for a letter; what they hold is never logged or named."""

import io
from typing import Final

SCALE: Final = 6
"""Pixels a module: a letter's picture is read from a screen and from paper."""


def square_svg(text: str) -> str:
    """Return a QR code as an inline SVG without styles, which a strict policy lets be drawn."""
    import segno

    drawn: str = segno.make(text, error="m", micro=False).svg_inline(border=4, omitsize=True)
    return drawn


def square_png(text: str) -> bytes:
    """Return a QR code as a picture, to be attached to a letter."""
    import segno

    kept = io.BytesIO()
    segno.make(text, error="m", micro=False).save(kept, kind="png", scale=SCALE, border=4)
    return kept.getvalue()


def printed_text(link_base: str, locale: str, credential: str) -> str:
    """Return what a printed code holds: the key's id and no secret; it leads to the sign-in."""
    return f"{link_base}/{locale}/{credential}"
