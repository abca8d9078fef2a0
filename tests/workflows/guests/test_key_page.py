"""The key page: the same for every link until a POST is let in; then a PIN that reads left to right."""

import asyncio
import re
from html import unescape

import pytest

from shared.domain.ids import credential_id
from shared.domain.secret import Secret
from shared.ledger.guest_tokens import PRINTED, GuestToken, GuestTokens, draw_token
from shared.messages.locales import Locale
from shared.messages.texts import our_texts
from shared.ports.tasks import TaskError
from shared.usecases.guests.show_stay import DESK, RENEW, RENEWING, Question, show_stay
from shared.usecases.guests.sign_in import Visit, sign_in
from tests.support.guests import GUEST, SILK, Browser, issued, link_to, serving, settle
from tests.support.looks import look
from tests.support.sample_hotel import ARRIVES, DOORS, play

PHONE, REFUSED = "5121", 403
NONCE = re.compile(r'nonce="[^"]+"')
WORDS = {locale: our_texts().tongues[locale].page for locale in Locale}


SOON = "2026-03-01T11:00:00Z"


async def booked(house, arrives=ARRIVES, **settings):
    await settle(house, **settings)
    await house.publish("evt_1", guest=GUEST, validFrom=arrives)
    await asyncio.sleep(5)
    key, _ = await issued(house)
    return key


async def pin_at_door(house):
    (row,) = await house.keys_at("101")
    return row["code"]


def spaced(pin):
    return f'<bdi dir="ltr" class="aloud">{" ".join(pin)}</bdi>'


def same(page):
    return NONCE.sub("", page)


def test_a_link_shows_its_guest_the_pin_that_opens_the_door_in_every_language(tmp_path):
    async def scenario(house):
        key = await booked(house, colour="#8a1538")
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        looked = await browser.get(token)
        status, headers, page = await browser.post(token, proof=PHONE)
        pin = await pin_at_door(house)
        assert (status, looked[0]) == (200, 200)
        # To whoever only holds a link, no hotel is shown.
        assert ("--own:#8a1538" in page, "--own:#1f4f46" in looked[2]) == (True, True)
        assert spaced(pin) in page
        assert f'<bdi dir="ltr" class="pin" aria-hidden="true">{pin[:3]} {pin[3:]}</bdi>' in page
        assert '<html lang="fa-AF" dir="rtl">' in page
        # The hotel's clock, Solar Hijri first; the doors; the desk's number, which runs left to right.
        assert "دوشنبه 11 حوت 1404 (2 مارچ 2026)، ساعت 14:00" in page
        assert "<bdi>Room 101</bdi>" in page
        assert '<bdi dir="ltr" class="number">+93 20 210 0000</bdi>' in page
        assert "HttpOnly; SameSite=Lax" in headers["set-cookie"]
        assert headers["cache-control"] == "no-store"
        for locale in Locale:
            _, _, shown = await browser.post(token, locale.value)
            assert spaced(pin) in shown
            assert f'<html lang="{locale.value}" dir="{locale.direction}">' in shown
            assert unescape(shown).count(WORDS[locale]["press"]) == 1

    play(tmp_path, scenario)


def test_looking_spends_nothing_asks_the_store_nothing_and_tells_nobody_whether_a_link_is_known(tmp_path):
    async def scenario(house):
        key = await booked(house)
        token, unknown = await link_to(house, key), draw_token(house.fleet.platform.entropy)
        before = dict(house.fleet.counters)
        pages = [await Browser(house).get(each.reveal()) for each in (token, unknown, token)]
        assert len({same(page) for _, _, page in pages}) == 1
        tracked = "&".join(f"utm_{number}=mail" for number in range(30))
        assert (await Browser(house).get(f"{token.reveal()}?{tracked}"))[0] == 200
        asked = {name: n for name, n in house.fleet.counters.items() if n != before.get(name, 0)}
        assert {name.partition(" ")[0] for name in asked} == {"function_calls"}
        kept = await GuestTokens(house.fleet.documents).find(token)
        assert (kept.spent, kept.wrong) == (None, 0)

    play(tmp_path, scenario)


