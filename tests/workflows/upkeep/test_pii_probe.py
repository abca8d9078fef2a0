"""The probe of C §19: made-up people are named in every field that anybody can fill, and are found nowhere.

Not in what is published, not in a log, not in anything that is kept unsealed. What is set aside is its
sender's, as it came: of that, nothing is shown.
"""

import asyncio
import json
from urllib.parse import quote, urlencode

import orjson
import pytest

from infra.codegen.pacts import PRODUCER
from shared.events.backoffice.heard_subjects import HEARD
from shared.ports.bus import Message
from shared.ports.dead_letters import QUARANTINE_TOPIC
from shared.usecases.operations.letters import shown_letter
from tests.support.backoffice_desk import BackofficeDesk
from tests.support.pacts import interactions
from tests.support.people import NOTE, PEOPLE, named_in, spellings
from tests.support.sample_hotel import BOOKING, KABUL, SILK, message, play
from tests.unit.functions.backoffice.test_backoffice import everything_kept, tell_all
from tests.unit.functions.backoffice.test_console import AUTHOR, Browser

NAME, MAIL, PHONE = PEOPLE[0], PEOPLE[2], PEOPLE[3]
GUEST = {
    "id": "gst_1",
    "displayName": NAME,
    "contact": {"email": MAIL, "phoneE164": PHONE.replace(" ", "")},
    "locale": "fa-AF",
    "passport": PEOPLE[5],
}
EXTRA = {"notes": NOTE, "guestName": NAME, "payer": {"name": PEOPLE[1], "card": PEOPLE[6]}, "tags": [*PEOPLE]}
OF_STAYS = ("dates_changed", "checked_in", "fraud_flagged", "no_show", "early_checkout", "cancelled")
GONE = {
    "melmastoon.alert.resolved.v1": {"alertId": "alt_other"},
    "melmastoon.ai.suggestion.invalidated.v1": {"suggestionId": "sg_other"},
}
OF_STAFF = ("staff.shift.started.v1", "staff.shift.ended.v1", "tenant.config_updated.v1")


class Heard:
    """What is published, and what functions say to each other."""

    def __init__(self, house):
        self.published, self.inside = [], []
        fleet = house.fleet
        fleet.bus.publish = self._bus(fleet.bus.publish)

    def _bus(self, publish):
        async def listening(topic, messages):
            ours = topic.startswith(("melmastoon.lock.", "melmastoon.bff.")) and topic != QUARANTINE_TOPIC
            self.published += [f"{topic} {each.attributes} {each.data}" for each in messages if ours]
            self.inside += [each.data.decode() for each in messages if ours]
            return await publish(topic, messages)

        return listening


async def book(house):
    """Tell of stays, of staff and of the company, with people's names wherever something can be written."""
    await house.publish("evt_1", guest=GUEST, **EXTRA)
    await asyncio.sleep(20)
    for number, subject in enumerate(OF_STAYS):
        more = {"validUntil": "2026-03-06T07:30:00Z", "rooms": ["rmu_101"], "reason": NOTE, **EXTRA}
        await house.publish(f"evt_1{number}", subject, time=f"2026-03-01T09:0{number + 1}:00Z", **more)
        await asyncio.sleep(5)
    for number, subject in enumerate(OF_STAFF):
        shift = {"shiftId": "shf_1", "staffUserId": "usr_9", "propertyId": KABUL, "staffName": NAME, **EXTRA}
        shift |= {"validFrom": "2026-03-01T09:00:00Z", "validUntil": "2026-03-01T17:00:00Z"}
        body = {"specVersion": "1.0", "id": f"evt_2{number}", "subject": f"melmastoon.{subject}"}
        body |= {"tenantId": SILK, "time": "2026-03-01T09:10:00Z", "data": shift}
        await house.fleet.bus.publish(body["subject"], [Message(orjson.dumps(body))])


async def tell(house):
    """Have every neighbour say what its contract asks, and as much of people as it can."""
    for number, (subject, who) in enumerate(HEARD.items()):
        said = interactions(f"{PRODUCER}--{who}")[subject]["contents"]["content"]
        said |= {"id": f"evt_3{number}", "tenantId": SILK, "time": "2026-03-01T09:20:00Z", **EXTRA}
        said["data"] |= {**EXTRA, "title": NOTE, "message": NOTE, "text": NOTE}
        said["data"] |= {"propertyId": KABUL} if "propertyId" in said["data"] else {}
        said["data"] |= GONE.get(subject, {})
        await house.fleet.bus.publish(subject, [Message(orjson.dumps(said))])
    await asyncio.sleep(10)


