"""The texts of all languages, read from their files: one language a file, one section a message."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from shared.messages.kinds import MessageKind, Part
from shared.messages.locales import Locale

FOLDER: Final = Path(__file__).parent / "texts"
LAYOUT: Final = "letter.html"
SLOT: Final = re.compile(r"\{(\w*)\}")

Section = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Tongue:
    """What one language says: how it writes dates, what letters and the key page have, its messages."""

    dates: Mapping[str, str | list[str]]
    letter: Section
    messages: Mapping[str, Section]
    page: Section = field(default_factory=dict)

    def pattern(self, name: str) -> str:
        """Return the pattern of a date."""
        found = self.dates[name]
        return found if isinstance(found, str) else ""

    def name(self, names: str, number: int) -> str:
        """Return a month or a day of the week by its place from 0."""
        return self.dates[names][number]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every language, and the layout of letters."""

    tongues: Mapping[str, Tongue]
    layout: str

    def text(self, locale: Locale, kind: MessageKind, part: Part) -> str:
        """Return one text with its slots still open."""
        return self.tongues[locale].messages[kind][part]


def read_texts(folder: Path = FOLDER) -> Catalogue:
    """Read all languages of a folder."""
    tongues = {path.stem: _tongue(path) for path in sorted(folder.glob("*.toml"))}
    return Catalogue(tongues, (folder / LAYOUT).read_text(encoding="utf-8"))


@cache
def our_texts() -> Catalogue:
    """Return the texts of the product, read once."""
    return read_texts()


def _tongue(path: Path) -> Tongue:
    with path.open("rb") as file:
        sections = tomllib.load(file)
    dates, letter, page = (sections.pop(name, {}) for name in ("dates", "letter", "page"))
    for name, section in {"letter": letter, "page": page, **sections}.items():
        if not isinstance(section, dict) or not all(isinstance(words, str) for words in section.values()):
            raise ValueError(f"{path.name}: {name}: a value is no text. Put it in quotation marks")
    if not all(isinstance(words, str | list) for words in dates.values()):
        raise ValueError(f"{path.name}: dates: a value is neither a text nor a list. Write one of them")
    return Tongue(dates, letter, sections, page)


def slots_of(text: str) -> list[str]:
    """Return the names of a text's slots, in order."""
    return SLOT.findall(text)


def filled(text: str, values: Mapping[str, str]) -> str:
    """Put values into slots, once: what a value holds is never read as a slot."""
    return SLOT.sub(lambda found: values[found[1]], text)