def test_every_refusal_is_the_same_page_and_gives_nothing(tmp_path):
    async def scenario(house):
        key = await booked(house)
        link, spent = await link_to(house, key), await link_to(house, key)
        await Browser(house).post(spent.reveal(), proof=PHONE)
        unknown = draw_token(house.fleet.platform.entropy)
        tries = [(unknown, PHONE), (link, "0000"), (link, ""), (spent, PHONE)]
        answers = [await Browser(house).post(each.reveal(), proof=proof) for each, proof in tries]
        assert {status for status, _, _ in answers} == {REFUSED}
        assert len({same(page) for _, _, page in answers}) == 1
        assert all("set-cookie" not in headers for _, headers, _ in answers)

    play(tmp_path, scenario)


def test_a_page_runs_no_script_and_loads_nothing(tmp_path):
    async def scenario(house):
        key = await booked(house)
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        for page in ((await browser.get(token))[2], (await browser.post(token, proof=PHONE))[2]):
            assert not re.search(r"<script|\son[a-z]+=|\sstyle=|https?://|//|@import|url\(", page)
            assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["data:,"]
            assert page.count("<style nonce=") == 1

    play(tmp_path, scenario)


def test_a_form_from_another_site_is_refused(tmp_path):
    async def scenario(house):
        token = (await link_to(house, await booked(house))).reveal()
        form = {"content-type": "application/x-www-form-urlencoded"}
        for origin in ("https://elsewhere.example", "null"):
            browser = Browser(house, origin=origin)
            status, _, _ = await browser._send("POST", f"en/{token}", b"do=show&proof=5121", form)
            assert status == REFUSED
        assert (await Browser(house).post(token, proof=PHONE))[0] == 200

    play(tmp_path, scenario)


def test_a_key_that_rests_or_is_over_shows_no_pin(tmp_path):
    async def scenario(house):
        key = await booked(house)
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        pin = await pin_at_door(house)
        await browser.post(token, "en", proof=PHONE)
        await house.publish("evt_2", "fraud_flagged", time="2026-03-01T09:30:00Z")
        await asyncio.sleep(30)
        resting = (await browser.post(token, "en"))[2]
        await house.publish("evt_3", "cancelled", time="2026-03-01T10:00:00Z")
        await asyncio.sleep(30)
        ended = (await browser.post(token, "en"))[2]
        assert WORDS[Locale.EN]["rests"] in resting
        assert WORDS[Locale.EN]["none"] in ended
        assert spaced(pin) not in resting + ended

    play(tmp_path, scenario)


def test_a_printed_code_leads_to_the_sign_in_with_the_phones_digits_alone(tmp_path):
    async def scenario(house):
        key = await booked(house)
        kept = await GuestTokens(house.fleet.documents).find(link := await link_to(house, key))
        printed = GuestToken(
            tenant=SILK,
            reservation=kept.reservation,
            credential=credential_id(key),
            channel=PRINTED,
            expires=kept.expires,
        )
        await GuestTokens(house.fleet.documents).keep(Secret(key), printed)
        assert (await Browser(house).post(key, proof="rsv_1"))[0] == REFUSED
        for _ in range(2):
            status, _, page = await Browser(house).post(key, proof=PHONE)
            assert (status, spaced(await pin_at_door(house)) in page) == (200, True)
        for guess in range(4):
            await Browser(house).post(key, proof=f"000{guess}")
        assert (await Browser(house).post(key, proof=PHONE))[0] == REFUSED
        assert (await Browser(house).post(link.reveal(), proof=PHONE))[0] == 200

    play(tmp_path, scenario)


def test_a_code_that_does_not_work_is_explained_and_renewed_once_a_day_where_the_hotel_allows(tmp_path):
    async def scenario(house):
        key = await booked(house, SOON, renews_codes=True)
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        await browser.post(token, "en", proof=PHONE)
        pin = await pin_at_door(house)
        early = (await browser.post(token, "en", do="trouble", key=key))[2]
        assert WORDS[Locale.EN]["early"] in early
        assert 'value="renew"' not in early
        await asyncio.sleep(2.5 * 3600)
        fine = (await browser.post(token, "en", do="trouble", key=key))[2]
        assert WORDS[Locale.EN]["fine"] in fine
        assert 'value="renew"' in fine
        assert WORDS[Locale.EN]["renewing"] in (await browser.post(token, "en", do="renew", key=key))[2]
        await asyncio.sleep(60)
        new = await pin_at_door(house)
        assert new != pin
        renewed = (await browser.post(token, "en"))[2]
        assert spaced(new) in renewed
        (key,) = re.findall(r'name="key" value="([^"]+)"', renewed)
        assert WORDS[Locale.EN]["renewing"] not in (await browser.post(token, "en", do="renew", key=key))[2]
        assert await pin_at_door(house) == new
        said = [line for line in house.logged("WARNING") if "does not work" in line["message"]]
        assert [line["found"] for line in said] == ["early", "fine", "fine", "fine"]

    play(tmp_path, scenario)


