"""Refusing a descriptor at load: which part, which field, what is wrong and what would be right."""

import re
from dataclasses import dataclass

PUSHABLE = re.compile(r"https?://[^\s/]+")


class SpecRefused(Exception):
    """A descriptor that cannot be served; nothing was started."""

    def __init__(self, part: str, field: str, finding: str, remedy: str) -> None:
        super().__init__(f"{part}: {field} {finding}: {remedy}")
        self.part, self.field, self.remedy = part, field, remedy


@dataclass(frozen=True, slots=True)
class Check:
    """Says no on behalf of one descriptor."""

    part: str

    def refuse(self, field: str, finding: str, remedy: str) -> None:
        """Raise, always."""
        raise SpecRefused(self.part, field, finding, remedy)

    def within(self, field: str, value: float, low: float, high: float) -> None:
        """Refuse a number outside the bounds that hold in production too."""
        if not low <= value <= high:
            self.refuse(field, f"is {value:g}", f"choose between {low:g} and {high:g}")

    def ordered(self, low_field: str, low: float, high_field: str, high: float) -> None:
        """Refuse bounds that are the wrong way round."""
        if low > high:
            self.refuse(low_field, f"({low:g}) exceeds {high_field} ({high:g})", "swap or raise them")

    def matches(self, field: str, value: str, form: "re.Pattern[str]", remedy: str) -> None:
        """Refuse text that does not have the form, as a whole."""
        if not form.fullmatch(value):
            self.refuse(field, f"is {value!r}", remedy)

    def callable_url(self, field: str, url: str) -> None:
        """Refuse an address nobody can POST to."""
        if not PUSHABLE.match(url):
            self.refuse(field, f"is {url!r}", "give an absolute http(s) URL")
