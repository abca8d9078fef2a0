"""A letter as HTML and as plain text: one list of blocks, so that both say the same words.

Mail programs drop what stands on `html` and `body`, so every cell says its direction again. A letter asks for
nothing from elsewhere: styles stand in the elements, and the one picture, the QR code of the key page, is
attached as `cid:key-page`. The link stands below its button, on a line of its own: no mark sticks to it.
"""

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from shared.messages.kinds import RULES, MessageKind, Part
from shared.messages.locales import Locale
from shared.messages.particulars import Particulars
from shared.messages.slots import Surface, values_for
from shared.messages.texts import Catalogue, filled

QR_CONTENT_ID: Final = "key-page"
LETTER_SLOTS: Final[Mapping[str, frozenset[str]]] = {
    "greeting": frozenset(),
    "scan": frozenset(),
    "help": frozenset({"phone"}),
    "closing": frozenset(),
    "automatic": frozenset(),
}
LAYOUT_SLOTS: Final = frozenset({"lang", "dir", "subject", "rows"})
_ROW: Final = (
    '<tr><td dir="{dir}" align="{side}" style="padding:6px 24px;text-align:{side};'
    'font-family:Tahoma,Arial,sans-serif;font-size:16px;line-height:1.6;color:#1c1c1a">{words}</td></tr>'
)
_BUTTON: Final = (
    '<a href="{link}" style="display:inline-block;padding:12px 24px;background-color:{colour};color:#ffffff;'
    'text-decoration:none">{words}</a>'
)
_LINK: Final = '<bdi dir="ltr" style="font-size:13px;word-break:break-all">{link}</bdi>'
_IMAGE: Final = f'<img src="cid:{QR_CONTENT_ID}" width="164" height="164" alt="">'


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph in both forms."""

    html: str
    text: str


def letter_html(catalogue: Catalogue, kind: MessageKind, locale: Locale, said: Particulars) -> str:
    """Return the letter as HTML."""
    blocks = _Writer(catalogue, kind, locale, said).blocks()
    values = values_for("letter", said, locale, catalogue.tongues[locale])
    outer = {
        "lang": locale.value,
        "dir": locale.direction,
        "subject": html.escape(filled(catalogue.text(locale, kind, Part.SUBJECT), values)),
        "rows": "\n".join(_row(block.html, locale) for block in blocks if block.html),
    }
    return filled(catalogue.layout, outer)


def letter_text(catalogue: Catalogue, kind: MessageKind, locale: Locale, said: Particulars) -> str:
    """Return the letter as plain text."""
    blocks = _Writer(catalogue, kind, locale, said).blocks()
    return "\n\n".join(block.text for block in blocks if block.text) + "\n"


def _row(words: str, locale: Locale) -> str:
    side = "left" if locale.direction == "ltr" else "right"
    return filled(_ROW, {"dir": locale.direction, "side": side, "words": words})


class _Writer:
    """Writes the blocks of one letter."""

    def __init__(self, catalogue: Catalogue, kind: MessageKind, locale: Locale, said: Particulars) -> None:
        self._tongue = catalogue.tongues[locale]
        self._texts = self._tongue.messages[kind]
        self._kind, self._said = kind, said
        self._values: dict[Surface, dict[str, str]] = {
            surface: values_for(surface, said, locale, self._tongue) for surface in ("html", "letter")
        }

    def blocks(self) -> Iterator[_Block]:
        """From greeting to signature."""
        yield self._letter("greeting")
        yield from (self._block(line) for line in self._texts[Part.LINES].strip().splitlines())
        yield from self._way_to_the_key()
        yield self._letter("help")
        yield self._letter("closing")
        yield self._block("{hotel}")
        yield self._letter("automatic")

    def _way_to_the_key(self) -> Iterator[_Block]:
        if Part.BUTTON not in self._texts or self._said.link is None:
            return
        words, link = self._texts[Part.BUTTON], self._said.link.reveal()
        values = {"link": html.escape(link), "words": html.escape(words), "colour": self._said.colour}
        yield _Block(filled(_BUTTON, values), words)
        yield _Block(filled(_LINK, values), link)
        if RULES[self._kind].printable:
            yield self._letter("scan")
            yield _Block(_IMAGE, "")

    def _letter(self, name: str) -> _Block:
        return self._block(self._tongue.letter[name])

    def _block(self, words: str) -> _Block:
        return _Block(
            filled(html.escape(words, quote=False), self._values["html"]),
            filled(words, self._values["letter"]),
        )
