"""The operations console in a browser: each screen in each language, and a day's work by keys alone."""

import pytest

from functions.backoffice.console_screens import SCREENS
from infra.cli.demo.doors import DELETING, OFFLINE
from infra.cli.demo.play import staged
from infra.cli.demo.stay import TENANT, Stay
from infra.cli.polling import Patience
from infra.cli.token import minted
from shared.domain.permissions import Role
from shared.messages.locales import Locale
from tests.browser.browsing import awaited, browsing

ALL = [Role.GM, Role.SECURITY, Role.TENANT_ADMIN]
KABUL = 'nav a:has-text("Silk Road Kabul")'
STAY, LEAVING = "rsv_seen", "rsv_leaving"


def opened(stage):
    """Start all; one stay has its key, another has ended and its door does not let go."""
    for each in (stage.vendor, stage.fleet):
        each.start()
    for each in (stage.vendor, stage.fleet):
        each.serves()
    stays = [
        Stay(name, stage.stay.booked, (room,)) for name, room in ((STAY, "rmu_101"), (LEAVING, "rmu_203"))
    ]
    for each in stays:
        stage.publish(each.confirmed())
    for each in stays:
        awaited(
            stage, lambda each=each: [key for key in stage.keys_of(each) if key["state"] == "active"] or None
        )
    stage.doors.trouble(DELETING, OFFLINE)
    stage.publish(stays[1].ended("checked_out", stage.patience.clock.now()))
    awaited(stage, lambda: [key for key in stage.keys_of(stays[1]) if key["state"] == "revoked"] or None)
    return f"{stage.desk.at.base_url}/backoffice-console"


async def signed_in(seen, base, stage, roles, language):
    """Choose a language and sign in, by keyboard alone."""
    await seen.tab.goto(base)
    await seen.press(f'button[name=l][value="{language}"]')
    await seen.check()
    await seen.reach("#token")
    await seen.tab.keyboard.insert_text(minted(stage.desk.at, TENANT, "usr_1", roles, ["*"]))
    answer = await seen.press('form[action$="/sign-in"] button')
    assert answer.ok, (answer.status, await seen.tab.locator("body").inner_text())
    assert await seen.tab.locator("#token").count() == 0, await seen.tab.locator("main").inner_text()


def addresses(stage, door):
    """Return each screen as it is found, and those that are asked for one thing."""
    (key,) = stage.keys_of(Stay(LEAVING, stage.stay.booked))
    asked = (f"stay?id={STAY}", f"explain?id={STAY}", f"doors?door={door}", f"sagas?id={key['id']}")
    return (*SCREENS, *asked)


async def every_screen(browser, base, stage, language):
    """Look at every screen in one language."""
    async with browser.tab(language) as seen:
        await signed_in(seen, base, stage, ALL, language)
        await seen.tab.goto(f"{base}/doors?property=ppt_kabul")
        assert await seen.tab.locator("main li a").count(), await seen.tab.locator("body").inner_text()
        door = (await seen.tab.locator("main li a").first.get_attribute("href")).rpartition("door=")[2]
        for address in addresses(stage, door):
            await seen.tab.goto(f"{base}/{address}{'&' if '?' in address else '?'}property=ppt_kabul")
            await seen.check()
            await seen.picture(f"console-{language}-{address.partition('?id=rsv')[0].partition('?')[0]}")


async def a_clerks_day(browser, base, stage):
    """A guest stands at the desk: find the stay, see why a door may refuse, and who can open it."""
    async with browser.tab() as seen:
        await signed_in(seen, base, stage, [Role.FRONT_DESK], "en")
        await seen.press(KABUL)
        assert STAY in await seen.tab.locator("main td").first.inner_text()
        await seen.reach("#id")
        await seen.tab.keyboard.type(STAY)
        await seen.press('main form[action$="/stay"] button')
        assert "Room 101" in await seen.tab.locator("main").inner_text()
        await seen.press('main a[href*="/explain?"]')
        assert "Tell the guest" in await seen.tab.locator("main").inner_text()
        await seen.press('nav a[href*="/doors?"]')
        await seen.press('main li:has-text("Room 101") a')
        assert STAY in await seen.tab.locator("main").inner_text()
        await seen.press('footer form[action*="/sign-out"] button')
        assert await seen.tab.locator("#token").count() == 1


async def an_engineers_night(browser, base, stage):
    """A door does not let go: see what lies there and why, mend the line, ask again, and see it gone."""
    async with browser.tab() as seen:
        await signed_in(seen, base, stage, ALL, "en")
        await seen.press(KABUL)
        await seen.press('nav a[href*="/residues?"]')
        await seen.check()
        assert "Room 203" in await seen.tab.locator("main").inner_text()
        await seen.picture("console-residues")
        await seen.press('nav a[href*="/sagas?"]')
        await seen.press('main td a[href*="/sagas?"]')
        assert "Step by step" in await seen.tab.locator("main").inner_text()
        stage.doors.mend()
        await seen.press('main form[action*="/sagas"] button')
        assert await seen.tab.locator("[role=status]").count() == 1
        awaited(stage, lambda: "Room 203" not in stage.doors.holding() or None)
        for screen in ("residues", "vendors", "letters", "audit"):
            await seen.press(f'nav a[href*="/{screen}?"]')
            assert "Room 203" not in await seen.tab.locator("main").inner_text()


@pytest.mark.soak
async def test_each_screen_is_within_everybodys_reach_and_a_days_work_is_done_by_keys_alone(tmp_path):
    with staged(Patience()) as stage:
        base = opened(stage)
        async with browsing(tmp_path) as browser:
            for locale in Locale:
                await every_screen(browser, base, stage, locale.value)
            await a_clerks_day(browser, base, stage)
            await an_engineers_night(browser, base, stage)
