"""Made-up people, in every spelling in which somebody could find them again."""

import json
import re
import unicodedata
from base64 import b64encode
from urllib.parse import quote, quote_plus

PEOPLE = (
    "Zarmina Kanaryzai",
    "زرمینه کناریزی",
    "zarmina.kanary@guest.test",
    "+93 70 911 7733",
    "۰۷۰۹۱۱۷۷۳۳",
    "P9K7733X1",
    "4929 1177 3388 0011",
)
NOTE = "; ".join(PEOPLE)
_OFFSETS = range(3)
_SEPARATORS = re.compile(r"(?<=\d)[ ().-]+(?=\d)")
SHORTEST_NUMBER = 9
"""Fewer digits are in every log by chance."""


def spellings(text):
    """Return how a text may be written: composed, folded, escaped, encoded, in other digits or backwards."""
    plain = {text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD", "NFKC"))}
    plain |= {each.casefold() for each in plain}
    for each in {*plain}:
        raw = each.encode()
        plain |= {json.dumps(each)[1:-1], quote(each), quote_plus(each), raw.hex()}
        plain |= {_encoded(raw, offset) for offset in _OFFSETS}
    digits = "".join(str(unicodedata.digit(each)) for each in text if each.isdigit())
    if len(digits) >= SHORTEST_NUMBER:
        plain |= {digits, digits[::-1]}
    return plain


def _encoded(raw, offset):
    """Return what stands in Base64 whatever came so many bytes before it, without its ends."""
    encoded = b64encode(b"\0" * offset + raw).decode().rstrip("=")
    return encoded[2 + offset : -2]


def named_in(text, people=PEOPLE):
    """Return who can be found in a text."""
    folded = unicodedata.normalize("NFC", text).casefold()
    together = _SEPARATORS.sub("", folded)
    places = (text, folded, together)
    return [each for each in people if any(form in place for form in spellings(each) for place in places)]
