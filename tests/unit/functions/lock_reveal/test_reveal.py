"""A PIN is shown to whom it may be, for a reason, once it is noted; and to nobody else, nowhere else."""

import asyncio

from shared.domain.permissions import RULES, Permission, Role
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import play

WHY = {"reason": "guest_forgot"}


async def _key(house):
    desk = Desk(house)
    booked = await desk.do("stays", stay(reservation="rsv_1"))
    await asyncio.sleep(5)
    return f"credentials/{booked['keys'][0]['id']}"


def test_a_pin_is_shown_noted_counted_and_kept_nowhere(tmp_path):
    async def scenario(house):
        key = await _key(house)
        lead = Desk(house, Role.NIGHT_AUDITOR, user="usr_9", function="lock-reveal")
        (at_door,) = await house.keys_at("101")
        told = await lead.ask("POST", f"{key}/reveal", WHY, idempotency_key="once")
        assert (told.status, told["pin"], told["rooms"]) == (200, at_door["code"], ["rmu_101"])
        assert told.headers["cache-control"] == "no-store"
        assert await house.documents("api_requests") == {}
        (noted,) = (await house.documents("dsar_log")).values()
        assert (noted["what"], noted["by"], noted["about"], noted["outcome"]) == (
            "reveal",
            "usr_9",
            "rsv_1",
            "guest_forgot",
        )
        for _ in range(9):
            assert (await lead.ask("POST", f"{key}/reveal", WHY)).status == 200
        refused = await lead.ask("POST", f"{key}/reveal", WHY)
        assert (refused.status, refused["code"], "pin" in refused.body) == (429, "too-many", False)
        assert "retry-after" in refused.headers
        assert len(await house.documents("dsar_log")) == 10
        assert [each["message"] for each in house.logged("ALERT")] == ["somebody looks at many PINs"]
        other = Desk(house, Role.GM, user="usr_8", function="lock-reveal")
        assert (await other.ask("POST", f"{key}/reveal", WHY)).status == 200
        async with house.on.unscheduled():
            await asyncio.sleep(3700)
        assert (await lead.ask("POST", f"{key}/reveal", WHY)).status == 200

    play(tmp_path, scenario)


def test_nobody_without_the_right_a_fresh_sign_in_or_a_reason_sees_one(tmp_path):
    async def scenario(house):
        key = await _key(house)
        for role in Role:
            told = await Desk(house, role, function="lock-reveal").ask("POST", f"{key}/reveal", WHY)
            assert (told.status == 200) is (role in RULES[Permission.PIN_REVEAL].roles), role
        lead = Desk(house, function="lock-reveal", user="usr_9")
        old = lead.token()
        for body in ({}, {"reason": "curious"}, {"reason": "guest_forgot", "more": 1}):
            assert (await lead.ask("POST", f"{key}/reveal", body)).status == 400
        elsewhere = Desk(house, at=("ppt_herat",), function="lock-reveal")
        assert (await elsewhere.ask("POST", f"{key}/reveal", WHY)).status == 404
        assert (await lead.ask("GET", f"{key}/reveal")).status == 405
        await asyncio.sleep(301)
        assert (await lead.ask("POST", f"{key}/reveal", WHY, token=old))["code"] == "sign-in-again"
        await Desk(house).do("stays/rsv_1/hold")
        assert (await lead.ask("POST", f"{key}/reveal", WHY)).status == 409
        await Desk(house).do("stays/rsv_1/check-out")
        assert (await lead.ask("POST", f"{key}/reveal", WHY)).status == 409

    play(tmp_path, scenario)
