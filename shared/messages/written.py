"""Rules over the texts as they are written."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from shared.messages.bidi import balanced, first_strong
from shared.messages.complaints import Check, Complaint, Text, texts_in
from shared.messages.dates import GREGORIAN, SOLAR
from shared.messages.key_page import PAGE_SLOTS
from shared.messages.kinds import CHANNEL_OF, MAY_SAY_PIN, NEVER_IN, RULES, Channel, Slot
from shared.messages.letter import LAYOUT_SLOTS, LETTER_SLOTS
from shared.messages.locales import Locale
from shared.messages.texts import LAYOUT, SLOT, Catalogue, Tongue, slots_of

COMPLETE, SLOTS, SECRETS = "texts are complete", "slots are the same", "secrets keep away"
LETTERS, LINES = "letters are right", "lines run their way"
_NAMES: Final = {"months": 12, "short_months": 12, "weekdays": 7}
_PATTERNS: Final = frozenset({"long", "short"})
_DIGITS: Final = re.compile(r"\d(?:[\s-]?\d){2,}")
_SCRIPTS: Final = {"ltr": "LATIN", "rtl": "ARABIC"}
_NEIGHBOURS: Final[Mapping[Locale, frozenset[str]]] = {
    Locale.AR: frozenset("یکېۍپچژگګټډړښځڅڼە"),
    Locale.FA_AF: frozenset("يكىېۍةګټډړښځڅڼ"),
    Locale.PS: frozenset("كىةگٹڈڑ"),
    Locale.EN: frozenset("éèàùâêîôûëïüçœ"),
    Locale.FR: frozenset(),
}
"""Letters that look right on a screen and are another language's: a search, a voice and a reader stumble."""


def complete(catalogue: Catalogue) -> Iterator[Complaint]:
    """Every language has every message, every message its parts, and there is nothing else."""
    yield from _differing(COMPLETE, "texts", [each.value for each in Locale], catalogue.tongues)
    for locale, tongue in _tongues(catalogue):
        yield from _differing(COMPLETE, f"{locale}/dates", _date_names(locale), tongue.dates)
        yield from _differing(COMPLETE, f"{locale}/letter", LETTER_SLOTS, tongue.letter)
        yield from _differing(COMPLETE, f"{locale}/page", PAGE_SLOTS, tongue.page)
        yield from _differing(COMPLETE, locale, [kind.value for kind in RULES], tongue.messages)
        yield from _misnumbered(locale, tongue)
        for kind, rule in RULES.items():
            if (parts := tongue.messages.get(kind)) is not None:
                yield from _differing(
                    COMPLETE, f"{locale}/{kind}", [part.value for part in rule.parts], parts
                )
    for text in texts_in(catalogue):
        if not text.words.strip():
            yield Complaint(COMPLETE, text.where, "empty. Write it")


def same_slots(catalogue: Catalogue) -> Iterator[Complaint]:
    """Every text has its slots, and no other."""
    yield from _differing(SLOTS, LAYOUT, LAYOUT_SLOTS, set(slots_of(catalogue.layout)))
    for locale, tongue in _tongues(catalogue):
        for name, words in tongue.letter.items():
            yield from _slotted(f"{locale}/letter/{name}", LETTER_SLOTS.get(name, ()), words)
        for name, words in tongue.page.items():
            yield from _slotted(f"{locale}/page/{name}", PAGE_SLOTS.get(name, ()), words)
        for name in _PATTERNS & tongue.dates.keys():
            yield from _dated(locale, name, tongue)
    for text in texts_in(catalogue):
        wanted = {slot.value for slot in RULES[text.kind].parts.get(text.part, ())}
        found = set(slots_of(text.words)) - {slot.value for slot in _unsafe(text)}
        yield from _differing(SLOTS, text.where, wanted, found)
        yield from _stray(text.where, text.words)


def safe_secrets(catalogue: Catalogue) -> Iterator[Complaint]:
    """No text shows what its place may not, and no digits stand in for a slot."""
    for text in texts_in(catalogue):
        for slot in sorted(
            {Slot(name) for name in slots_of(text.words) if name in set(Slot)} & _unsafe(text)
        ):
            yield Complaint(SECRETS, text.where, f"{{{slot}}} may not be said here. Take it out")
    for line in _lines(catalogue):
        if _DIGITS.search(SLOT.sub(" ", line.words)):
            yield Complaint(SECRETS, line.where, "a number is written out. Use a slot")


def right_letters(catalogue: Catalogue) -> Iterator[Complaint]:
    """Every text is in its own language's letters, and in no other language's words."""
    seen: dict[str, list[_Line]] = defaultdict(list)
    for line in _lines(catalogue):
        bare = SLOT.sub("", line.words)
        seen[" ".join(bare.split())].append(line)
        foreign = {each for each in bare if each.isalpha() and not _is_of(each, line.locale)}
        if foreign:
            yield Complaint(
                LETTERS, line.where, f"not its letters: {_named(foreign)}. Use the language's own"
            )
    for bare, lines in seen.items():
        if len({line.locale for line in lines}) > 1 and any(map(str.isalpha, bare)):
            yield Complaint(LETTERS, lines[-1].where, f"the same as {lines[0].where}. Translate it")


