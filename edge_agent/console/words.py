"""The console's words in five languages, by code; a language's page has no word of another."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

LANGUAGES: Final = ("en", "fr", "ar", "ps", "fa-AF")
RIGHT_TO_LEFT: Final = frozenset({"ar", "ps", "fa-AF"})
NAMES: Final[Mapping[str, str]] = {
    "en": "English",
    "fr": "Français",
    "ar": "العربية",
    "ps": "پښتو",
    "fa-AF": "دری",
}


@cache
def words(language: str) -> Mapping[str, str]:
    """Return every phrase in a language."""
    rows = json.loads(files("edge_agent.console").joinpath("words.json").read_text("utf-8"))
    return {code: row[language] for code, row in rows.items()}


def language_of(wanted: str) -> str:
    """Return the first of the wanted languages that there is; English where there is none."""
    for part in wanted.split(","):
        said = part.partition(";")[0].strip().lower()
        for known in LANGUAGES:
            if said == known.lower() or said.partition("-")[0] == known.partition("-")[0].lower():
                return known
    return LANGUAGES[0]


def direction(language: str) -> str:
    """Return which way a language is written."""
    return "rtl" if language in RIGHT_TO_LEFT else "ltr"
