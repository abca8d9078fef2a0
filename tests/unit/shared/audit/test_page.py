"""The page says what the evidence says, in the reader's language, and nothing in it can act."""

from datetime import UTC, datetime
from html.parser import HTMLParser
from zoneinfo import ZoneInfo

import pytest

from shared.audit.checkpoint import Checkpoint
from shared.audit.evidence import Access, Evidence, Question, Told, evidence, read
from shared.audit.page import Reader, page
from shared.audit.page_words import RIGHT_TO_LEFT, WORDS, words_for
from tests.support.audit_pack import three_days

DAY = Question(datetime(2026, 11, 16, tzinfo=UTC), datetime(2026, 11, 19, tzinfo=UTC))
AT = Checkpoint("audit.example/cell-1/tnt_1", 9, b"r" * 32)
BOOK = three_days()
ANSWER = evidence(DAY, read(dict(enumerate(BOOK.tenant.kept))))


class Reading(HTMLParser):
    """Notes tags, attributes and texts, and that every tag is closed."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.open = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("language", WORDS)
def test_every_language_has_every_word_and_its_direction(language):
    text = page(ANSWER, AT, Reader(language))
    direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
    assert f'<html lang="{language}" dir="{direction}">' in text
    assert set(WORDS[language]) == set(WORDS["en"])
    said = " ".join(Reading(text).texts)
    for name in ("title", "could", "opened", "refused", "looked", "done", "findings", "nothing", "verify"):
        assert WORDS[language][name] in said


def test_no_language_says_what_another_says():
    for name in ("title", "could", "refused", "verify"):
        assert len({words[name] for words in WORDS.values()}) == len(WORDS)


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [("ps-AF", "ps"), ("fr-FR", "fr"), ("fa", "fa-AF"), ("ar", "ar"), ("de", "en"), ("", "en")],
)
def test_the_nearest_language_is_spoken(asked, spoken):
    assert words_for(asked)[0] == spoken


def test_the_page_tells_each_entry_with_its_place_in_the_log():
    texts = Reading(page(ANSWER, AT, Reader())).texts
    assert {"key_a", "key_b", "usr_7", "2026-11-18 08:00:00+00:00"} <= set(texts)
    assert {str(each.index) for each in (*ANSWER.done, *ANSWER.findings)} <= set(texts)
    assert any(AT.origin in each and " 9 " in each for each in texts)


def test_times_are_those_of_the_property():
    texts = Reading(page(ANSWER, AT, Reader("en", ZoneInfo("Asia/Kabul")))).texts
    assert "2026-11-18 12:30:00+04:30" in texts


HOSTILE = "<script>alert(1)</script>\" onload='x' \u202egnp.exe =1+1"


def test_what_strangers_wrote_stays_text():
    told = Told(
        0,
        {
            "kind": "action",
            "at": "2026-11-18T08:00:00Z",
            "operator": HOSTILE,
            "reason": HOSTILE,
            "stream": HOSTILE,
        },
    )
    access = Access(HOSTILE, HOSTILE, (HOSTILE,), DAY.since, DAY.until)
    answer = Evidence(DAY, (access,), (told,), (told,), (told,), (told,), ())
    reading = Reading(page(answer, AT, Reader("ar")))
    assert "script" not in reading.tags
    assert not {"onload", "onclick", "src", "href"} & {name for name, _ in reading.attributes}
    assert HOSTILE in reading.texts


def test_the_page_fetches_and_runs_nothing():
    reading = Reading(page(ANSWER, AT, Reader()))
    assert not {"script", "img", "link", "iframe", "form", "a"} & set(reading.tags)
    assert any("default-src 'none'" in (value or "") for _, value in reading.attributes)


def test_an_exposure_without_an_end_is_told_as_one():
    for_ever = Access("key_a", "", (), DAY.since, datetime.max.replace(tzinfo=UTC), device="lck_1")
    answer = Evidence(DAY, (for_ever,), (), (), (), (), ())
    texts = Reading(page(answer, AT, Reader("en", ZoneInfo("Asia/Kabul")))).texts
    assert {"∞", "withheld", "lck_1"} <= set(texts)
