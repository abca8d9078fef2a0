"""Composed messages hold what their kind says, escaped and isolated, and nothing that may not be there."""

import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.bidi import LRI, LRM, PDI, RLM
from shared.messages.compose import compose, compose_sms
from shared.messages.kinds import MAY_SAY_PIN, RULES, TOLD_WHEN_ISSUED, Channel, MessageKind
from shared.messages.locales import Locale
from shared.messages.particulars import Particulars
from shared.messages.texts import our_texts

PIN, GROUPED, LINK = "48217930", "4821 7930", "https://keys.example.af/k/AbCdEfGhIjKlMnOpQrStUv"
WINDOW = StayWindow(
    datetime(2026, 3, 21, 9, 30, tzinfo=UTC), datetime(2026, 3, 24, 6, 30, tzinfo=UTC), "Asia/Kabul"
)
SAID = Particulars("Kabul Palace", "+93 70 123 4567", ("204", "Gym"), WINDOW, Secret(LINK), Secret(PIN))
EVERY = list(itertools.product(MessageKind, Locale))
RTL = [locale for locale in Locale if locale.direction == "rtl"]


def message(kind, locale, said=SAID, **options):
    return compose(our_texts(), kind, locale, said, **options)


@pytest.mark.parametrize(("kind", "locale"), EVERY)
def test_a_message_goes_through_the_channels_of_its_kind(kind, locale):
    made = message(kind, locale)
    through = {
        Channel.PUSH: made.push is not None,
        Channel.EMAIL: made.email is not None,
        Channel.SMS: made.sms is not None,
    }
    assert {channel for channel, used in through.items() if used} == RULES[kind].channels


@pytest.mark.parametrize(("kind", "locale"), EVERY)
def test_a_pin_stands_where_it_may_and_nowhere_else(kind, locale):
    made = message(kind, locale)
    texts = {
        Channel.PUSH: f"{made.push}",
        Channel.EMAIL: made.email.text,
        Channel.SMS: made.sms.text if made.sms else "",
    }
    for channel, text in texts.items():
        digits = re.sub(r"\s", "", text)
        assert (PIN in digits) is ((kind, channel) in MAY_SAY_PIN)
    assert PIN not in re.sub(r"\s", "", made.email.subject)


@pytest.mark.parametrize(("kind", "locale"), EVERY)
def test_a_message_shows_no_secret_in_its_repr(kind, locale):
    shown = re.sub(r"\s", "", repr(message(kind, locale)))
    assert PIN not in shown
    assert LINK not in shown


@pytest.mark.parametrize("locale", RTL)
def test_a_pin_and_a_phone_run_left_to_right_in_every_form(locale):
    made = message(MessageKind.PIN_CODE_DELIVERED, locale)
    assert f"{LRI}{GROUPED}{PDI}" in made.email.text
    assert f'<bdi dir="ltr">{GROUPED}</bdi>' in made.email.html
    assert f"{LRI}{SAID.phone}{PDI}" in made.email.text
    assert f"{LRM}4821\u00a07930{LRM}" in made.sms.text
    assert made.sms.text.startswith(RLM)


@pytest.mark.parametrize("locale", Locale)
def test_a_link_stands_where_no_mark_can_stick_to_it(locale):
    made = message(MessageKind.PIN_CODE_DELIVERED, locale)
    assert f"\n{LINK}\n" in made.email.text
    assert made.sms.text.endswith(f" {LINK}")


@pytest.mark.parametrize("locale", Locale)
def test_where_links_are_dropped_the_sms_gives_a_number_to_call(locale):
    made = message(MessageKind.PIN_CODE_CHANGED, locale, link_in_sms=False)
    assert "https:" not in made.sms.text
    assert SAID.phone in made.sms.text.replace("\u00a0", " ")


@pytest.mark.parametrize("locale", Locale)
def test_what_a_tenant_wrote_is_escaped_in_html_and_only_there(locale):
    said = replace(SAID, hotel="<b>R&B</b> {pin}", rooms=('"><img src=x>',))
    made = message(MessageKind.PIN_CODE_DELIVERED, locale, said)
    assert "&lt;b&gt;R&amp;B&lt;/b&gt; {pin}" in made.email.html
    assert "<img src=x" not in made.email.html
    assert "<b>R&B</b> {pin}" in made.email.text
    assert "<b>R&B</b> {pin}" in made.sms.text
    assert "&lt;b&gt;R&amp;B" in re.search("<title>(.*)</title>", made.email.html)[1]


@pytest.mark.parametrize("locale", Locale)
def test_a_hotel_name_cannot_turn_the_line(locale):
    said = replace(SAID, hotel="Kabul\u202e\u2069\n Palace")
    made = message(MessageKind.PIN_CODE_DELIVERED, locale, said)
    assert "\u202e" not in made.email.text + made.email.html + made.sms.text
    assert "\u2068Kabul Palace\u2069" in made.email.subject


@pytest.mark.parametrize("locale", RTL)
def test_a_letter_says_its_direction_on_every_cell(locale):
    html = message(MessageKind.KEY_RESTS, locale).email.html
    assert f'<html lang="{locale}" dir="rtl">' in html
    assert html.count("<td") == html.count('<td dir="rtl"')


@pytest.mark.parametrize("locale", [Locale.EN, Locale.FR])
def test_latin_sms_stay_in_gsm_7(locale):
    for kind in MessageKind:
        made = message(kind, locale, replace(SAID, hotel="Hôtel « Le Chêne »"))
        assert made.sms is None or made.sms.length.encoding == "GSM-7"


@pytest.mark.parametrize("kind", MessageKind)
def test_only_letters_that_promise_a_qr_code_have_its_place(kind):
    email = message(kind, Locale.EN).email
    assert ("cid:key-page" in email.html) is RULES[kind].printable is email.shows_qr


@pytest.mark.parametrize(("field", "kind"), [("pin", "pin_code.changed"), ("link", "qr_code.delivered")])
def test_a_message_without_what_it_tells_is_refused(field, kind):
    with pytest.raises(InvalidInput) as refused:
        message(MessageKind(kind), Locale.EN, replace(SAID, **{field: None}))
    assert refused.value.field == field


def test_an_sms_can_be_written_alone_where_the_kind_has_one():
    sms = compose_sms(our_texts(), MessageKind.PIN_CODE_DELIVERED, Locale.AR, SAID)
    assert sms == message(MessageKind.PIN_CODE_DELIVERED, Locale.AR).sms
    with pytest.raises(InvalidInput, match="kind"):
        compose_sms(our_texts(), MessageKind.KEY_ENDED, Locale.AR, SAID)


def test_every_kind_of_key_is_told_through_the_channels_of_the_specification():
    assert set(TOLD_WHEN_ISSUED) == set(KeyCredentialKind)
    channels = {
        kind.value: "".join(sorted(channel[0] for channel in RULES[told].channels))
        for kind, told in TOLD_WHEN_ISSUED.items()
    }
    assert channels == {
        "mobile_app": "eps",
        "nfc_tag": "eps",
        "pin_code": "es",
        "rfid_card": "e",
        "qr_code": "ep",
    }
