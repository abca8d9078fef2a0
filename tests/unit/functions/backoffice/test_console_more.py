"""The console's people save what they look at, see what vendors cost, and play with simulated doors."""

import asyncio
import html
import re
from dataclasses import replace

from infra.local.sample.load import WINGS, add_wings, read_sample
from shared.domain.ids import UserId
from shared.domain.kinds import VendorCode
from shared.domain.permissions import Role
from shared.ledger.vendor_price import MILLION, VendorPrice
from shared.runtime.platform import bind
from tests.support.sample_hotel import CONTROL, DOORS, SILK, play
from tests.unit.functions.backoffice.test_console import AUTHOR, STRANGE, Browser, check
from tests.workflows.residues.test_locks_compared import stranger

CLEANERS = "905173"
"""A code that the vendor's own app put at a lock: what we make is typed by guests, and by no browser."""


def views_in(page):
    """Return where the saved views of a page's head lead."""
    (nav,) = re.findall(r'<nav aria-label="My views"><ul>(.*?)</ul></nav>', page) or [""]
    return [html.unescape(each) for each in re.findall(r'href="/backoffice-console/([^"]+)"', nav)]


def test_a_view_is_saved_under_a_name_led_to_from_every_page_and_forgotten(tmp_path):
    async def scenario(house):
        clerk = Browser(house.on)
        await clerk.sign_in()
        page = check(await clerk.go("stay?property=ppt_kabul&id=rsv_1&only=failed&evil=1"))
        assert views_in(page) == []
        asked = "property=ppt_kabul&id=rsv_1&only=failed"
        for form in ({"name": "Mine"}, {"name": STRANGE}, {"name": "Mine"}):
            saved = await clerk.go("views", {"screen": "attempts", "asked": asked + "&evil=1", **form})
            assert "Views kept." in check(saved)
        assert views_in(check(await clerk.go("arrivals"))) == [f"attempts?{asked}"] * 2
        other = Browser(house.on)
        other.badge = replace(other.badge, user=UserId("usr_2"))
        await other.sign_in()
        assert views_in(check(await other.go("arrivals"))) == []
        assert "Views kept." in check(await clerk.go("views", {"id": "Mine"}))
        assert (await clerk.go("views", {"id": "Mine"})).status == 404
        for name, screen in (("", "stay"), ("x" * 61, "stay"), ("n", "nothing"), ("n", "x" * 10_000)):
            assert (await clerk.go("views", {"name": name, "screen": screen})).status == 409
        for number in range(19):
            await clerk.go("views", {"name": f"n{number}", "screen": "sagas"})
        assert (await clerk.go("views", {"name": "one too many", "screen": "doors"})).status == 409
        assert len(views_in(check(await clerk.go("arrivals")))) == 20

        less = Browser(house.on, roles=(Role.FRONT_DESK,))  # the same person, whose roles hold less by now
        await less.sign_in()
        assert len(views_in(check(await less.go("arrivals")))) == 1  # of what is no screen of theirs, none
        assert check(await less.go("views")).count('name="id"') == 20
        assert "Views kept." in check(await less.go("views", {"id": "n7"}))

    play(tmp_path, scenario)


