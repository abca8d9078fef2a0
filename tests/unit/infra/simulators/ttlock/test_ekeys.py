"""Keys in phones: one a holder and lock, frozen and ended by the cloud, and not enforced by any lock."""

from hashlib import md5

import pytest

from tests.unit.infra.simulators.ttlock.integrator import DAY, OTHER_ROOM, ROOM

GUEST = "guest@example.org"


async def send(sim, path="send", **fields):
    """Send a key for a day to a guest who has no account yet."""
    fields = {"receiverUsername": GUEST, "createUser": 1, "keyName": "MM-1", **fields}
    fields = {"startDate": sim.ms, "endDate": sim.ms + DAY, **fields}
    return await sim.post(f"/v3/key/{path}", **{"lockId": ROOM, **fields})


async def do(sim, action, key_id, **fields):
    """Do something to a key."""
    return (await sim.post(f"/v3/key/{action}", keyId=key_id, **fields)).get("errcode", 0)


async def keys(sim, lock=ROOM, **fields):
    """List a lock's keys."""
    return (await sim.get("/v3/lock/listKey", lockId=lock, pageNo=1, pageSize=9, **fields))["list"]


async def test_a_key_is_sent_with_its_id_and_an_errcode_of_zero(sim):
    answer = await send(sim)
    assert answer["errcode"] == 0
    [row] = await keys(sim)
    assert (row["keyId"], row["username"], row["keyStatus"]) == (answer["keyId"], GUEST, "110401")
    assert await sim.try_door(ekey=answer["keyId"]) == "open"


async def test_a_second_key_replaces_the_first_under_a_new_id(sim):
    first, second = (await send(sim))["keyId"], (await send(sim))["keyId"]
    assert first != second
    assert [row["keyId"] for row in await keys(sim)] == [second]
    assert await do(sim, "delete", first) == -1008


async def test_two_holders_have_a_key_each(sim):
    await send(sim)
    await send(sim, receiverUsername="second@example.org")
    assert len(await keys(sim)) == 2


async def test_keys_of_two_locks_do_not_replace_each_other(sim):
    await send(sim)
    await send(sim, lockId=OTHER_ROOM)
    assert [len(await keys(sim, lock)) for lock in (ROOM, OTHER_ROOM)] == [1, 1]


async def test_an_account_made_by_sending_has_a_guessable_password(sim):
    await send(sim)
    assert "access_token" in await sim.token(username=GUEST, password=md5(GUEST[-6:].encode()).hexdigest())


@pytest.mark.parametrize(
    ("fields", "errcode"),
    [
        ({"receiverUsername": "owner"}, -2019),
        ({"createUser": None}, -4064),
        ({"receiverUsername": "no mail"}, -4064),
        ({"keyName": None}, -3),
        ({"lockId": 9}, -1003),
        ({"remoteEnable": 3}, -3),
    ],
)
async def test_a_key_cannot_be_sent(sim, fields, errcode):
    assert (await send(sim, **fields))["errcode"] == errcode


async def test_an_honest_phone_asks_the_cloud(sim):
    key = (await send(sim, startDate=sim.ms + DAY, endDate=sim.ms + 2 * DAY))["keyId"]
    assert await sim.try_door(ekey=key) == "not_yet_valid"
    sim.wait(days=1)
    assert await sim.try_door(ekey=key) == "open"
    await do(sim, "freeze", key)
    assert (await keys(sim))[0]["keyStatus"] == "110405"
    assert await sim.try_door(ekey=key) == "frozen"
    await do(sim, "unfreeze", key)
    assert await sim.try_door(ekey=key) == "open"
    sim.wait(days=1)
    assert await sim.try_door(ekey=key) == "expired"
    await do(sim, "delete", key)
    assert await sim.try_door(ekey=key) == "deleted"


async def test_a_phone_that_kept_its_key_opens_whatever_the_cloud_says(sim):
    key = (await send(sim))["keyId"]
    await do(sim, "delete", key)
    sim.wait(days=30)
    assert await sim.try_door(ekey=key, phone="cached") == "open"
    assert await sim.try_door(OTHER_ROOM, ekey=key, phone="cached") == "unknown"
    await sim.control("PATCH", f"/locks/{ROOM}", {"frozen": True})
    assert await sim.try_door(ekey=key, phone="cached") == "frozen"


async def test_a_key_gets_another_window_unless_it_is_frozen(sim):
    key = (await send(sim))["keyId"]
    longer = {"startDate": sim.ms, "endDate": sim.ms + 3 * DAY}
    assert await do(sim, "changePeriod", key, **longer) == 0
    await do(sim, "freeze", key)
    assert await do(sim, "changePeriod", key, **longer) == -2023
    assert (await keys(sim))[0]["endDate"] == longer["endDate"]


@pytest.mark.parametrize("action", ["freeze", "unfreeze", "delete", "changePeriod", "getUnlockLink"])
async def test_an_unknown_key_is_refused(sim, action):
    assert await do(sim, action, 1, startDate=0, endDate=0) == -1008


async def test_a_link_needs_a_key_for_remote_use_and_a_gateway(sim):
    near, remote = (await send(sim))["keyId"], (await send(sim, lockId=OTHER_ROOM, remoteEnable=1))["keyId"]
    assert await do(sim, "getUnlockLink", near) == -4043
    assert (await sim.post("/v3/key/getUnlockLink", keyId=remote))["link"].startswith("https://")
    await sim.control("PATCH", f"/locks/{OTHER_ROOM}", {"inReach": False})
    assert await do(sim, "getUnlockLink", remote) == -4043


async def test_many_keys_are_sent_at_once_or_none(sim):
    assert (await send(sim, "batchSend", lockIdList=f"[{ROOM},{OTHER_ROOM}]"))["errcode"] == 0
    assert [len(await keys(sim, lock)) for lock in (ROOM, OTHER_ROOM)] == [1, 1]
    other = {"receiverUsername": "second@example.org"}
    assert (await send(sim, "batchSend", lockIdList=f"[{ROOM},9]", **other))["errcode"] == -1003
    assert len(await keys(sim)) == 1


@pytest.mark.parametrize(("ids", "errcode"), [("[", 80002), ("[]", -3), ('["a"]', -3), ("1", -3)])
async def test_a_list_of_locks_is_json(sim, ids, errcode):
    assert (await send(sim, "batchSend", lockIdList=ids))["errcode"] == errcode


async def test_keys_are_searched_by_name(sim):
    await send(sim, keyName="MM-abc")
    assert len(await keys(sim, searchStr="mm-AB")) == 1
    assert await keys(sim, searchStr=GUEST) == []


async def test_a_stranger_may_not_touch_a_key(at_a_hotel, hotel):
    sim = await at_a_hotel(accounts=[*hotel["accounts"], {"username": "stranger", "password": "own"}])
    key = (await send(sim))["keyId"]
    await sim.login("stranger", "own")
    assert await do(sim, "delete", key) == 20002
