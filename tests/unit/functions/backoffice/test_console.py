"""The console shows each hotel to those who work there, in five languages, and runs no script."""

import asyncio
import re
from datetime import timedelta
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest

from functions.backoffice.console_causes import CAUSES
from functions.backoffice.console_screens import SCREENS
from functions.backoffice.console_words import WORDS
from functions.backoffice.screens.doors import MOST_TRIED
from infra.local.people import Badge
from shared.domain.ids import LockDeviceId, PropertyId, TenantId, UserId
from shared.domain.permissions import RULES, Role
from shared.ledger.anomaly import Anomaly, AnomalyKind
from shared.ports.bus import Message
from shared.queries.door_refusal import ORDER as REFUSALS
from shared.vendor_kit.http import Call
from tests.support.backoffice_desk import hear
from tests.support.sample_hotel import message, play

STRANGE = '<script>alert(1)</script>"\u202e'
AUTHOR = (Role.GM, Role.SECURITY, Role.TENANT_ADMIN)
SILK, KABUL = TenantId("tnt_silk"), PropertyId("ppt_kabul")


class Browser:
    """A browser without scripts: it follows where it is sent, and keeps cookies."""

    def __init__(self, on, roles=AUTHOR, at=None, language="en"):
        self.on, self.base = on, on.fleet.config.base_url
        self.badge = Badge(SILK, UserId("usr_1"), frozenset(roles), at)
        self.cookies, self.language = {}, language

    async def go(self, path, form=None, origin=None):
        """Ask for a page, and follow once."""
        headers = {
            "cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "accept-language": self.language,
            "host": self.base.rpartition("/")[2],
        }
        body, method = b"", "GET"
        if form is not None:
            method, body = "POST", urlencode(form).encode()
            headers |= {"content-type": "application/x-www-form-urlencoded", "origin": origin or self.base}
        call = Call(method, f"{self.base}/backoffice-console/{path}", headers, body, timeout=60)
        answer = await self.on.fleet.means.transport.send(call)
        if said := answer.headers.get("set-cookie"):
            name, _, value = said.partition(";")[0].partition("=")
            self.cookies[name] = value
            assert {"HttpOnly", "SameSite=Strict"} <= {each.strip() for each in said.split(";")}
        if answer.status == 303:
            return await self.go(answer.headers["location"].rpartition("/")[2])
        return answer

    async def sign_in(self):
        """Sign in with a token of the fleet's own issuer."""
        return await self.go("sign-in", {"token": self.on.fleet.people.token(self.badge, self.base)})


class Checked(HTMLParser):
    """A page as a reader of markup sees it: what is open is closed, and nothing runs."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids = [], [], []
        self.feed(text)
        assert self.open == [], self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        names = dict(attrs)
        assert not any(name.startswith("on") or name == "style" for name in names), attrs
        self.ids += [names["id"]] if "id" in names else []
        if tag not in {"meta", "input", "link", "!doctype"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check(answer, locale="en"):
    """Check what holds of every page."""
    text, policy = answer.body.decode(), answer.headers["content-security-policy"]
    page = Checked(text)
    assert "script" not in page.tags
    assert page.tags.count("h1") == page.tags.count("main") == 1
    assert len(page.ids) == len(set(page.ids))
    assert f'<html lang="{locale}"' in text
    (nonce,) = re.findall(r'<style nonce="([^"]+)">', text)
    assert f"style-src 'nonce-{nonce}'" in policy
    assert "default-src 'none'" in policy
    assert "http://" not in text
    assert "https://" not in text
    assert answer.headers["cache-control"] == "no-store"
    return text


def test_every_word_is_said_in_every_language():
    for words in WORDS.values():
        assert words.keys() == WORDS["en"].keys()
        assert all(words.values())
    for screen in SCREENS:
        assert screen in WORDS["en"]


def test_no_state_reads_as_a_sentence_and_a_moment_not_as_an_end():
    for words in WORDS.values():
        assert words["refused"] != words["not_let_in"]
        assert words["as_of"] != words["until"]


def test_each_cause_and_what_a_desk_does_about_it_is_said_in_every_language_and_names_no_command():
    assert set(CAUSES) == set(REFUSALS)
    for said in CAUSES.values():
        assert set(said) == set(WORDS)
        assert all(why and remedy and "keyfleet" not in remedy for why, remedy in said.values())
        assert len(set(said.values())) == len(WORDS)


async def assert_seen_whole(browser, door):
    """Check that a stay, why its door may refuse, and the hotel's locks and vendors are shown."""
    stay = check(await browser.go("stay?id=rsv_1"))
    assert all(each in stay for each in ("credential.issued", "At the lock", "In the log", "Tried doors"))
    assert "credential.issued" not in check(await browser.go("stay?id=rsv_1&only=failed"))
    assert re.search(r'title="grt_\w+"><bdi dir="ltr">\w{6}<', stay)
    assert "<span>published</span>" not in stay
    assert "Tell the guest" in check(await browser.go("explain?id=rsv_1"))
    assert "rsv_1" in check(await browser.go("explain?id=101"))
    assert "rsv_1" in check(await browser.go("ahead"))
    assert '<span title="ppt_kabul">' in stay
    assert re.search(r'title="[-0-9]+ [:0-9]+ UTC">[-0-9]+ [:0-9]+ \+04:30</time>', stay)
    assert " UTC</time>" not in stay
    locks = check(await browser.go("locks"))
    assert f"door={door}" in locks
    assert "Never proven" in locks
    assert "Answers" in check(await browser.go("vendors"))


