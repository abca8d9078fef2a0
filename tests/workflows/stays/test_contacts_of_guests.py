"""How a guest can be reached is kept sealed, beside the keys' own path, until sixty days after the stay."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.sample_hotel import play

GUEST = {
    "id": "gst_7",
    "displayName": "Zarghuna Canary",
    "contact": {"email": "canary@guest.test", "phoneE164": "+93700555121"},
    "locale": "fa-AF",
}
SAID = ("Zarghuna", "canary@guest.test", "+93700555121")
LATER, EARLIER = "2026-03-01T09:30:00Z", "2026-03-01T08:00:00Z"
EXTENDED = "2026-03-20T07:00:00Z"


async def contacts(house):
    return await house.documents("guest_contacts")


async def reached(house, reservation="rsv_1", by="usr_7"):
    body = {"tenant": "tnt_silk", "reservation": reservation, "by": by}
    return await house.on.send("reach-guest", body, caller="operator")


async def told(house):
    return (await reached(house))[1]


async def confirm(house, event, **data):
    await house.publish(event, **{"guest": GUEST, **data})
    await asyncio.sleep(5)


def kept_until(house):
    """Return when the one contact that is kept will be gone."""
    sql = "SELECT expires_at FROM packed WHERE collection = 'guest_contacts'"
    ((expires_at,),) = house.fleet.means.engine.read(sql)
    return datetime.fromtimestamp(expires_at / 1e6, UTC)


def test_a_contact_is_sealed_beside_the_key_and_told_to_an_operator_who_is_noted(tmp_path):
    async def scenario(house):
        await confirm(house, "evt_1")
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        (kept,) = (await contacts(house)).values()
        assert not any(each in str(kept) for each in SAID)
        assert await told(house) == {
            "known": True,
            "name": "Zarghuna Canary",
            "email": "canary@guest.test",
            "phone": "+93700555121",
            "locale": "fa-AF",
        }
        (line,) = [line for line in house.logged("INFO") if "contact was asked for" in line["message"]]
        assert (line["reservation"], line["by"], line["known"]) == ("rsv_1", "usr_7", True)
        assert not any(each in house.on.log.getvalue() for each in SAID)

    play(tmp_path, scenario)


@pytest.mark.parametrize("caller", ["adapter-ttlock", "workflow-work-on-key", "on-guest-contact"])
def test_nobody_but_an_operator_is_told(tmp_path, caller):
    async def scenario(house):
        await confirm(house, "evt_1")
        body = {"tenant": "tnt_silk", "reservation": "rsv_1", "by": "usr_7"}
        answer = await house.on.send("reach-guest", body, caller=caller)
        assert answer[0] == 403
        assert not any(each in str(answer) for each in SAID)

    play(tmp_path, scenario)


def test_a_contact_is_gone_sixty_days_after_the_stay_however_often_it_was_told_of(tmp_path):
    async def scenario(house):
        await confirm(house, "evt_1", validUntil="2026-03-05T07:00:00Z")
        await confirm(house, "evt_1", validUntil="2026-03-05T07:00:00Z")
        assert kept_until(house) == datetime(2026, 3, 5, 7, tzinfo=UTC) + timedelta(days=60)
        await house.publish("evt_2", "dates_changed", time=LATER, validUntil=EXTENDED)
        await asyncio.sleep(5)
        assert kept_until(house) == datetime(2026, 3, 20, 7, tzinfo=UTC) + timedelta(days=60)
        assert (await told(house))["phone"] == "+93700555121"

    play(tmp_path, scenario)


def test_the_newest_confirmation_says_how_to_reach_a_guest_in_whichever_order_they_come(tmp_path):
    async def scenario(house):
        moved = {**GUEST, "contact": {"phoneE164": "+93700555000"}}
        await confirm(house, "evt_2", time=LATER, guest=moved)
        await confirm(house, "evt_1", time=EARLIER)
        assert (await told(house))["phone"] == "+93700555000"
        assert "email" not in await told(house)

    play(tmp_path, scenario)


def test_of_a_guest_of_whom_nothing_is_said_nothing_is_kept(tmp_path):
    async def scenario(house):
        await confirm(house, "evt_1", guest={"id": "gst_7", "locale": "ps"})
        assert await contacts(house) == {}
        assert await told(house) == {"known": False}
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        (stay,) = (await house.documents("reservations")).values()
        assert stay["stay"]["locale"] == "ps"

    play(tmp_path, scenario)


def test_a_key_waits_for_no_contact_that_cannot_be_sealed(tmp_path, monkeypatch):
    async def scenario(house):
        seal = house.fleet.cipher.seal

        async def refuses(context, plaintext):
            if context.purpose == "guest-contact":
                raise ConnectionError("no keys today")
            return await seal(context, plaintext)

        monkeypatch.setattr(house.fleet.cipher, "seal", refuses)
        await confirm(house, "evt_1")
        assert [key["state"]["type"] for key in await house.keys()] == ["active"]
        assert await contacts(house) == {}
        monkeypatch.setattr(house.fleet.cipher, "seal", seal)
        await asyncio.sleep(900)
        assert (await told(house))["known"]

    play(tmp_path, scenario)