def test_a_guest_before_a_lock_whose_clock_is_wrong_is_sent_to_the_desk_and_gets_no_new_code(tmp_path):
    async def scenario(house):
        key = await booked(house, SOON, renews_codes=True)
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        await browser.post(token, "en", proof=PHONE)
        await asyncio.sleep(2.5 * 3600)
        await house.steer("PATCH", f"locks/{DOORS['101']}", skewSeconds=-4 * 3600)
        await look(house)
        told = (await browser.post(token, "en", do="trouble", key=key))[2]
        assert WORDS[Locale.EN]["lock"] in told
        assert 'value="renew"' not in told

    play(tmp_path, scenario)


def test_a_new_code_whose_order_was_lost_is_made_when_its_guest_asks_again(tmp_path):
    class Lost:
        async def enqueue(self, task):
            raise TaskError("the instance is gone")

    async def scenario(house):
        key = await booked(house, SOON, renews_codes=True)
        on, tasks = serving(house, "guest-page"), house.fleet.platform.tasks
        await asyncio.sleep(2.5 * 3600)
        signed = await sign_in(Visit(await link_to(house, key), proof=PHONE), on)
        pin, asked = await pin_at_door(house), Question(key, RENEW)
        with pytest.raises(TaskError):
            await show_stay(signed, asked, on, Lost())
        # An impatient guest, and one order.
        for stay in await asyncio.gather(*(show_stay(signed, asked, on, tasks) for _ in range(2))):
            assert [helped.says for _, helped in stay.keys] == [RENEWING]
        await asyncio.sleep(60)
        assert await pin_at_door(house) != pin
        ((shown, _),) = (await show_stay(signed, Question(), on, tasks)).keys
        stay = await show_stay(signed, Question(shown.id, RENEW), on, tasks)
        assert [helped.says for _, helped in stay.keys] == [DESK]

    play(tmp_path, scenario)


def test_where_the_hotel_does_not_allow_it_no_code_is_renewed(tmp_path):
    async def scenario(house):
        key = await booked(house, SOON)
        token, browser = (await link_to(house, key)).reveal(), Browser(house)
        await asyncio.sleep(2.5 * 3600)
        await browser.post(token, "en", proof=PHONE)
        pin = await pin_at_door(house)
        assert 'value="renew"' not in (await browser.post(token, "en", do="trouble", key=key))[2]
        await browser.post(token, "en", do="renew", key=key)
        await asyncio.sleep(60)
        assert await pin_at_door(house) == pin

    play(tmp_path, scenario)


@pytest.mark.parametrize(
    "path", ["", "en", "en/short", "xx/AAAAAAAAAAAAAAAAAAAAAA", "en/AAAAAAAAAAAAAAAAAAAAAA/more"]
)
def test_other_addresses_are_no_page(tmp_path, path):
    async def scenario(house):
        assert (await house.on.send(f"guest-page/{path}", method="GET"))[0] == 404

    play(tmp_path, scenario)


def test_a_link_that_was_stolen_shows_nothing_after_the_check_out(tmp_path):
    async def scenario(house):
        key = await booked(house)
        stolen, spent, guest = await link_to(house, key), await link_to(house, key), Browser(house)
        pin = await pin_at_door(house)
        assert spaced(pin) in (await guest.post(spent.reveal(), proof=PHONE))[2]
        await house.publish("evt_2", "checked_out", time="2026-03-01T09:10:00Z")
        await asyncio.sleep(60)
        assert await house.keys_at("101") == []
        for browser, token in ((Browser(house), stolen), (guest, spent), (Browser(house), spent)):
            _, _, page = await browser.post(token.reveal(), proof=PHONE)
            assert (pin in page, spaced(pin) in page) == (False, False)

    play(tmp_path, scenario)
