"""A code opens the console once, within five minutes, as whoever it was made for; it opens nothing else."""

import asyncio
import re

import pytest

from shared.domain.permissions import Role
from tests.support.backoffice_desk import KABUL, BackofficeDesk, hear
from tests.support.simulated import play
from tests.unit.functions.backoffice.test_backoffice import everything_kept
from tests.unit.functions.backoffice.test_console import Browser, check


async def made(on, **who):
    status, told = await BackofficeDesk(on, **who).ask("POST", "console-codes", {})
    assert status == 201
    return told


async def opened(on, code):
    """Give a code as the page's button does; return the browser that did, and whether it is in."""
    browser = Browser(on)
    await browser.go("sign-in", {"code": code})
    return browser, "console" in browser.cookies


def test_a_code_opens_the_console_once_as_whoever_it_was_made_for(tmp_path):
    async def scenario(on):
        told = await made(on, roles=(Role.FRONT_DESK,))
        browser = Browser(on)
        page = check(await browser.go(told["path"].partition("/")[2]))
        assert "<textarea" not in page
        (code,) = re.findall('name="code" value="([^"]+)"', page)
        assert (code, browser.cookies) == (told["code"], {})
        browser, is_in = await opened(on, code)
        assert is_in
        shown = check(await browser.go("arrivals"))
        assert "/audit?" not in shown  # a front desk's roles, not the author's
        assert (await opened(on, code))[1] is False
        secret = code.partition(".")[2]
        assert secret not in on.log.getvalue() + await everything_kept(on)

    play(tmp_path, scenario)


def test_of_two_who_give_a_code_at_once_one_is_let_in_and_nobody_after_its_time(tmp_path):
    async def scenario(on):
        code = (await made(on))["code"]
        both = await asyncio.gather(opened(on, code), opened(on, code))
        assert sorted(is_in for _, is_in in both) == [False, True]
        late = (await made(on))["code"]
        await asyncio.sleep(5 * 60 + 1)
        for wrong in (late, "", ".", "tnt_silk.", f"tnt_other.{late.partition('.')[2]}", "../x.y"):
            assert (await opened(on, wrong))[1] is False, wrong

    play(tmp_path, scenario)


@pytest.mark.parametrize("event", ["iam.session.revoked", "tenant.operator_role.updated"])
def test_what_was_ended_or_changed_since_opens_by_no_code_and_no_sign_in_from_before(tmp_path, event):
    async def scenario(on):
        before = (await made(on))["code"]
        browser = Browser(on)
        token = on.fleet.people.token(browser.badge, browser.base)
        await asyncio.sleep(1)
        await hear(on, f"melmastoon.{event}.v1", "evt_1", {"userId": "usr_1", "roles": []})
        await asyncio.sleep(5)
        assert (await opened(on, before))[1] is False
        await browser.go("sign-in", {"token": token})
        assert "console" not in browser.cookies
        assert (await opened(on, (await made(on))["code"]))[1]

    play(tmp_path, scenario)


def test_a_person_with_no_role_of_the_console_is_given_no_code(tmp_path):
    async def scenario(on):
        nobody = BackofficeDesk(on, roles=())
        assert (await nobody.ask("POST", "console-codes", {}))[0] == 403
        elsewhere = await made(on, at=frozenset({KABUL}))
        browser, is_in = await opened(on, elsewhere["code"])
        assert is_in
        assert (await browser.go("arrivals?property=ppt_herat")).status == 404

    play(tmp_path, scenario)
