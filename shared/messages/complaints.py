"""What the linter says: which rule, where, what is wrong, and what to do about it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from shared.messages.kinds import MessageKind, Part
from shared.messages.locales import Locale
from shared.messages.texts import Catalogue


@dataclass(frozen=True, slots=True)
class Complaint:
    """One thing to mend."""

    rule: str
    where: str
    problem: str

    def __str__(self) -> str:
        return f"{self.where}: {self.rule}: {self.problem}"


Check = Callable[[Catalogue], Iterator[Complaint]]
"""A rule over all texts as they are written."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text of one message in one language."""

    locale: Locale
    kind: MessageKind
    part: Part
    words: str

    @property
    def where(self) -> str:
        """Its place, for whoever mends it."""
        return f"{self.locale.value}/{self.kind.value}/{self.part.value}"


def texts_in(catalogue: Catalogue) -> Iterator[Text]:
    """Every text whose language, message and part are known."""
    for locale in Locale:
        if (tongue := catalogue.tongues.get(locale)) is None:
            continue
        for kind in MessageKind:
            for name, words in tongue.messages.get(kind, {}).items():
                if name in set(Part):
                    yield Text(locale, kind, Part(name), words)
