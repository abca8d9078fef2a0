"""Codes of ours are said in words of each language, with the code behind them for whoever looks it up."""

import pytest

from functions.backoffice.console_paper import Paper, shown, word
from functions.backoffice.console_reasons import REASONS, in_words, meaning, said_in_words
from shared.domain import kinds
from shared.domain.kinds import FailureReason, RevokeReason, SuspendReason
from shared.domain.lock_errors import LOCK_ERRORS
from shared.ledger.anomaly import AnomalyKind
from shared.messages.kinds import MessageKind
from shared.messages.locales import Locale
from shared.ports.lock_causes import LockCause
from shared.usecases.attempts.judge_attempt import REASONS as OF_DOORS
from shared.usecases.attempts.judge_attempt import REFUSED
from shared.usecases.stays.room_at_once import ROOM_SHARED
from shared.vendor_kit.health import CLOCK_SKEW_ALERT

WARNINGS = (
    kinds.REVOKE_PENDING_AT_LOCK,
    kinds.WINDOW_ROUNDED,
    kinds.OPENS_BEYOND_STAY,
    kinds.WINDOW_NOT_ENFORCED,
    kinds.CLOCK_SKEW,
    CLOCK_SKEW_ALERT,
    ROOM_SHARED,
)
WORDS_ALREADY = {"refused", "revoked", "suspended"}
CODES = [
    *(str(each) for group in (FailureReason, RevokeReason, SuspendReason, LockCause) for each in group),
    *(str(each) for group in (AnomalyKind, MessageKind) for each in group),
    *(*LOCK_ERRORS, *WARNINGS, *OF_DOORS.values(), REFUSED),
]


@pytest.mark.parametrize("code", sorted({*CODES} - WORDS_ALREADY))
def test_every_code_that_people_may_see_has_words_in_every_language(code):
    said = {locale: meaning(code, locale) for locale in Locale}
    assert all(said.values())
    assert len({*said.values()}) == len(Locale)
    assert all("_" not in words for words in said.values())


def test_no_two_languages_of_a_code_are_the_same_by_a_slip():
    assert [code for code, said in REASONS.items() if len({*said.values()}) < len(said)] == []


@pytest.mark.parametrize(
    ("text", "locale", "said"),
    [
        ("timeout", Locale.EN, "no answer in time (timeout)"),
        ("vendor_unreachable", Locale.FR, "fournisseur injoignable (vendor_unreachable)"),
        ("MELMASTOON.LOCK.VENDOR_UNREACHABLE", Locale.FR, None),
        (
            "x at ttlock: server_error",
            Locale.EN,
            "x at ttlock: the vendor has a fault of its own (server_error)",
        ),
        ("pin_code at Room 101, rsv_1", Locale.EN, "pin_code at Room 101, rsv_1"),
        ("in time, by hand", Locale.EN, "in time, by hand"),
    ],
)
def test_codes_in_a_text_are_said_in_words_and_all_else_stays(text, locale, said):
    assert said_in_words(text, locale) == (said or f"fournisseur injoignable ({text})")


def test_a_code_that_is_not_known_is_read_as_it_is_spelt():
    assert in_words("a_new_one") == "a new one"


def test_the_console_says_a_reason_in_the_readers_language_and_escapes_what_is_none():
    paper = Paper(Locale.FR, "n", "/console")
    assert "fournisseur injoignable (vendor_unreachable)" in paper.reason("vendor_unreachable")
    assert "la réception ne répond pas" in word(paper, "card_encoder_offline")
    assert "<b>" not in paper.reason("<b>")
    assert paper.reason(None) == shown(None)
