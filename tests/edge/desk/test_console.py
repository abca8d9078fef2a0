"""The clerk's screen: from a room to its card in one press, with the network and without it."""

import asyncio
import re
from urllib.parse import urlencode

import pytest

from edge_agent.agent.front import Front
from edge_agent.agent.loop import AgentLoop
from edge_agent.console.app import Console
from edge_agent.console.desk_port import ClerkProblem
from edge_agent.console.words import LANGUAGES, words
from infra.simulators.key_cards.classic_card import ClassicCard
from tests.edge.desk.paired_desk import play_desk
from tests.edge.desk.test_alone_and_back import CLERK, PIN, booked, ledger_id, opened, pushed

HOST = "127.0.0.1:8600"
ORIGIN = {"origin": f"http://{HOST}"}


class Screen:
    """A browser at the desk, which takes what the console gives and reads it."""

    def __init__(self, desk):
        self.loop = AgentLoop(desk.agent, desk.entropy)
        self.front = Front(desk.agent, self.loop)
        self.app = Console(self.front, 8600, desk.clock, desk.entropy, "Asia/Kabul").app()
        self.cookies, self.page, self.headers = {}, "", {}

    async def _asked(self, method, path, form=None, headers=None):
        body = urlencode(form or {}).encode()
        told = {
            "host": HOST,
            "cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items()),
            **(headers or {}),
        }
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in told.items()],
        }
        said = []

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            said.append(message)

        await self.app(scope, receive, send)
        self.headers = {name.decode(): value.decode() for name, value in said[0]["headers"]}
        for name, value in said[0]["headers"]:
            if name == b"set-cookie":
                kept, _, rest = value.decode().partition("=")
                self.cookies[kept] = rest.partition(";")[0]
        self.page = said[1]["body"].decode()
        return said[0]["status"]

    async def look(self, path="/", **headers):
        return await self._asked("GET", path, headers=headers)

    async def press(self, path, **form):
        """Press a button of the page that is shown."""
        hidden = {name: self._hidden(name) for name in ("proof", "once")} if "proof" in self.page else {}
        return await self._asked("POST", path, {**hidden, **form}, ORIGIN)

    def _hidden(self, name):
        return re.search(f'name="{name}" value="([^"]*)"', self.page)[1]


async def signed_in(desk, user=CLERK, pin=PIN):
    screen = Screen(desk)
    await screen.look()
    await screen.press("/sign-in", user=user, pin=pin)
    await screen.look()
    return screen


async def active(desk):
    """Return the keys in use that the desk made alone."""
    return await desk.agent.parts.ledger.run(lambda it: it.keys_in("active"))


async def replaced_once_it_may_be(screen, desk):
    """Press for a lost card's replacement until there is an encoder, and a card on it; return that card."""
    first = await active(desk)
    desk.encoder.there = False
    await screen.press("/replace", reservation="rsv_2")
    assert (words("en")["no_device"] in screen.page, await active(desk)) == (True, first)
    desk.encoder.there, desk.encoder.device.card = True, None
    await screen.press("/replace", reservation="rsv_2")
    assert (words("en")["card_missing"] in screen.page, await active(desk)) == (True, [])
    other = desk.lay_down(ClassicCard(bytes.fromhex("0badcaff")))
    await screen.press("/replace", reservation="rsv_2")
    assert [key.core.replaces for key in await active(desk)] == [first[0].id]
    return other


async def pressed_again(desk, plastic):
    """Press once more after a crash: the stay's own card is issued already, and another is not asked for."""
    writes = plastic.writes
    await desk.die()
    screen = await signed_in(desk)
    for down in (False, True):
        desk.agent.reach.heard()
        desk.wire.down = down
        await screen.press("/issue", reservation="rsv_1")
        assert (words("en")["issued"] in screen.page, plastic.writes) == (True, writes)
    assert await active(desk) == []
    desk.wire.down = False
    desk.lay_down(ClassicCard(bytes.fromhex("0badcafe")))
    await screen.press("/issue", reservation="rsv_1")
    assert words("en")["no_job"] in screen.page


async def signed_in_after(house, desk):
    """Sign in once a guest is expected."""
    await booked(house, desk)
    return await signed_in(desk)


