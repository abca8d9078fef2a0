"""A card for the guest's wallet: offered where the hotel does, of a key that works, without its code."""

import asyncio
import io
import zipfile

import orjson
import pytest

from functions.guest_keys.cards import account_of
from shared.domain.kinds import WalletName
from shared.domain.secret import Secret
from shared.messages.locales import Locale
from tests.support.guests import GUEST, SILK, Browser, issued, link_to, settle
from tests.support.sample_hotel import play
from tests.unit.shared.notify.test_wallet_cards import APPLE, GOOGLE

PHONE, BOTH = "5121", (WalletName.APPLE, WalletName.GOOGLE)


async def guest_of(house, **settings):
    """Have a stay booked at a hotel, and its guest signed in; return their browser, link and key."""
    await settle(house, **settings)
    await house.publish("evt_1", guest=GUEST)
    await asyncio.sleep(5)
    key, _ = await issued(house)
    browser = Browser(house)
    link = (await link_to(house, key)).reveal()
    _, _, page = await browser.post(link, proof=PHONE)
    return browser, link, key, page


async def opened(house, wallet, account):
    await house.fleet.platform.secrets.add(account_of(wallet, SILK), Secret(orjson.dumps(account)))


def told_in(raw):
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return orjson.loads(archive.read("pass.json"))


@pytest.mark.parametrize("holds", [False, True])
def test_a_card_leads_to_the_page_and_holds_the_code_only_where_the_hotel_says_so(tmp_path, holds):
    async def scenario(house):
        for wallet, account in zip(BOTH, (APPLE, GOOGLE), strict=True):
            await opened(house, wallet, account)
        browser, link, key, page = await guest_of(house, wallets=BOTH, code_on_cards=holds)
        (pin,) = {each["code"] for each in await house.keys_at("101")}
        assert page.count("Apple Wallet") == page.count("Google Wallet") == 1
        status, headers, _ = await browser.post(link, do="apple", key=key)
        assert (status, headers["content-type"]) == (200, "application/vnd.apple.pkpass")
        assert headers["content-disposition"] == 'attachment; filename="key.pkpass"'
        told = told_in(browser.raw)
        assert told["barcodes"][0]["message"].endswith(f"/guest-page/fa-AF/{key}")
        assert (pin in str(told).replace(" ", "")) is holds
        assert link not in str(told)
        for locale in Locale:
            _, _, page = await browser.post(link, locale.value, do="google", key=key)
            assert f'dir="{locale.direction}"' in page
            assert page.count("https://pay.google.com/gp/v/save/") == 1
        assert "pay.google.com" not in house.on.log.getvalue()

    play(tmp_path, scenario)


def test_no_card_is_had_where_none_is_offered_or_the_account_is_missing_or_of_another_key(tmp_path):
    async def scenario(house):
        browser, link, key, page = await guest_of(house, wallets=(WalletName.APPLE,))
        assert "Google Wallet" not in page
        for asked in (
            {"do": "google", "key": key},
            {"do": "apple", "key": "key_x"},
            {"do": "apple", "key": key},
        ):
            status, headers, again = await browser.post(link, **asked)
            assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
            assert "pay.google.com" not in again
        (failed,) = [each for each in house.logged("ERROR") if "card" in each["message"]]
        assert (failed["field"], failed["wallet"]) == ("no account", "apple")
        await opened(house, WalletName.APPLE, ["no", "account"])
        status, _, again = await browser.post(link, do="apple", key=key)
        assert (status, "Apple Wallet" in again) == (200, True)
        stranger = Browser(house)
        assert (await stranger.post(link, do="apple", key=key))[0] == 403

    play(tmp_path, scenario)
