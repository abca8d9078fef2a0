"""Charts drawn here: shapes with classes, a title, and their numbers in a table beside; no script, no style.

Time runs from left to right in every language, as on paper.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from functions.backoffice.console_paper import Markup

WIDTH, HEIGHT, BASE = 640, 120, 100
_GAP: Final = 0.2


@dataclass(frozen=True, slots=True)
class Stack:
    """One bar: what it is of, and its parts from the bottom up, by their classes."""

    label: str
    parts: Sequence[tuple[str, int]]

    @property
    def height(self) -> int:
        """All of it."""
        return sum(count for _, count in self.parts)


def bars(title: str, stacks: Sequence[Stack]) -> Markup:
    """Return a chart of bars, the tallest as tall as the chart."""
    most = max((each.height for each in stacks), default=0)
    if not most:
        return Markup("")
    wide = WIDTH / len(stacks)
    shapes = "".join(_bar(each, number * wide, wide, most) for number, each in enumerate(stacks))
    axis = f'<path class="axis" d="M0 {BASE}H{WIDTH}"/>'
    ends = _text(stacks[0].label, 0, "start") + _text(stacks[-1].label, WIDTH, "end")
    named = html.escape(title)
    return Markup(
        f'<svg role="img" aria-label="{named}" viewBox="0 0 {WIDTH} {HEIGHT}" direction="ltr">'
        f"<title>{named}</title>{shapes}{axis}{ends}</svg>"
    )


def _bar(stack: Stack, left: float, wide: float, most: int) -> str:
    shapes, top = [], float(BASE)
    for name, count in stack.parts:
        tall = BASE * count / most
        top -= tall
        if count:
            shapes.append(
                f'<rect class="{name}" x="{left:.1f}" y="{top:.1f}" '
                f'width="{wide * (1 - _GAP):.1f}" height="{tall:.1f}"/>'
            )
    told = html.escape(f"{stack.label}: " + ", ".join(str(count) for _, count in stack.parts))
    return f"<g><title>{told}</title>{''.join(shapes)}</g>"


def _text(label: str, at: int, anchor: str) -> str:
    return f'<text x="{at}" y="{HEIGHT - 5}" text-anchor="{anchor}">{html.escape(label)}</text>'


def key(words: Mapping[str, str]) -> Markup:
    """Return which class means what, in words that are escaped already."""
    listed = "".join(f'<li><span class="swatch {name}"></span> {word}</li>' for name, word in words.items())
    return Markup(f'<ul class="key">{listed}</ul>')