def test_what_a_vendor_did_in_a_month_is_shown_with_its_cost_to_those_who_may_know(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await house.settled()
        manager = Browser(house.on)
        await manager.sign_in()
        unpriced = check(await manager.go("costs"))
        assert "No price said for:" in unpriced
        store = house.fleet.platform.documents.tenant(SILK)
        price = VendorPrice(
            vendor=VendorCode("ttlock"), currency="EUR", issue=MILLION // 50, lock_month=MILLION
        )
        await price.saved(store)
        shown = check(await manager.go("costs?month=2026-03"))
        assert "5.02 EUR" in shown  # one key, and five locks for a month
        assert "100.0 %" in shown
        assert "<svg" in shown
        assert "EUR" not in check(await manager.go("costs?month=2026-02")).replace("5.00 EUR", "")
        assert (await manager.go("costs?month=soon")).status == 404
        maid = Browser(house.on, roles=(Role.HOUSEKEEPER,))
        await maid.sign_in()
        assert (await maid.go("costs")).status == 403

    play(tmp_path, scenario)


async def assert_played(clerk, pin):
    """Check that a door is tried, with what opens it and with what does not, and that a lock can be lost."""
    door = DOORS["101"]
    assert "Stayed shut" in check(await clerk.go("sandbox", {"id": door, "pin": "00000000"}))
    assert "Opened" in check(await clerk.go("sandbox", {"id": door, "pin": pin, "card": ""}))
    assert "Asked for" in check(await clerk.go("sandbox", {"id": door, "verb": "disconnect"}))
    assert "Offline" in check(await clerk.go("sandbox"))
    assert "Asked for" in check(await clerk.go("sandbox", {"id": door, "verb": "connect"}))
    for verb in ("hub-disconnect", "hub-connect", "next-encode-fails", "recover"):
        assert (await clerk.go("sandbox", {"id": door, "verb": verb})).status == 200, verb
    for wrong in ({"verb": "explode"}, {"verb": "battery"}, {}, {"pin": "1", "card": "2"}):
        assert (await clerk.go("sandbox", {"id": door, **wrong})).status == 409
    assert (await clerk.go("sandbox", {"id": "77", "pin": pin})).status == 404


def test_simulated_doors_are_played_with_in_a_sandbox_and_nowhere_else(tmp_path):
    async def scenario(house):
        house.fleet.config.home.joinpath("simulator.token").write_text(CONTROL)
        await house.publish("evt_1", validFrom="2026-03-01T10:00:00Z")
        await asyncio.sleep(3600 + 600)
        (key,) = await house.keys_at("101")
        clerk = Browser(house.on)
        await clerk.sign_in()
        shown = check(await clerk.go("sandbox"))
        assert all(f'value="{each}"' in shown for each in ("disconnect", "hub-busy", "outage", "recover"))
        assert key["code"] not in shown
        stranger(house, "101", code=CLEANERS)
        await assert_played(clerk, CLEANERS)

    play(tmp_path, scenario)


def test_simulated_doors_bear_their_names_beside_wings_whose_vendors_number_locks_alike(tmp_path):
    async def scenario(house):
        house.fleet.config.home.joinpath("simulator.token").write_text(CONTROL)
        await add_wings(read_sample(WINGS), house.fleet.platform.documents)
        clerk = Browser(house.on)
        await clerk.sign_in()
        shown = check(await clerk.go("sandbox"))
        assert "Room 101" in shown
        assert not any(f"Room {wing}" in shown for wing in (301, 401))

    play(tmp_path, scenario)


def test_a_fleet_without_simulated_doors_has_no_such_screen(tmp_path):
    async def scenario(house):
        bind(replace(house.fleet.platform, sandbox=False))
        clerk = Browser(house.on)
        assert "/sandbox?" not in check(await clerk.sign_in())
        assert (await clerk.go("sandbox")).status == 404
        assert (await clerk.go("sandbox", {"id": DOORS["101"], "pin": "1234"})).status == 404

    play(tmp_path, scenario)


def test_a_key_is_made_anew_from_one_of_its_ways_by_whoever_steers_sagas(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await house.settled()
        ((key, _),) = (await house.documents("credentials")).items()
        guard = Browser(house.on, roles=(Role.SECURITY,))
        await guard.sign_in()
        assert "Begin anew" not in check(await guard.go(f"sagas?id={key}"))
        assert (await guard.go("sagas", {"id": key, "step": "0"})).status == 403
        manager = Browser(house.on)
        await manager.sign_in()
        assert "Begin anew" in check(await manager.go(f"sagas?id={key}"))
        for step in ("9", "-1", "x" * 9):
            assert "Asked for" in check(await manager.go("sagas", {"id": key, "step": step}))
        await asyncio.sleep(30)
        assert (await house.documents("credentials")).keys() == {key}
        for _ in range(2):
            await manager.go("sagas", {"id": key, "step": "0"})
        await asyncio.sleep(60)
        kept = await house.documents("credentials")
        assert len(kept) == 2
        (there,) = await house.keys_at("101")
        assert there["name"]

    play(tmp_path, scenario)


def test_a_job_that_is_under_way_is_followed_by_whoever_asks_and_until_it_is_over(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await house.keys_active(1)
        boss = Browser(house.on, roles=AUTHOR)
        await boss.sign_in()
        still = await boss.go("bulk")
        assert ("refresh" in still.headers, "Follow it" in check(still)) == (False, False)
        await house.fault("http_500", "keyboardPwd/delete")
        order = {"tenant": str(SILK), "property": "ppt_kabul", "reason": "security", "by": "usr_gm"}
        assert (await house.on.send("begin-bulk", order, caller="operator"))[0] == 200
        await asyncio.sleep(5)
        asked = await boss.go("bulk")
        page = check(asked)
        assert "refresh" not in asked.headers
        (link,) = re.findall(r'href="/backoffice-console/([^"]+)">Follow it', page)
        followed = await boss.go(html.unescape(link))
        assert followed.headers["refresh"] == "5"
        assert "Stop following" in check(followed)
        (stop,) = re.findall(r'href="/backoffice-console/([^"]+)">Stop following', check(followed))
        assert "refresh" not in (await boss.go(html.unescape(stop))).headers
        await house.mend()
        await asyncio.sleep(1800)
        over = await boss.go(html.unescape(link))
        assert ("refresh" in over.headers, "following" in check(over)) == (False, False)

    play(tmp_path, scenario)