async def assert_odd_here(house, browser, door):
    """Check that what is odd at this hotel is shown, however much is at another."""
    at, other = house.on.fleet.platform.clock.now(), PropertyId("ppt_herat")
    told = {"kind": AnomalyKind.REPEATED_DENIALS, "device_id": LockDeviceId(door), "facts": ()}
    here = Anomaly(id="odd", property_id=KABUL, at=at, said="somebody tries Kabul", **told)
    elsewhere = [
        Anomaly(id=f"odd{each}", property_id=other, at=at + timedelta(seconds=each), said="Herat", **told)
        for each in range(1, MOST_TRIED + 1)
    ]
    await house.fleet.platform.documents.tenant(SILK).commit([each.write() for each in (here, *elsewhere)])
    odd = check(await browser.go("attempts"))
    assert ("somebody tries Kabul" in odd, "Herat" in odd) == (True, False)


async def assert_no_secret_in_any_language(browser, door, pin):
    """Check each screen in each language: which way it runs, and that it shows nothing that opens a door."""
    for locale in WORDS:
        await browser.go("language", {"l": locale})
        for screen in (*SCREENS, "stay?id=rsv_1", "explain?id=rsv_1", f"doors?door={door}"):
            answer = await browser.go(screen)
            assert answer.status == 200, screen
            text = check(answer, locale)
            assert f'dir="{locale.direction}"' in text
            assert pin not in text
            assert "tk_" not in text


def test_staff_look_at_a_stay_its_door_and_its_end_in_five_languages(tmp_path):
    async def scenario(house):
        on = house.on
        browser = Browser(on)
        assert "token" in check(await browser.go("arrivals"))
        check(await browser.sign_in())
        await house.publish("evt_1", validFrom="2026-03-01T10:00:00Z")
        await asyncio.sleep(10)
        arrivals = check(await browser.go("arrivals"))
        assert "rsv_1" in arrivals
        assert "Ready" in arrivals
        doors = check(await browser.go("doors"))
        (door,) = re.findall(r"door=(lck_\w+)[^>]*><bdi[^>]*>[^<]*101", doors)
        assert "Opens later" in check(await browser.go(f"doors?door={door}"))
        await asyncio.sleep(3600 + 60)
        assert "Opens now" in check(await browser.go(f"doors?door={door}"))
        await assert_seen_whole(browser, door)
        await assert_odd_here(house, browser, door)
        (pin,) = {each["code"] for each in await house.keys_at("101")}
        await assert_no_secret_in_any_language(browser, door, pin)
        assert "ERROR" not in on.log.getvalue()

    play(tmp_path, scenario)


async def assert_steered(house, browser):
    """Check that work is seen step by step and hurried, and that what lies at a lock is not closed unseen."""
    (key,) = set(re.findall(r"sagas\?property=ppt_kabul&amp;id=(key_\w+)", check(await browser.go("sagas"))))
    whole = check(await browser.go(f"sagas?id={key}"))
    assert "Step by step" in whole
    assert "step" in whole.lower()
    assert (await browser.go("sagas?id=key_01KSAMP1E00000000000000001")).status == 404
    assert (await browser.go("residues", {"id": "grt_01KSAMP1E00000000000000001"})).status == 404
    assert (await browser.go("residues", {"id": "nothing"})).status == 404
    grants = house.fleet.means.engine.read("SELECT id FROM packed WHERE collection = 'grants'", ())
    assert (await browser.go("residues", {"id": grants[0][0]})).status == 409  # its saga still asks
    await house.mend()
    assert "Asked for" in check(await browser.go("sagas", {"id": key}))
    await asyncio.sleep(10)
    assert "rsv_1" not in check(await browser.go("residues"))


async def assert_replayed(browser, name):
    """Check that a message is replayed for whoever signed in lately, and only where messages are."""
    assert "Asked for" in check(await browser.go("letters", {"id": name}))
    await asyncio.sleep(5)
    assert f'value="{name}"' not in check(await browser.go("letters"))  # set aside again, by another name
    assert (await browser.go("letters", {"id": "404"})).status == 404
    assert (await browser.go("audit", {"id": name})).status == 404
    await asyncio.sleep(400)
    again = await browser.go("letters", {"id": name})
    assert (again.status, "fresh" in check(again)) == (401, True)


