"""From a booking to an open door, as guests of five languages live it in a browser that runs no script."""

import json
import urllib.request
from datetime import timedelta

import pytest

from infra.cli.demo.play import staged
from infra.cli.demo.stay import ON_THE_DAY, TENANT, Stay
from infra.cli.person import Person
from infra.cli.polling import Patience
from shared.domain.instants import instant_to_text
from shared.domain.permissions import Role
from shared.domain.secret import Secret
from shared.messages.locales import Locale
from tests.browser.browsing import TELEPHONE, awaited, browsing

ROOMS = {Locale.PS: "101", Locale.FA_AF: "102", Locale.AR: "203", Locale.EN: "204", Locale.FR: "101"}
LATER = {Locale.FR: timedelta(hours=7)}
AT_ONCE, IN_THE_END = {"email", "sms"}, {"email", "sms", "push"}
PERMISSIONS = ["lock.guest.serve"]


class Traveller:
    """A guest with a mailbox, a telephone and the hotel's app, who reads one language."""

    def __init__(self, stage, locale):
        self.stage, self.locale = stage, locale
        self.mail, self.app = f"{locale.value.lower()}@guest.example", f"app-{locale.value.lower()}"
        self.phone = f"+93700554{list(Locale).index(locale) + 410}"
        self.room, self.later = ROOMS[locale], LATER.get(locale, timedelta())
        self.stay = Stay(f"rsv_{locale.name.lower()}", stage.stay.booked, (f"rmu_{self.room}",))

    def book(self):
        """Have the reservation system tell of the stay."""
        event = self.stay.confirmed()
        contact = {"email": self.mail, "phoneE164": self.phone}
        guest = {"id": f"gst_{self.locale.name.lower()}", "contact": contact, "locale": self.locale.value}
        window = {"validFrom": self._after(hours=1), "validUntil": self._after(hours=5)}
        self.stage.publish({**event, "data": {**event["data"], **window, "guest": guest}})

    def leave_later(self):
        """Have the reservation system tell that the guest leaves an hour later."""
        told = self.stay.ended("dates_changed", self.stage.patience.clock.now())
        data = {**told["data"], "validUntil": self._after(hours=6)}
        self.stage.publish({**told, "data": data})

    def _after(self, **long):
        return instant_to_text(self.stay.booked + self.later + timedelta(**long))

    def told(self, ways):
        """Return what arrived, once something did on each of these ways."""
        found = self.stage.guest.messages(self.mail, self.phone, self.app)
        return found if {each["channel"] for each in found} == ways else None

    def link(self, channel):
        """Return where the first message on this way leads."""
        return self.stage.guest.link(self.mail, self.phone, self.app, channel=channel)

    def letters(self):
        """Return the mails that came, the oldest first."""
        return [each for each in self.stage.guest.messages(self.mail) if each["channel"] == "email"]

    def opens(self, pin):
        """Try a PIN at the doors, on the day."""
        with self.stage.doors.later(ON_THE_DAY + self.later):
            return self.stage.doors.tried(("Front door", f"Room {self.room}"), Secret(pin))


def apps_registered(at, travellers):
    """Have the tenant's booking service say where each guest's app takes pushes."""
    until = instant_to_text(travellers[0].stay.booked + timedelta(days=9))
    wanted = {"name": "Bookings", "permissions": PERMISSIONS, "properties": ["ppt_kabul"], "expiresAt": until}
    admin = Person(at, TENANT, "usr_admin", Role.TENANT_ADMIN)
    key = admin.ask("lock-api/lock/v1/service-accounts", wanted)["key"]
    service = Program(at, key)
    for each in travellers:
        service.tell(f"reservations/{each.stay.id}/devices", {"addressKind": "fid", "address": each.app})


class Program:
    """A tenant's own booking service."""

    def __init__(self, at, key):
        self.at, self.key = at, key

    def tell(self, path, body):
        """Ask the guests' API."""
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        url = f"{self.at.base_url}/guest-api/guest/v1/{path}"
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status < 300