def right_lines(catalogue: Catalogue) -> Iterator[Complaint]:
    """Isolates close, a line starts in its own script, and a link ends its SMS."""
    for line in _lines(catalogue):
        if not balanced(line.words):
            yield Complaint(
                LINES, line.where, "an isolate does not close, or a line is overridden. Use slots"
            )
        if line.is_read_bare and _starts_wrong(line):
            yield Complaint(LINES, line.where, "starts with a slot or the other script. Put a word first")
    for text in texts_in(catalogue):
        if CHANNEL_OF[text.part] is Channel.SMS and "{link}" in text.words and not _ends_in_link(text.words):
            yield Complaint(LINES, text.where, "text stands at the link. Put it last, after a space")


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a language, wherever it stands."""

    locale: Locale
    where: str
    words: str
    is_read_bare: bool = True
    """Whether its first letter turns it: an SMS is led by a mark, a date stands within a line."""


def _lines(catalogue: Catalogue) -> Iterator[_Line]:
    for text in texts_in(catalogue):
        bare = CHANNEL_OF[text.part] is not Channel.SMS
        yield from (_Line(text.locale, text.where, line, bare) for line in text.words.strip().splitlines())
    for locale, tongue in _tongues(catalogue):
        for name, words in tongue.letter.items():
            yield _Line(locale, f"{locale}/letter/{name}", words)
        for name, words in tongue.page.items():
            yield _Line(locale, f"{locale}/page/{name}", words)
        for name, names in tongue.dates.items():
            words = names if isinstance(names, str) else " ".join(names)
            yield _Line(locale, f"{locale}/dates/{name}", words, is_read_bare=False)


def _tongues(catalogue: Catalogue) -> Iterator[tuple[Locale, Tongue]]:
    return ((locale, catalogue.tongues[locale]) for locale in Locale if locale in catalogue.tongues)


def _date_names(locale: Locale) -> list[str]:
    return [*_NAMES, *_PATTERNS, *(["solar_months"] if locale.counts_solar_years else [])]


def _misnumbered(locale: Locale, tongue: Tongue) -> Iterator[Complaint]:
    for name, count in (_NAMES | {"solar_months": 12}).items():
        if name in tongue.dates and len(set(tongue.dates[name])) != count:
            yield Complaint(
                COMPLETE, f"{locale}/dates/{name}", f"not {count} different names. Write them all"
            )


def _dated(locale: Locale, name: str, tongue: Tongue) -> Iterator[Complaint]:
    where, found = f"{locale}/dates/{name}", set(slots_of(tongue.pattern(name)))
    known = GREGORIAN | (SOLAR if locale.counts_solar_years else set())
    month = {"long": {"weekday", "month", "year"}, "short": {"short_month"}}[name]
    solar = {"solar_day", "solar_month"} if locale.counts_solar_years else set()
    wanted = {"day", "time"} | month | solar
    yield from _differing(SLOTS, where, wanted, found - (known - wanted))
    yield from _stray(where, tongue.pattern(name))


def _slotted(where: str, wanted: Collection[str], words: str) -> Iterator[Complaint]:
    yield from _differing(SLOTS, where, wanted, set(slots_of(words)))
    yield from _stray(where, words)


def _stray(where: str, words: str) -> Iterator[Complaint]:
    if set("{}") & set(SLOT.sub("", words)):
        yield Complaint(SLOTS, where, "a brace outside of a slot. Take it out")


def _differing(rule: str, where: str, wanted: Collection[str], found: Collection[str]) -> Iterator[Complaint]:
    for name in sorted(set(wanted) - set(found)):
        yield Complaint(rule, where, f"{name} is missing. Write it")
    for name in sorted(set(found) - set(wanted)):
        yield Complaint(rule, where, f"{name} is not known. Take it out, or add it to the table")


def _unsafe(text: Text) -> frozenset[Slot]:
    says_pin = (text.kind, CHANNEL_OF[text.part]) in MAY_SAY_PIN
    return NEVER_IN.get(text.part, frozenset()) | (frozenset() if says_pin else {Slot.PIN})


def _is_of(each: str, locale: Locale) -> bool:
    own = unicodedata.name(each, "").startswith(_SCRIPTS[locale.direction])
    shaped = unicodedata.normalize("NFKC", each) != each
    return own and not shaped and each not in _NEIGHBOURS[locale]


def _named(letters: Collection[str]) -> str:
    return ", ".join(f"U+{ord(each):04X}" for each in sorted(letters))


def _starts_wrong(line: _Line) -> bool:
    return line.words.startswith("{") or first_strong(line.words) != line.locale.direction


def _ends_in_link(words: str) -> bool:
    return words.endswith(" {link}") and words.count("{link}") == 1


WRITTEN: Final[Mapping[str, Check]] = {
    COMPLETE: complete,
    SLOTS: same_slots,
    SECRETS: safe_secrets,
    LETTERS: right_letters,
    LINES: right_lines,
}
