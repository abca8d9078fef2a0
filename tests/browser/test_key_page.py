"""The key page in a real browser: no script, by keyboard alone, in five languages, asking nobody else."""

import sys
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from infra.local.host.functions import host_function
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.key_page import KeyOnPage, Stationery, keys_page, sign_in_page
from shared.messages.locales import Locale
from shared.runtime.pages import READING, Page, page
from shared.runtime.platform import Deployed
from tests.browser.installed import FLAGS, axe_source, browser_path
from tests.support.served import served

HERE = sys.modules[__name__]
NAME, PIN = "shown-page", "48217930"
RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]


@page()
async def shown_page(visit, on):
    """Show the sign-in, and after its form a key."""
    locale = Locale(visit.incoming.path.strip("/"))
    paper = Stationery(locale, visit.nonce, "Kabul Palace", "+93 20 210 0000")
    if visit.incoming.method in READING:
        return Page(sign_in_page(paper, asks=True, refused=False))
    now = on.clock.now()
    window = StayWindow(now, now.replace(year=now.year + 1), "Asia/Kabul")
    key = KeyOnPage("key_1", "code", ("Room 204", "Gym"), window, Secret(PIN))
    own = {"referrer-policy": "same-origin"}
    return Page(keys_page(paper, [key]), headers=own)


def _functions(base):
    return {NAME: host_function(Deployed(NAME, f"{base}/{NAME}", public=True), HERE, "shown_page")}


@asynccontextmanager
async def browsing(folder, *, scripts):
    """Open a browser for a while, and note what it asks for and complains of."""
    path = browser_path()
    from playwright.async_api import async_playwright

    async with async_playwright() as playing:
        context = await playing.chromium.launch_persistent_context(
            folder, executable_path=path, headless=True, args=FLAGS, java_script_enabled=scripts
        )
        tab = await context.new_page()
        seen = SimpleNamespace(tab=tab, asked=[], complaints=[])
        tab.on("request", lambda request: seen.asked.append(request.url))
        tab.on("console", lambda said: seen.complaints.append(said.text))
        tab.on("pageerror", lambda error: seen.complaints.append(str(error)))
        yield seen
        await context.close()


@pytest.mark.soak
@pytest.mark.parametrize("locale", Locale)
async def test_a_guest_without_script_and_mouse_reads_the_pin_in_order(tmp_path, locale):
    async with (
        served(tmp_path / "fleet", _functions) as house,
        browsing(tmp_path / "b", scripts=False) as seen,
    ):
        await seen.tab.goto(f"{house.url}/{NAME}/{locale.value}")
        for _ in range(10):
            await seen.tab.keyboard.press("Tab")
            if await seen.tab.locator("#proof:focus").count():
                break
        await seen.tab.keyboard.type("5121")
        await seen.tab.keyboard.press("Enter")
        shown = seen.tab.locator(".pin")
        assert await shown.inner_text() == "4821 7930"
        await seen.tab.screenshot(path=tmp_path / f"{locale.value}.png", full_page=True)
        assert all(url.startswith((house.url, "data:")) for url in seen.asked)
        assert seen.complaints == []


@pytest.mark.soak
@pytest.mark.parametrize("locale", Locale)
async def test_nothing_on_the_page_stands_in_the_way_of_anybody(tmp_path, locale):
    source = axe_source()
    async with (
        served(tmp_path / "fleet", _functions) as house,
        browsing(tmp_path / "b", scripts=True) as seen,
    ):
        await seen.tab.goto(f"{house.url}/{NAME}/{locale.value}")
        assert await seen.tab.evaluate("document.documentElement.dir") == locale.direction
        if source is not None:
            await seen.tab.evaluate(source)
            found = await seen.tab.evaluate(f"axe.run(document, {{runOnly: {RULES}}})")
            assert found["violations"] == []
