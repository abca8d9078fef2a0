"""Staff's keys, keys of many, copies, sagas and programs over HTTP: each on somebody's word."""

import asyncio
from datetime import timedelta

from shared.domain.permissions import Role
from shared.ledger.delays import STEP_LEASE
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import play

WEEK = {"staff": "usr_9", "scopes": ["room:rmu_101"], "week": ["mon-sun 00:00-23:59"]}
SHIFT = {"staff": "usr_9", "scopes": ["room:rmu_102"], "until": "2026-03-01T20:00:00Z"}
GIVEN = "properties/ppt_kabul/master-keys"
SWEPT_WITHIN = STEP_LEASE + timedelta(minutes=1)
"""So long a code may stand at a lock that an attempt under way placed for a key that was given up."""


def test_a_standing_key_is_given_once_changed_and_taken_back(tmp_path):
    async def scenario(house):
        desk, herat = Desk(house), Desk(house, at=("ppt_herat",))
        first = await desk.do(GIVEN, WEEK, idempotency_key="one")
        assert first == await desk.do(GIVEN, WEEK, idempotency_key="one")
        again = await desk.do(GIVEN, {**WEEK, "week": ["mon-fri 06:00-14:00"]})
        assert (again["id"], again["regime"]["week"][0]) == (first["id"], "mon 06:00-14:00")
        shift = await desk.do(GIVEN, SHIFT, idempotency_key="two")
        assert (await desk.do(GIVEN, SHIFT, idempotency_key="two"))["id"] == shift["id"]
        await asyncio.sleep(5)
        listed = await desk.get("master-keys?limit=1")
        rest = await desk.get(f"master-keys?limit=1&cursor={listed['cursor']}")
        assert {each["masterKeys"][0]["id"] for each in (listed, rest)} == {first["id"], shift["id"]}
        assert (await herat.get("master-keys?staff=usr_9"))["masterKeys"] == []
        assert (await herat.do("staff/usr_9/revoke"))["revoked"] == []
        assert (await herat.ask("GET", f"master-keys/{shift['id']}")).status == 404
        whole = await desk.ask("GET", f"master-keys/{shift['id']}")
        stale = await desk.ask("POST", f"master-keys/{shift['id']}/revoke", if_match='"old"')
        assert (whole["regime"]["kind"], stale.status) == ("per_shift", 412)
        assert (await desk.do(f"master-keys/{shift['id']}/revoke"))["revoked"] == [shift["id"]]
        assert (await desk.do("staff/usr_9/revoke"))["revoked"] == [first["id"]]
        await asyncio.sleep(5)
        assert await house.keys_at("101") == await house.keys_at("102") == []
        states = [each["state"] for each in (await desk.get("master-keys"))["masterKeys"]]
        assert states == ["expired", "expired"]

    play(tmp_path, scenario)


