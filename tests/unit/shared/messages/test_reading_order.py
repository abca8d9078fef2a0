"""What native readers see: each message and the key page, laid out by Unicode's own rules for both ways.

A line is laid out as a screen draws it, from left to right. A code, a time, a number and an address stand in
it as they are typed, whatever the words around them do.
"""

from datetime import UTC, datetime
from html.parser import HTMLParser

import pytest
from bidi import get_display

from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.compose import compose
from shared.messages.key_page import KeyOnPage, Stationery, keys_page
from shared.messages.kinds import MessageKind
from shared.messages.locales import Locale
from shared.messages.particulars import Particulars
from shared.messages.texts import our_texts

RIGHT_TO_LEFT = [each for each in Locale if each.direction == "rtl"]
ISOLATES = {"ltr": "\u2066", "rtl": "\u2067", "auto": "\u2068"}
END, MARKS = "\u2069", dict.fromkeys(map(ord, "\u200e\u200f\u2066\u2067\u2068\u2069"))
PIN, PHONE, LINK = "48217930", "+93 20 210 0000", "https://keys.example/ps/AbCdEfGhIjKlMnOpQrStUv"
WINDOW = StayWindow(
    datetime(2026, 3, 21, 9, 30, tzinfo=UTC), datetime(2026, 3, 24, 6, 30, tzinfo=UTC), "Asia/Kabul"
)
SAID = Particulars(
    hotel="هوټل Silk 7",
    phone=PHONE,
    rooms=("204", "21-24"),
    window=WINDOW,
    link=Secret(LINK),
    pin=Secret(PIN),
)
SHOWN = {"4821 7930": "4821", "14:00": "14:00", "11:00": "11:00", PHONE: "210 0000", LINK: "keys.example"}
"""What must stand in a line as it is typed, by what of it tells that it is there at all."""


def drawn(line):
    """Return a line as it is drawn, from left to right, without the marks that nobody sees."""
    return get_display(line, base_dir="R").translate(MARKS).replace("\u00a0", " ")


class Reader(HTMLParser):
    """HTML as lines of text, with what stands apart between the marks that mean the same."""

    BLOCKS = frozenset({"p", "td", "h1", "h2", "dt", "dd", "div", "section", "br", "button", "label", "tr"})

    def __init__(self, page):
        super().__init__()
        self.lines, self.hidden = [""], 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "bdi":
            self.lines[-1] += ISOLATES[dict(attrs).get("dir", "auto")]
        elif tag in self.BLOCKS:
            self.lines.append("")
        self.hidden += tag in {"style", "title"}

    def handle_endtag(self, tag):
        if tag == "bdi":
            self.lines[-1] += END
        elif tag in self.BLOCKS:
            self.lines.append("")
        self.hidden -= tag in {"style", "title"}

    def handle_data(self, data):
        if not self.hidden:
            self.lines[-1] += data


def scrambled(lines):
    """Return what stands in lines in another order than it is typed in."""
    found = []
    for line in lines:
        shown = drawn(line)
        plain = line.translate(MARKS).replace("\u00a0", " ")
        found += [shown for typed in SHOWN if typed in plain and typed not in shown]
    return found


def texts_of(message):
    """Return every line of a message, by the way that it goes."""
    yield from () if message.push is None else (message.push.title, message.push.body)
    yield from () if message.sms is None else message.sms.text.splitlines()
    if message.email is not None:
        yield message.email.subject
        yield from message.email.text.splitlines()
        yield from Reader(message.email.html).lines


def test_the_layout_itself_tells_a_scrambled_code():
    assert "7930 4821" in drawn("کوډ: 4821 7930")
    assert scrambled(["کوډ: 4821 7930"]) != []
    assert scrambled(["کوډ: \u20664821 7930\u2069"]) == []


@pytest.mark.parametrize("locale", RIGHT_TO_LEFT)
def test_codes_times_numbers_and_addresses_of_every_message_are_read_as_they_are_typed(locale):
    seen = set()
    for kind in MessageKind:
        for with_link in (True, False):
            lines = list(texts_of(compose(our_texts(), kind, locale, SAID, link_in_sms=with_link)))
            assert scrambled(lines) == [], kind
            seen |= {typed for typed, part in SHOWN.items() if any(part in drawn(line) for line in lines)}
    assert seen == set(SHOWN)  # each was there to be looked at


@pytest.mark.parametrize("locale", RIGHT_TO_LEFT)
def test_codes_times_and_numbers_of_the_key_page_are_read_as_they_are_typed(locale):
    key = KeyOnPage("key_1", "code", ("204", "21-24"), WINDOW, pin=Secret(PIN), trouble="fine")
    lines = Reader(keys_page(Stationery(locale, "n", "هوټل Silk 7", PHONE), [key])).lines
    assert scrambled(lines) == []
    all_drawn = "\n".join(map(drawn, lines))
    for typed in ("4821 7930", "4 8 2 1 7 9 3 0", "14:00", "11:00", PHONE, "21-24"):
        assert typed in all_drawn, typed