async def work(house):
    """Work at a desktop, with people's names as notes, versions, devices and headers."""
    await tell_all(house.on)
    desk = BackofficeDesk(house.on)
    assert (await desk.sign_in())[0] == 201
    at = f"properties/{KABUL}"
    await desk.ask("GET", f"{at}/dashboard", **{"user-agent": NAME, "x-note": MAIL})
    (alert,) = (await desk.ask("GET", f"{at}/alerts"))[1]["entries"]
    taken = f"{at}/alerts/{alert['id']}/acknowledgement"
    assert (await desk.ask("POST", taken, {"notes": NOTE}))[0] == 200
    (idea,) = (await desk.ask("GET", f"{at}/suggestions"))[1]["entries"]
    decision = {"outcome": "rejected", "notes": NOTE}
    assert (await desk.ask("POST", f"{at}/suggestions/{idea['id']}/decision", decision))[0] == 200
    for each in PEOPLE:
        for path, body in (
            ("sessions", {"deviceId": each, "fingerprint": each, "appVersion": each, "locale": each}),
            ("heartbeat", {"appVersion": each, "networkProfile": each, "outboxHints": [{"aggregate": each}]}),
            ("sync/handshake", {"appVersion": each, "capabilities": [each], "cursor": each}),
            ("sync/cursor", {"advanceKind": each, "cursorAfter": each}),
            (f"{at}/reservations/rsv_1/issue", {"rooms": [each], "validFrom": each, "validUntil": each}),
            (f"keys/{quote(each)}/revoke", {"reason": each}),
        ):
            status, answer = await desk.ask("POST", path, body)
            assert status >= 400
            assert not named_in(json.dumps(answer)), path
        assert (await desk.ask("GET", f"{at}/workbench/{quote(each)}"))[0] >= 400
    assert await desk.told("alert.acknowledged")
    assert await desk.told("ai_suggestion.decided")


async def look(house):
    """Look at the console for people by their names, and sign in as them."""
    browser = Browser(house.on, roles=AUTHOR)
    await browser.sign_in()
    for each in PEOPLE:
        for screen in ("stay", "explain", "sagas"):
            answer = await browser.go(f"{screen}?{urlencode({'id': each})}")
            assert answer.status in (400, 404)
        await browser.go("residues", {"id": each})
    pages = [(await browser.go(screen)).body.decode() for screen in ("arrivals", "stay?id=rsv_1", "ahead")]
    assert not named_in("".join(pages))
    await Browser(house.on).go("sign-in", {"token": NOTE})


async def set_aside(house):
    """Set a message aside that names people; it is shown without them."""
    broken = message("evt_bad", validUntil="never", guest=GUEST, **EXTRA)
    await house.fleet.bus.publish(f"{BOOKING}.confirmed.v1", [Message(broken.data)])
    await house.fleet.bus.idle()
    shown = [shown_letter(each) for each in await house.fleet.platform.dead_letters.waiting()]
    assert "evt_bad" in str(shown)
    assert not named_in(json.dumps(shown, default=str, ensure_ascii=False))


def test_nobody_who_is_named_anywhere_is_named_by_us(tmp_path):
    async def scenario(house):
        heard = Heard(house)
        await book(house)
        await tell(house)
        await work(house)
        await look(house)
        await asyncio.sleep(60)
        await house.fleet.bus.idle()
        told = "\n".join(heard.inside)
        assert all(each in told for each in ("credential.issued", "alert.acknowledged", "session.opened"))
        places = {"events": "\n".join(heard.published) + told, "log": house.on.log.getvalue()}
        places["kept"] = await everything_kept(house.on)
        assert {place: named_in(text) for place, text in places.items()} == {place: [] for place in places}
        await set_aside(house)
        assert not named_in(house.on.log.getvalue())

    play(tmp_path, scenario)


@pytest.mark.parametrize("person", PEOPLE)
def test_the_probe_finds_whoever_is_named_in_any_spelling(person):
    for form in spellings(person):
        assert named_in(f'{{"a":"xx{form}yy"}}', (person,)) == [person], form
    assert named_in("nobody is named at 2026-03-01T09:00:00Z, not by 93701234567", (person,)) == []


def test_the_probe_finds_a_number_however_it_is_grouped():
    assert named_in("call 4929-1177-3388-0011", (PEOPLE[6],)) == [PEOPLE[6]]
    assert named_in("(70) 911-77.33 of +93", (PEOPLE[4],)) == []
    assert named_in("0709 117 733", (PEOPLE[4],)) == [PEOPLE[4]]
