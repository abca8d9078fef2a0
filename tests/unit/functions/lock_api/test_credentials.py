"""Keys over HTTP: found page by page, ended, replaced, put to rest, each on somebody's word."""

import asyncio

from shared.domain.permissions import Role
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import play


def test_keys_are_listed_page_by_page_newest_first_and_each_once(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        for number, room in enumerate(("101", "102", "203"), 1):
            await desk.do("stays", stay(reservation=f"rsv_{number}", rooms=[f"rmu_{room}"]))
            await asyncio.sleep(5)
        await desk.do("stays/rsv_2/check-out")
        found, cursor = [], ""
        while cursor is not None:
            page = await desk.get(f"credentials?limit=1{cursor and f'&cursor={cursor}'}")
            found += page["credentials"]
            cursor = page.get("cursor")
        assert [each["reservation"] for each in found] == ["rsv_3", "rsv_2", "rsv_1"]
        (ended,) = (await desk.get("credentials?state=revoked"))["credentials"]
        assert (ended["reservation"], ended["reason"]) == ("rsv_2", "checkout")
        assert len((await desk.get("credentials?reservation=rsv_3"))["credentials"]) == 1
        for wrong in ("cursor=zzz", "cursor=WyJhIiwieC95Il0", "cursor=W251bGwsMV0", "limit=0", "state=odd"):
            assert (await desk.ask("GET", f"credentials?{wrong}")).status == 400, wrong
        everywhere = await Desk(house, at=None).get("credentials")
        assert len(everywhere["credentials"]) == 3
        none = await Desk(house, at=("ppt_herat",)).get("credentials?reservation=rsv_3")
        assert none["credentials"] == []
        assert (await Desk(house, at=("ppt_kabul", "ppt_herat")).ask("GET", "credentials")).status == 400

    play(tmp_path, scenario)


def test_a_key_rests_wakes_is_replaced_and_ended_on_a_persons_word(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        booked = await desk.do("stays", stay())
        await asyncio.sleep(5)
        key = f"credentials/{booked['keys'][0]['id']}"
        whole = await desk.ask("GET", key)
        assert [each["state"] for each in whole["grants"]] == ["placed", "placed"]
        await _rests(house, desk, key)
        stale = await desk.ask("POST", f"{key}/revoke", {}, if_match=whole.headers["etag"])
        assert (stale.status, stale["code"]) == (412, "precondition-failed")
        await _is_replaced(house, desk, key)
        rows = (await house.documents("outbox")).values()
        by = {row["audit"]["operatorId"] for row in rows if row["subject"].endswith(".revoked.v1")}
        assert by == {"usr_7"}

    play(tmp_path, scenario)


async def _rests(house, desk, key):
    (before,) = await house.keys_at("101")
    assert (await desk.do(f"{key}/suspend"))["state"] == "suspended"
    await asyncio.sleep(5)
    assert await house.keys_at("101") == []
    await desk.do(f"{key}/unsuspend")
    await asyncio.sleep(5)
    assert [each["code"] for each in await house.keys_at("101")] == [before["code"]]


async def _is_replaced(house, desk, key):
    (before,) = await house.keys_at("101")
    told = await desk.do(f"{key}/replace", {"reason": "lost"})
    assert told == await desk.do(f"{key}/replace", {"reason": "lost"})
    await asyncio.sleep(5)
    (after,) = await house.keys_at("101")
    assert after["code"] != before["code"]
    assert (await desk.ask("POST", f"{key}/suspend", {})).status == 409
    new = f"credentials/{told['replacedBy']}"
    assert (await desk.do(f"{new}/revoke", {"reason": "security"}))["state"] == "revoked"
    await asyncio.sleep(5)
    assert await house.keys_at("101") == []
    assert (await desk.ask("POST", f"{new}/retry")).status == 409


def test_what_a_role_may_not_do_changes_nothing(tmp_path):
    async def scenario(house):
        booked = await Desk(house).do("stays", stay())
        await asyncio.sleep(5)
        key = f"credentials/{booked['keys'][0]['id']}"
        concierge = Desk(house, Role.CONCIERGE)
        for path in ("revoke", "replace", "suspend", "unsuspend", "retry"):
            assert (await concierge.ask("POST", f"{key}/{path}", {})).status == 403, path
        assert (await concierge.get(key))["state"] == "active"

    play(tmp_path, scenario)
