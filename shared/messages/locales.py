"""The languages of guests, and which one a guest gets who asked for another."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final, Literal

Direction = Literal["ltr", "rtl"]


class Locale(StrEnum):
    """A language that every message exists in; Dari is `fa-AF`, because CLDR knows no `prs`."""

    PS = "ps"
    FA_AF = "fa-AF"
    AR = "ar"
    EN = "en"
    FR = "fr"

    @property
    def direction(self) -> Direction:
        """Which way its lines run."""
        return "ltr" if self in {Locale.EN, Locale.FR} else "rtl"

    @property
    def counts_solar_years(self) -> bool:
        """Whether its dates are Solar Hijri first."""
        return self in {Locale.PS, Locale.FA_AF}


LANGUAGES: Final[Mapping[str, Locale]] = {
    "ps": Locale.PS,
    "pbt": Locale.PS,
    "pbu": Locale.PS,
    "pst": Locale.PS,
    "fa": Locale.FA_AF,
    "prs": Locale.FA_AF,
    "pes": Locale.FA_AF,
    "ar": Locale.AR,
    "arb": Locale.AR,
    "en": Locale.EN,
    "fr": Locale.FR,
}
"""The first subtag of what a booking may say: `ps-AF`, `prs`, `fa_IR`, `ar-SA`."""


def spoken(tag: str | None) -> Locale | None:
    """Return the language that a tag means, if it is one of ours."""
    return LANGUAGES.get((tag or "").strip().replace("_", "-").partition("-")[0].lower())


def choose(tags: Iterable[str | None]) -> Locale:
    """Return the first language that we speak, else English: the booking's, then the tenant's."""
    return next((found for tag in tags if (found := spoken(tag)) is not None), Locale.EN)
