"""One browser for a while: what it asks for and complains of is noted, and axe judges what it shows."""

import os
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.async_api import async_playwright

from tests.browser.installed import FLAGS, axe_source, browser_path

RULES = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]
PICTURES = "KEYFLEET_PICTURES"
"""Names, in the environment, the folder in which the pictures of the documentation are made anew."""
SHOWN = ("key-ps", "key-fa-AF", "key-en", "desk-ar", "desk-alone", "console-fa-AF-ahead")
"""Those pictures, as infra/docs/screens.md shows them."""
PATIENCE = 120.0
"""Seconds: a machine on which much runs at once is slow, and no fault of the page."""
TELEPHONE = {"width": 390, "height": 760}
DESKTOP = {"width": 1100, "height": 760}
_FOUND = """async rules => (await axe.run(document, {runOnly: rules})).violations.map(
    each => [each.id, each.nodes.map(node => [node.target.join(' '), node.failureSummary])])"""


# Numbers as they are drawn: each digit of a run lies to the right of the one before it, if on the same line.
RUNS = """chosen => [...document.querySelectorAll(chosen)].flatMap(element => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), wrong = [];
    for (let node; node = walker.nextNode();)
        for (const found of node.data.matchAll(/[0-9][0-9 :-]*[0-9]/g)) {
            let last = null;
            for (let at = found.index; at < found.index + found[0].length; at++) {
                const range = document.createRange();
                range.setStart(node, at); range.setEnd(node, at + 1);
                const box = range.getBoundingClientRect();
                if (last && box.width && Math.abs(box.top - last.top) < 2 && box.left < last.left)
                    wrong.push(found[0]);
                if (box.width) last = box;
            }
        }
    return wrong;
})"""


def awaited(stage, look):
    """Return what a look at the stage finds, however busy the machine is."""
    return stage.patience.until(look, PATIENCE)


class Seen:
    """A tab, and what was noted of it."""

    def __init__(self, tab, folder):
        self.tab, self.folder = tab, folder
        self.asked, self.complaints, self.presses = [], [], 0
        tab.on("request", lambda request: self.asked.append(request.url))
        tab.on("console", lambda said: self.complaints.append(said.text))
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))

    @property
    def strangers(self):
        """Return whom the page asked for something, but for its own host."""
        own = urlsplit(self.tab.url).netloc
        return {each for each in self.asked if urlsplit(each).netloc not in (own, "")}

    async def check(self, refusals=0):
        """Hold the page to what holds of all: nothing is in anybody's way, and nobody else was asked."""
        await self.tab.evaluate(axe_source())
        violations = await self.tab.evaluate(_FOUND, RULES)
        assert violations == [], (self.tab.url, violations)
        told = [each for each in self.complaints if "the server responded with a status of 4" not in each]
        assert (self.strangers, told) == (set(), [])
        assert len(self.complaints) <= refusals

    async def runs_from_left_to_right(self, chosen):
        """Say whether every number in these elements is drawn as it is read."""
        return await self.tab.evaluate(RUNS, chosen) == []

    async def reach(self, selector, presses=80):
        """Move to an element by the tabulator alone."""
        for _ in range(presses):
            if await self.tab.locator(f"{selector}:focus").count():
                return
            await self.tab.keyboard.press("Tab")
        raise AssertionError(f"no way leads to {selector} by keyboard at {self.tab.url}")

    async def press(self, selector):
        """Press a button or follow a link by keyboard alone, and return what answered it."""
        await self.reach(selector)
        self.presses += 1
        async with self.tab.expect_navigation() as led:
            await self.tab.keyboard.press("Enter")
        return await led.value

    async def picture(self, name):
        """Take a picture; those of the documentation go where they are made anew."""
        kept = name in SHOWN and PICTURES in os.environ
        folder = Path(os.environ[PICTURES]) if kept else self.folder
        await self.tab.screenshot(path=folder / f"{name}.png", full_page=not kept)


class Browsing:
    """A browser, which opens a tab as somebody new each time."""

    def __init__(self, browser, folder):
        self._browser, self._folder = browser, folder

    @asynccontextmanager
    async def tab(self, language="en", *, scripts=True, size=DESKTOP):
        """Open a tab, as somebody who reads this language."""
        context = await self._browser.new_context(
            viewport=size, java_script_enabled=scripts, locale=language, reduced_motion="reduce"
        )
        context.set_default_timeout(PATIENCE * 1000)
        try:
            yield Seen(await context.new_page(), self._folder)
        finally:
            await context.close()


@asynccontextmanager
async def browsing(folder):
    """Start a browser for a while."""
    path = browser_path()
    async with async_playwright() as playing:
        browser = await playing.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        try:
            yield Browsing(browser, folder)
        finally:
            await browser.close()
