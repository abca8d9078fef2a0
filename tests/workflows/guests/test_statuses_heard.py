"""What became of a message is believed of whoever proves it, and of nobody else; all others hear the same."""

import asyncio
import base64
import hmac
from urllib.parse import urlencode

import orjson
import pytest

from shared.domain.secret import Secret
from shared.notify.sms import signature_of
from shared.vendor_kit.http import Call
from tests.support.guests import GUEST
from tests.support.told_hotel import play_told

SECRET = base64.b64decode("c2VjcmV0")


async def post(house, path, body, **headers):
    url = f"{house.fleet.config.base_url}/message-status{path}"
    answer = await house.fleet.means.transport.send(Call("POST", url, headers, body, timeout=30))
    return answer.status, answer.body


def signed(house, body, secret=SECRET, age=0):
    at = int(house.fleet.platform.clock.now().timestamp()) - age
    code = hmac.digest(secret, b"msg_1.%d." % at + body, "sha256")
    return {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{base64.b64encode(code).decode()}",
    }


def about(notice, word, tenant="tnt_silk"):
    return orjson.dumps({"type": word, "messageId": f"<{notice}.{tenant}@silk.example>"})


def sms_status(house, notice, word, token="tok"):
    form = {"MessageSid": "SM1", "MessageStatus": word}
    url = f"{house.fleet.config.base_url}/message-status/sms/tnt_silk/{notice}"
    return urlencode(form).encode(), {"x-twilio-signature": signature_of(Secret(token), url, form)}


async def told(house):
    await house.open()
    house.faults["sms"].append("silent")
    await house.book()
    await asyncio.sleep(20)
    (notice,) = await house.notices()
    return notice["id"]


async def state(house, way):
    (notice,) = await house.notices()
    return notice[way]["state"]


def test_whoever_proves_nothing_is_told_nothing_and_believed_nothing(tmp_path):
    async def scenario(house):
        notice = await told(house)
        bounced, (form, good) = about(notice, "bounced"), sms_status(house, notice, "delivered")
        _, forged = sms_status(house, notice, "delivered", token="guess")
        other = f"/sms/tnt_silk/{notice}x"
        answers = [
            await post(house, f"/sms/tnt_silk/{notice}", form),
            await post(house, f"/sms/tnt_silk/{notice}", form, **forged),
            await post(house, f"/sms/tnt_silk/{notice}", form + b"&x=1", **good),
            await post(house, other, form, **good),
            await post(house, f"/sms/tnt_nobody/{notice}", form, **good),
            await post(house, f"/push/tnt_silk/{notice}", b'{"receipt": "guess"}'),
            await post(house, f"/push/tnt_silk/{notice}", b"no json"),
            await post(house, "/email/tnt_silk", bounced),
            await post(house, "/email/tnt_silk", bounced, **signed(house, bounced, b"guess")),
            await post(house, "/email/tnt_silk", bounced, **signed(house, bounced, age=301)),
            await post(house, "/email/tnt_silk", bounced + b" ", **signed(house, bounced)),
            await post(house, "/elsewhere", b""),
        ]
        assert len(set(answers)) == 1
        assert answers[0][0] == 401
        # An account or a status of ours that is broken looks to a provider like no account; the log knows it.
        said = [
            each["reason"]
            for each in house.logged("WARNING")
            if "status could not be read" in each["message"]
        ]
        assert said == ["tenantId", "JSONDecodeError"]
        assert (await state(house, "email"), await state(house, "sms")) == ("sent", "sent")

    play_told(tmp_path, scenario)


def test_a_mail_that_bounces_hours_later_opens_the_ladder_again(tmp_path):
    async def scenario(house):
        notice = await told(house)
        form, headers = sms_status(house, notice, "undelivered")
        assert (await post(house, f"/sms/tnt_silk/{notice}", form, **headers))[0] == 204
        await asyncio.sleep(60)
        (kept,) = await house.notices()
        assert kept["outcome"] == "reached"
        bounced = about(notice, "bounced")
        for _ in range(2):
            assert (await post(house, "/email/tnt_silk", bounced, **signed(house, bounced)))[0] == 204
        await asyncio.sleep(60)
        (kept,) = await house.notices()
        assert (kept["outcome"], kept["email"]["reason"]) == ("unreached", "bounced")
        (alert,) = house.logged("ALERT")
        assert alert["runbook"] == "guests/not-reached"
        # It is known now that this address is none: the next message does not go there.
        await house.publish("evt_9", "cancelled", time="2026-03-01T12:00:00Z")
        await asyncio.sleep(60)
        *_, last = await house.notices()
        assert last["email"]["reason"] == "suppressed_bounced"

    play_told(tmp_path, scenario)


def test_a_late_bounce_of_a_mistyped_address_does_not_silence_the_corrected_one(tmp_path):
    async def scenario(house):
        notice = await told(house)
        contact = {**GUEST["contact"], "email": "corrected@guest.test"}
        await house.publish("evt_2", time="2026-03-01T11:00:00Z", guest={**GUEST, "contact": contact})
        await asyncio.sleep(30)
        bounced = about(notice, "bounced")
        assert (await post(house, "/email/tnt_silk", bounced, **signed(house, bounced)))[0] == 204
        await house.publish("evt_9", "cancelled", time="2026-03-01T12:00:00Z")
        await asyncio.sleep(60)
        *_, last = await house.notices()
        assert last["email"]["state"] == "sent"

    play_told(tmp_path, scenario)


@pytest.mark.parametrize("word", ["queued", "sent", "nonsense"])
def test_words_that_say_nothing_final_change_nothing(tmp_path, word):
    async def scenario(house):
        notice = await told(house)
        form, headers = sms_status(house, notice, word)
        assert (await post(house, f"/sms/tnt_silk/{notice}", form, **headers))[0] == 204
        assert await state(house, "sms") == "sent"

    play_told(tmp_path, scenario)


def test_what_arrived_stays_so(tmp_path):
    async def scenario(house):
        notice = await told(house)
        for word in ("delivered", "undelivered", "sent"):
            form, headers = sms_status(house, notice, word)
            await post(house, f"/sms/tnt_silk/{notice}", form, **headers)
        assert await state(house, "sms") == "delivered"
        assert house.logged("ALERT") == []

    play_told(tmp_path, scenario)