def test_a_clerk_issues_the_card_that_the_cloud_asks_for_and_reads_it(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        for _ in range(12):
            await asyncio.sleep(5)
            await desk.agent.post.pull()
        desk.agent.reach.heard()
        screen = await signed_in(desk)
        assert words("en")["waits"] in screen.page
        assert words("en")["offline"] not in screen.page
        await screen.press("/issue", reservation="rsv_1")
        assert words("en")["card_missing"] in screen.page.replace("&#39;", "'")
        plastic = desk.lay_down()
        await screen.press("/issue", reservation="rsv_1")
        assert (words("en")["issued"] in screen.page, plastic.writes > 0) == (True, True)
        await screen.press("/read")
        assert "Room 204" in screen.page
        await pressed_again(desk, plastic)

    play_desk(tmp_path, scenario)


def test_a_clerk_alone_issues_and_revokes_under_a_large_banner_and_the_cloud_hears_of_it(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        screen = await signed_in_after(house, desk)
        await house.publish("evt_2", "confirmed", reservationId="rsv_2", rooms=["rmu_204"], version=1,
                            guest={"id": "gst_2"}, paymentStatus="captured", preferredKinds=["rfid_card"],
                            validFrom="2026-03-01T08:00:00Z", validUntil="2026-03-02T20:00:00Z")  # fmt: skip
        await asyncio.sleep(30)
        await desk.agent.papers.fetch_arrivals()
        desk.wire.down = True
        screen.loop.problem = "the wire is pulled"
        await screen.look()
        assert all(words("en")[each] in screen.page for each in ("offline", "offline_can"))
        other = desk.lay_down(ClassicCard(bytes.fromhex("0badcafe")))
        await screen.press("/issue", reservation="rsv_2")
        assert (words("en")["issued"] in screen.page, other.writes > 0) == (True, True)
        other = await replaced_once_it_may_be(screen, desk)
        writes = other.writes
        await screen.look()
        await screen.press("/revoke", reservation="rsv_2")
        assert (words("en")["revoked"] in screen.page, other.writes > writes) == (True, True)
        assert await pushed(desk) >= 2

    play_desk(tmp_path, scenario)


def test_a_wire_that_is_pulled_while_a_card_is_issued_ends_in_a_card_made_alone(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        for _ in range(12):
            await asyncio.sleep(5)
            await desk.agent.post.pull()
        screen = await signed_in(desk)
        plastic = desk.lay_down()
        desk.agent.reach.heard()
        real = desk.wire.send

        async def pulled_at_the_step(call):
            desk.wire.down = desk.wire.down or call.url.endswith("/jobs/step")
            return await real(call)

        desk.wire.send = pulled_at_the_step
        await screen.press("/issue", reservation="rsv_1")
        assert (words("en")["issued"] in screen.page, plastic.writes > 0) == (True, True)
        (key,) = await active(desk)
        writes = plastic.writes
        desk.wire.send = real
        assert await pushed(desk) == 1
        await desk.agent.post.pull()
        await asyncio.sleep(10)
        assert [each["state"]["type"] for each in await house.keys()] == ["active"]
        assert (await house.keys())[0]["core"]["id"] == await ledger_id(desk, key)
        assert plastic.writes == writes

    play_desk(tmp_path, scenario)


def test_nobody_gets_in_without_their_pin_and_no_other_page_orders_anything(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        screen = Screen(desk)
        assert (await screen.look(), "rsv_1" in screen.page) == (200, False)
        for _ in range(5):
            await screen.press("/sign-in", user=CLERK, pin="000000")
            assert words("en")["wrong_pin"] in screen.page
        await screen.press("/sign-in", user=CLERK, pin=PIN)
        assert words("en")["wrong_pin"] in screen.page
        await asyncio.sleep(61)
        screen = await signed_in(desk)
        assert "rsv_1" in screen.page
        assert "'nonce-" in screen.headers["content-security-policy"]
        # With `no-referrer` a browser would say `Origin: null` of this very page.
        assert screen.headers["referrer-policy"] == "same-origin"
        assert await screen._asked("POST", "/issue", {"reservation": "rsv_1"}, ORIGIN) == 403
        assert await screen._asked("POST", "/issue", {}, {"origin": "http://elsewhere.example"}) == 403
        assert await screen.look(host="desk.example") == 403
        await screen.look()
        assert re.search("https?://", screen.page) is None

    play_desk(tmp_path, scenario)


def test_a_screen_locks_itself_and_whoever_left_the_staff_is_out(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        screen = await signed_in_after(house, desk)
        await asyncio.sleep(301)
        await screen.look()
        assert "rsv_1" not in screen.page
        await desk.order(do="staff", user=CLERK, roles=[])
        await desk.agent.papers.fetch_arrivals()
        assert await screen.front.sign_in(CLERK, PIN) is None
        with pytest.raises(ClerkProblem, match="not_permitted"):
            await screen.front.revoke(CLERK, "rsv_1")

    play_desk(tmp_path, scenario)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_word_and_none_of_another(language):
    told, english = words(language), words("en")
    assert told.keys() == english.keys()
    assert all(each.strip() for each in told.values())
    same = {code for code in told if told[code] == english[code]}
    assert language == "en" or same == set()


def test_pages_are_written_in_the_language_and_direction_that_was_asked_for(tmp_path):
    async def scenario(house, desk):
        await opened(desk)
        await booked(house, desk)
        screen = await signed_in(desk)
        for language, direction in (("ps", "rtl"), ("fa-AF", "rtl"), ("ar", "rtl"), ("fr", "ltr")):
            await screen.look(f"/?lang={language}")
            await screen.look()
            assert f'lang="{language}" dir="{direction}"' in screen.page
            assert words(language)["issue"] in screen.page

    play_desk(tmp_path, scenario)