def test_residues_and_sagas_and_messages_set_aside_are_seen_and_set_right(tmp_path):
    async def scenario(house):
        browser = Browser(house.on)
        await browser.sign_in()
        await house.publish("evt_1")
        await asyncio.sleep(10)
        await house.fault("http_500", "keyboardPwd/delete")
        await house.publish("evt_2", "checked_out", time="2026-03-01T10:00:00Z")
        await asyncio.sleep(120)
        residues = check(await browser.go("residues"))
        assert "rsv_1" in residues
        await assert_steered(house, browser)
        bad = message("evt_3", reservationId="rsv_2", propertyId="ppt_nowhere")
        topic = "melmastoon.reservation.booking.confirmed.v1"
        await house.fleet.bus.publish(topic, [Message(bad.data)])
        await asyncio.sleep(5)
        letters = check(await browser.go("letters"))
        (name,) = re.findall(r'name="id" value="([^"]+)"', letters)
        assert "rsv_2" in letters
        await assert_replayed(browser, name)

    play(tmp_path, scenario)


def test_strangers_see_nothing(tmp_path):
    async def scenario(house):
        on = house.on
        await house.publish("evt_1")
        maid = Browser(on, roles=(Role.HOUSEKEEPER,), at=frozenset({KABUL}))
        await maid.sign_in()
        for screen in ("doors", "residues", "sagas", "letters", "stay?id=rsv_1"):
            answer = await maid.go(screen)
            assert answer.status == 403, screen
            assert "rsv_1" not in check(answer)
        assert (await maid.go("nothing")).status == 404
        elsewhere = Browser(on, at=frozenset({PropertyId("ppt_herat")}))
        await elsewhere.sign_in()
        assert (await elsewhere.go("arrivals")).status == 404
        assert (await elsewhere.go("stay?id=rsv_1")).status == 404
        assert (await elsewhere.go("arrivals?property=ppt_kabul")).status == 404

    play(tmp_path, scenario)


def test_each_role_sees_the_screens_that_it_holds_and_finds_no_way_to_the_others(tmp_path):
    async def scenario(house):
        for role in Role:
            browser = Browser(house.on, roles=(role,))
            nav = check(await browser.sign_in())
            held = {name for name, each in SCREENS.items() if role in RULES[each.permission].roles}
            assert "arrivals" in held
            for name, screen in SCREENS.items():
                answer = await browser.go(name)
                assert answer.status == (200 if name in held else 403), (role, name)
                assert (f"/{name}?property=" in nav) == (name in held), (role, name)
                status = (await browser.go(name, {"id": "key_01KSAMP1E00000000000000001"})).status
                changes = screen.changes is not None and role in RULES[screen.changes].roles
                assert status == (404 if name in held and (changes or not screen.changes) else 403), (
                    role,
                    name,
                )

    play(tmp_path, scenario)


def test_a_visit_is_its_cookies_and_ends_and_what_strangers_write_is_shown_as_text(tmp_path):
    async def scenario(house):
        clerk = Browser(house.on)
        assert (await clerk.go("sign-in", {"token": STRANGE})).status == 401
        await clerk.sign_in()
        assert "<script" not in check(await clerk.go("stay?" + urlencode({"id": STRANGE})))
        assert (await clerk.go("sign-out", {}, origin="http://evil.example")).status == 403
        stolen = dict(clerk.cookies)
        await clerk.go("sign-out", {})
        clerk.cookies = stolen
        assert "token" in check(await clerk.go("arrivals"))
        clerk.cookies = {"console": "tnt_silk.a/../b.c"}
        assert "token" in check(await clerk.go("arrivals"))
        clerk.cookies = {}
        await clerk.sign_in()
        async with clerk.on.unscheduled():
            await asyncio.sleep(12 * 3600 + 60)
        assert "token" in check(await clerk.go("arrivals"))

    play(tmp_path, scenario)


ENDS_CONSOLES = {
    "melmastoon.iam.session.revoked.v1": {"userId": "usr_1"},
    "melmastoon.tenant.operator_role.updated.v1": {"userId": "usr_1", "roles": []},
}


@pytest.mark.parametrize("subject", ENDS_CONSOLES)
def test_a_console_is_over_when_its_person_is_signed_out_everywhere_or_has_other_roles(tmp_path, subject):
    async def scenario(house):
        browser = Browser(house)
        await browser.sign_in()
        assert (await browser.go("arrivals")).body.count(b'name="token"') == 0
        await asyncio.sleep(60)
        await hear(house, subject, "evt_9", ENDS_CONSOLES[subject])
        await asyncio.sleep(5)
        assert b'name="token"' in (await browser.go("arrivals")).body
        await browser.sign_in()
        assert b'name="token"' not in (await browser.go("arrivals")).body

    play(tmp_path, scenario)