def number_of(pin_shown):
    """Return a PIN as the keypad takes it."""
    return pin_shown.replace(" ", "").replace("\u00a0", "")


async def without_script(browser, traveller):
    """Open the mail's link by keys alone, then come again by the app's; return the PIN."""
    async with browser.tab(traveller.locale.value, scripts=False, size=TELEPHONE) as seen:
        await seen.tab.goto(traveller.link("email"))
        assert await seen.tab.locator(".pin").count() == 0
        await seen.reach("#proof")
        await seen.tab.keyboard.type(traveller.phone[-4:])
        await seen.press("button[value=show]")
        pin = number_of(await seen.tab.locator(".pin").inner_text())
        await seen.picture(f"key-{traveller.locale.value}")
        await seen.tab.goto(traveller.link("push"))
        await seen.press("button[value=show]")
        assert number_of(await seen.tab.locator(".pin").inner_text()) == pin
        assert seen.strangers == set()
        return pin


async def looked_at(browser, traveller, pin):
    """Open the link of the SMS on another device: a wrong guess, the right one, and a code that fails."""
    async with browser.tab(traveller.locale.value, size=TELEPHONE) as seen:
        await seen.tab.goto(traveller.link("sms"))
        await seen.check()
        for proof in ("0000", traveller.phone[-4:]):
            assert await seen.tab.locator(".pin").count() == 0
            await seen.reach("#proof")
            await seen.tab.keyboard.type(proof)
            await seen.press("button[value=show]")
            await seen.check(refusals=1)
        assert number_of(await seen.tab.locator(".pin").inner_text()) == pin
        assert await seen.runs_from_left_to_right(".pin, .number, dd")
        await seen.press("button[value=trouble]")
        await seen.check(refusals=1)
        await seen.picture(f"trouble-{traveller.locale.value}")


async def outbox_looked_at(browser, stage):
    """See in one page what every guest was sent, as they would."""
    async with browser.tab() as seen:
        await seen.tab.goto(stage.guest.outbox)
        await seen.check()
        await seen.picture("outbox")
        assert len(seen.tab.frames) - 1 == 2 * len(Locale)
        for frame in seen.tab.frames[1:]:
            assert "Silk Road Kabul" in await frame.locator("body").inner_text()


async def letter_read(browser, traveller, pin):
    """Read the mail by itself, as a telephone draws it: the PIN and the times stand as they are spoken."""
    async with browser.tab(traveller.locale.value, size=TELEPHONE) as seen:
        (letter, *_) = traveller.letters()
        await seen.tab.set_content(letter["html"])
        assert number_of(await seen.tab.locator("td bdi[dir=ltr]").first.inner_text()) == pin
        assert await seen.runs_from_left_to_right("td")
        await seen.picture(f"letter-{traveller.locale.value}")


@pytest.mark.soak
async def test_a_guest_of_each_language_is_told_reads_their_pin_and_opens_their_door(tmp_path):
    with staged(Patience()) as stage:
        for each in (stage.vendor, stage.fleet):
            each.start()
        for each in (stage.vendor, stage.fleet):
            each.serves()
        travellers = [Traveller(stage, locale) for locale in Locale]
        all_of(travellers, Traveller.book, AT_ONCE)
        apps_registered(stage.desk.at, travellers)
        all_of(travellers, Traveller.leave_later, IN_THE_END)
        async with browsing(tmp_path) as browser:
            for each in travellers:
                pin = await without_script(browser, each)
                await looked_at(browser, each, pin)
                await letter_read(browser, each, pin)
                assert set(each.opens(pin).values()) == {"open"}
            await outbox_looked_at(browser, stage)


def all_of(travellers, happens, ways):
    """Let something happen to everybody, and wait until each is told of it."""
    for each in travellers:
        happens(each)
    for each in travellers:
        awaited(each.stage, lambda each=each: each.told(ways))
