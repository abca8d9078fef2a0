"""Rules over messages as guests see them, composed with the longest values of every month."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from itertools import zip_longest
from typing import Final

from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.bidi import CONTROLS, balanced
from shared.messages.complaints import Complaint
from shared.messages.compose import Message, Sms, compose, compose_sms
from shared.messages.kinds import RULES, MessageKind, Part, Slot
from shared.messages.letter import QR_CONTENT_ID
from shared.messages.locales import Locale
from shared.messages.particulars import Particulars
from shared.messages.texts import Catalogue
from shared.messages.written import LINES

SMS, PUSHES, ALONE, EQUAL = "SMS are short", "pushes are short", "HTML stands alone", "text equals HTML"
LONGEST_TITLE, LONGEST_BODY = 50, 120
SMS_LINK: Final = "https://keys.hotels.example.af/k/AbCdEfGhIjKlMnOpQr"
"""As long as a link may be if an SMS is to stay within its segments."""
_FETCHING: Final = frozenset({"src", "srcset", "background", "poster", "data", "action", "formaction"})
_FETCHING_TAGS: Final = frozenset(
    {"script", "link", "style", "iframe", "object", "embed", "base", "form", "svg", "video", "audio"}
)
_IN_STYLE: Final = re.compile(r"url\s*\(|@import|expression\s*\(", re.IGNORECASE)
_CID: Final = f"cid:{QR_CONTENT_ID}"


@dataclass(frozen=True, slots=True)
class Sample:
    """A message of one kind and language, its HTML read, and its SMS of every month in both forms."""

    message: Message
    letter: "LetterReader"
    sms: tuple[Sms, ...]

    @property
    def where(self) -> str:
        """Its place, for whoever mends it."""
        return f"{self.message.locale.value}/{self.message.kind.value}"


Rule = Callable[[Sample], Iterator[Complaint]]


def composed(catalogue: Catalogue, locale: Locale) -> Iterator[Sample]:
    """Compose every message of a language."""
    for kind in MessageKind:
        message = compose(catalogue, kind, locale, longest_of(9))
        letter = LetterReader()
        letter.feed(message.email.html if message.email is not None else "")
        letter.close()
        short = [] if message.sms is None else _short(catalogue, kind, locale)
        yield Sample(message, letter, tuple(short))


def _short(catalogue: Catalogue, kind: MessageKind, locale: Locale) -> Iterator[Sms]:
    tells_time = Slot.OPENS in RULES[kind].parts[Part.SMS]
    for month in range(1, 13) if tells_time else (9,):
        for link in (True, False):
            yield compose_sms(catalogue, kind, locale, longest_of(month), link=link)


def longest_of(month: int) -> Particulars:
    """Return values as long as they come; the 19th has two digits in both calendars."""
    start = datetime(2026, month, 19, 9, 30, tzinfo=UTC)
    window = StayWindow(start, start + timedelta(hours=21), "Asia/Kabul")
    hotel, rooms = "Grand <Hotel> & Continental " * 3, ("204", "Suite <A> & B")
    return Particulars(hotel, "+93 70 123 45678", rooms, window, Secret(SMS_LINK), Secret("48217930"))


def short_sms(sample: Sample) -> Iterator[Complaint]:
    """No SMS needs more segments than its kind may."""
    most = RULES[sample.message.kind].sms_segments
    longest = max((sms.length for sms in sample.sms), key=lambda length: length.units, default=None)
    if longest is not None and longest.segments > most:
        told = f"{longest.units} units of {longest.encoding} are {longest.segments} segments, at most {most}"
        yield Complaint(SMS, f"{sample.where}/sms", f"{told}. Say it shorter")


def short_pushes(sample: Sample) -> Iterator[Complaint]:
    """A push fits on a locked screen."""
    if (push := sample.message.push) is None:
        return
    for name, words, most in (
        ("push_title", push.title, LONGEST_TITLE),
        ("push_body", push.body, LONGEST_BODY),
    ):
        if len(words) > most:
            yield Complaint(PUSHES, f"{sample.where}/{name}", f"{len(words)} characters, at most {most}")


def standing_alone(sample: Sample) -> Iterator[Complaint]:
    """The HTML fetches nothing but its own attachment, and runs nothing."""
    for problem in sample.letter.fetched:
        yield Complaint(ALONE, f"{sample.where}/html", f"{problem}. Take it out")


def equal_words(sample: Sample) -> Iterator[Complaint]:
    """Both forms of a letter say the same words in the same order."""
    if (email := sample.message.email) is None:
        return
    for shown, said in zip_longest(_words("".join(sample.letter.words)), _words(email.text)):
        if shown != said:
            yield Complaint(EQUAL, f"{sample.where}/html", f"{shown!r} in HTML, {said!r} in text")
            return


def right_directions(sample: Sample) -> Iterator[Complaint]:
    """Isolates close in what is sent, and every cell says its direction."""
    if not all(balanced(words) for words in _plain(sample.message)):
        yield Complaint(LINES, sample.where, "an isolate does not close once values are in. Isolate them")
    direction = sample.message.locale.direction
    if any(found != direction for found in sample.letter.directions):
        yield Complaint(LINES, f"{sample.where}/html", f"a cell is not dir={direction}. Say it on each")


def _plain(message: Message) -> Iterator[str]:
    if message.push is not None:
        yield from (message.push.title, message.push.body)
    if message.email is not None:
        yield from (message.email.subject, message.email.text)
    if message.sms is not None:
        yield message.sms.text


def _words(text: str) -> list[str]:
    return "".join(each for each in text if each not in CONTROLS).split()


class LetterReader(HTMLParser):
    """Reads a letter: the words of its body, what it would fetch or run, and which way its cells run."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []
        self.fetched: list[str] = []
        self.directions: list[str | None] = []
        self._in_body = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at an element and its attributes."""
        self._in_body |= tag == "body"
        if tag in _FETCHING_TAGS or (tag == "meta" and "http-equiv" in dict(attrs)):
            self.fetched.append(f"<{tag}>")
        if tag in {"html", "body", "table", "td"}:
            self.directions.append(dict(attrs).get("dir"))
        if tag in {"td", "br", "p", "div"}:
            self.words.append("\n")
        self.fetched += [f"{name} of <{tag}>" for name, value in attrs if _fetches(name, value or "")]

    def handle_data(self, data: str) -> None:
        """Keep the words of the body."""
        if self._in_body:
            self.words.append(data)


def _fetches(name: str, value: str) -> bool:
    if name == "href":
        return value != SMS_LINK
    if name in _FETCHING:
        return value != _CID
    return name.startswith("on") or (name == "style" and bool(_IN_STYLE.search(value)))


SHOWN: Final[Mapping[str, Rule]] = {
    SMS: short_sms,
    PUSHES: short_pushes,
    ALONE: standing_alone,
    EQUAL: equal_words,
    LINES: right_directions,
}
