"""Mail that comes back is fetched from the tenant's mailbox, proven, and the guest is told another way."""

import asyncio

from infra.catchers.mailbox_server import report
from shared.ports.trouble import ServiceTrouble
from shared.vendor_kit.http import Call
from tests.support.told_hotel import play_told

ROUND = 5 * 60 + 30
LATER = {"validUntil": "2026-03-06T15:00:00Z", "time": "2026-03-01T09:10:00Z"}


async def post(house, raw, tenant="tnt_silk"):
    url = f"{house.fleet.config.base_url}/message-status/bounce/{tenant}"
    answer = await house.fleet.means.transport.send(Call("POST", url, {}, raw, timeout=30))
    return answer.status, answer.body


async def changed(house, fault=""):
    """Book a stay and change its end, and return the notice of the change."""
    await house.open()
    await house.book()
    await asyncio.sleep(90)
    house.faults["email"].append(fault)
    await house.publish("evt_2", "dates_changed", **LATER)
    await asyncio.sleep(90)
    return await last(house)


async def last(house):
    return (await house.notices())[-1]


def test_a_mail_that_comes_back_is_fetched_and_the_guest_is_told_by_sms(tmp_path):
    async def scenario(house):
        notice = await changed(house, "bounces")
        assert (notice["email"]["state"], notice["sms"]["state"]) == ("sent", "held")
        (raw,) = house.outbox.returned
        await asyncio.sleep(ROUND)
        notice = await last(house)
        assert (notice["email"]["state"], notice["email"]["reason"]) == ("undelivered", "bounced")
        assert (notice["sms"]["state"], notice["outcome"]) == ("delivered", "reached")
        assert house.outbox.returned == []
        # Told again by whoever takes our mail, and by a stranger who made one up.
        assert (await post(house, raw))[0] == 204
        (path,) = [line for line in raw.decode().splitlines() if line.startswith("To: ")]
        assert (await post(house, raw, "tnt_other"))[0] == 401
        assert (await post(house, raw.replace(path.encode(), path[:-20].encode() + b"x@silk.example")))[
            0
        ] == 401
        # The address is good for nothing now: the next message does not go there.
        await house.publish("evt_9", "cancelled", time="2026-03-01T12:00:00Z")
        await asyncio.sleep(60)
        assert (await last(house))["email"]["reason"] == "suppressed_bounced"

    play_told(tmp_path, scenario)


def test_a_letter_that_is_returned_for_another_reason_gives_up_the_letter_and_not_the_address(tmp_path):
    async def scenario(house):
        await changed(house)
        letter = house.caught("email")[-1]
        path = letter.data["return-path"]
        await post(house, report(path, letter.to, action="delayed", status="4.4.1"))
        assert (await last(house))["email"]["state"] == "sent"
        assert (await post(house, report(path, letter.to, status="4.4.7")))[0] == 204
        await asyncio.sleep(60)
        notice = await last(house)
        assert (notice["email"]["reason"], notice["sms"]["state"]) == ("returned", "delivered")
        await house.publish("evt_9", "cancelled", time="2026-03-01T12:00:00Z")
        await asyncio.sleep(60)
        assert (await last(house))["email"]["state"] == "sent"

    play_told(tmp_path, scenario)


def test_a_mailbox_that_cannot_be_read_keeps_nobody_elses_from_being_read(tmp_path, monkeypatch):
    async def away(*_):
        raise ServiceTrouble("busy")

    async def scenario(house):
        await house.open()
        with monkeypatch.context() as patch:
            patch.setattr("functions.notifications.returned.bounces_at", away)
            assert await house.on.send("read-bounces", {}, caller="operator") == (
                200,
                {"read": 0, "receipts": 0},
            )
        house.faults["email"].append("down")
        status, said = await house.on.send("read-bounces", {}, caller="operator")
        assert (status, said) == (200, {"read": 0, "receipts": 0})
        failed = [each for each in house.logged("ERROR") if "mailbox" in each["message"]]
        assert [each["tenant"] for each in failed] == ["tnt_silk", "tnt_silk"]

    play_told(tmp_path, scenario)