def test_what_no_staff_may_be_given_is_refused_in_words(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        for wrong, status in (
            ({**SHIFT, "until": "2026-02-01T00:00:00Z"}, 409),
            ({**SHIFT, "scopes": ["room:rmu_999"]}, 409),
            ({**SHIFT, "scopes": ["nonsense"]}, 400),
            ({**WEEK, "week": ["mon-fri"]}, 400),
            ({"staff": "usr_9", "scopes": ["rooms:all"]}, 400),
        ):
            assert (await desk.ask("POST", GIVEN, wrong)).status == status, wrong
        assert (await desk.get("master-keys"))["masterKeys"] == []

    play(tmp_path, scenario)


def test_a_key_is_copied_forked_from_a_step_and_its_work_given_up(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        booked = await desk.do("stays", stay(partySize=3))
        key = booked["keys"][0]["id"]
        await asyncio.sleep(5)
        (made,) = (await desk.do(f"credentials/{key}/copies", {"copies": 1}))["copies"]
        assert (await desk.do(f"credentials/{key}/copies", {"copies": 1}))["copies"] == [made]
        await asyncio.sleep(5)
        assert len(await house.keys_at("101")) == 2
        steps = (await desk.get(f"sagas/{key}/steps"))["steps"]
        assert (steps[0]["attempts"], steps[0]["present"], len(steps) > 1) == (1, True, True)
        assert (await desk.ask("POST", f"sagas/{key}/cancel")).status == 409, "it is made"
        assert (await desk.ask("POST", f"sagas/{key}/fork", {"step": 9})).status == 409
        told = await desk.do(f"sagas/{key}/fork", {"step": 1})
        ways = [f"{each['vendor']} {each['kind']}" for each in steps]
        assert told["difference"]["waysAfter"] == ways[1:]
        assert (len(told["difference"]["removedAt"]), "replacedBy" in told) == (2, False)
        assert (await desk.get(f"credentials/{key}"))["state"] == "active", "it was only told"
        forked = await desk.do(f"sagas/{key}/fork", {"step": 1, "dryRun": False})
        again = await desk.do(f"sagas/{key}/fork", {"step": 1, "dryRun": False})
        assert again["replacedBy"] == forked["replacedBy"]
        new = await desk.get(f"sagas/{forked['replacedBy']}/steps")
        assert [f"{each['vendor']} {each['kind']}" for each in new["steps"]] == ways[1:]
        await _given_up(house, desk)

    play(tmp_path, scenario)


async def _given_up(house, desk):
    booked = await desk.do("stays", stay(reservation="rsv_9", rooms=["rmu_203"]))
    key = booked["keys"][0]["id"]
    told = await desk.do(f"sagas/{key}/cancel")
    assert told["state"] == "failed"
    await asyncio.sleep(5)
    whole = await desk.get(f"credentials/{key}")
    assert (whole["state"], whole["reason"]) == ("failed", "cancellation")
    await asyncio.sleep(SWEPT_WITHIN.total_seconds())
    assert await house.keys_at("203") == []


def test_a_house_is_closed_only_when_its_name_is_said_twice(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await desk.do("stays", stay())
        await asyncio.sleep(5)
        closing = "properties/ppt_kabul/bulk-revocation"
        assert (await desk.ask("GET", closing)).status == 404
        assert (await desk.ask("POST", closing, {"confirm": "ppt_herat"})).status == 400
        assert (
            await Desk(house, Role.FRONT_DESK).ask("POST", closing, {"confirm": "ppt_kabul"})
        ).status == 403
        assert len(await house.keys_at("101")) == 1
        begun = await desk.do(closing, {"confirm": "ppt_kabul"})
        assert (begun["property"], begun["by"]) == ("ppt_kabul", "usr_7")
        await asyncio.sleep(120)
        done = await desk.get(closing)
        assert (done["stage"], done["revoked"], done["removed"]) == ("done", 1, 1)
        assert (await desk.get("bulk-revocations"))["jobs"] == [done]
        assert await house.keys_at("101") == []
        refused = await desk.ask("POST", "stays", stay(reservation="rsv_2"))
        assert refused.status == 400, refused.body
        assert await house.keys_at("101") == []

    play(tmp_path, scenario)


SECONDS = 90
"""What is known of an account is remembered for fewer."""
PROGRAM = {
    "name": "Bookings",
    "permissions": ["lock.key.read"],
    "properties": ["ppt_kabul"],
    "expiresAt": "2026-06-01T00:00:00Z",
}


def test_a_program_gets_a_key_another_one_and_is_stopped(tmp_path):
    async def scenario(house):
        desk = Desk(house, at=None)
        made = await desk.do("service-accounts", PROGRAM)
        account, former = f"service-accounts/{made['account']['id']}", made["key"]
        assert (await desk.ask("GET", "credentials", token=former)).status == 200
        assert (await desk.ask("GET", "service-accounts", token=former)).status == 403
        newer = (await desk.do(f"{account}/rotate"))["key"]
        await asyncio.sleep(SECONDS)
        for key in (former, newer):
            assert (await desk.ask("GET", "credentials", token=key)).status == 200
        newest = await desk.do(f"{account}/rotate", {"atOnce": True})
        assert newest["account"]["secrets"] == 1
        await asyncio.sleep(SECONDS)
        known = {key: (await desk.ask("GET", "me", token=key)).status for key in (former, newer)}
        assert known == {former: 401, newer: 401}
        assert (await desk.ask("GET", "me", token=newest["key"])).status == 200
        stopped = await desk.do(f"{account}/stop")
        assert (stopped["live"], await desk.do(f"{account}/stop")) == (False, stopped)
        assert (await desk.ask("POST", f"{account}/rotate", {})).status == 409
        await asyncio.sleep(SECONDS)
        assert (await desk.ask("GET", "me", token=newest["key"])).status == 401
        (listed,) = (await desk.get("service-accounts"))["accounts"]
        assert listed == stopped
        kept = str(await house.documents("integrators")) + str(await house.documents("api_requests"))
        assert not [key for key in (former, newer, newest["key"]) if key.rpartition(".")[2] in kept]

    play(tmp_path, scenario)


def test_no_program_gets_more_than_programs_may_have(tmp_path):
    async def scenario(house):
        desk = Desk(house, at=None)
        for wrong in (
            {"permissions": ["lock.pin.reveal"]},
            {"permissions": []},
            {"properties": ["ppt_nowhere"]},
            {"properties": []},
            {"everywhere": True},
            {"expiresAt": "2027-06-01T00:00:00Z"},
            {"expiresAt": "2026-01-01T00:00:00Z"},
        ):
            assert (await desk.ask("POST", "service-accounts", {**PROGRAM, **wrong})).status == 400, wrong
        assert (await Desk(house).ask("POST", "service-accounts", PROGRAM)).status == 403, (
            "not of the company"
        )
        assert (await desk.get("service-accounts"))["accounts"] == []

    play(tmp_path, scenario)
