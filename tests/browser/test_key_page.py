"""The key page in a browser, without the rest of the fleet: all that a page of keys may have."""

import sys

import pytest

from infra.local.host.functions import host_function
from shared.domain.kinds import WalletName
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.key_page import KeyOnPage, Stationery, keys_page, sign_in_page
from shared.messages.locales import Locale
from shared.messages.square import square_svg
from shared.runtime.pages import READING, Page, page
from shared.runtime.platform import Deployed
from tests.browser.browsing import TELEPHONE, browsing
from tests.support.served import served

HERE = sys.modules[__name__]
NAME, PIN = "shown-page", "48217930"


@page()
async def shown_page(visit, on):
    """Show the sign-in, and after its form every part that a page of keys may have."""
    locale = Locale(visit.incoming.path.strip("/"))
    paper = Stationery(locale, visit.nonce, "Kabul Palace", "+93 20 210 0000")
    if visit.incoming.method in READING:
        return Page(sign_in_page(paper, asks=True, refused=False))
    now = on.clock.now()
    window, doors = StayWindow(now, now.replace(year=now.year + 1), "Asia/Kabul"), ("Room 204", "Gym")
    more = {"wallets": tuple(WalletName), "trouble": "early", "renewable": True}
    code = KeyOnPage("key_1", "code", doors, window, Secret(PIN), **more)
    square = KeyOnPage("key_2", "qr", doors, window, square=square_svg("key_2"))
    return Page(keys_page(paper, [code, square]))


def _functions(base):
    return {NAME: host_function(Deployed(NAME, f"{base}/{NAME}", public=True), HERE, "shown_page")}


async def _read(seen, house, locale):
    await seen.tab.goto(f"{house.url}/{NAME}/{locale.value}")
    await seen.check()
    await seen.reach("#proof")
    await seen.tab.keyboard.type("5121")
    await seen.press("button[value=show]")
    await seen.check()
    assert await seen.tab.locator(".pin").inner_text() == "4821 7930"
    assert await seen.tab.evaluate("document.documentElement.dir") == locale.direction
    assert await seen.runs_from_left_to_right(".pin, .number, dd")


@pytest.mark.parametrize(
    "locale", [pytest.param(each, marks=() if each is Locale.PS else pytest.mark.soak) for each in Locale]
)
async def test_every_part_of_the_page_is_within_everybodys_reach(tmp_path, locale):
    async with (
        browsing(tmp_path) as browser,
        served(tmp_path / "fleet", _functions) as house,
        browser.tab(locale.value, size=TELEPHONE) as seen,
    ):
        await _read(seen, house, locale)
        await seen.picture(f"parts-{locale.value}")
