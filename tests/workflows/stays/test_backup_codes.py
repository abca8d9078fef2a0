"""A backup code is made before anybody needs it, handed out once by the desk, and made anew."""

import asyncio

from shared.ports.documents import Create, Ref
from tests.support.looks import look
from tests.support.ordered_keys import order
from tests.support.sample_hotel import SILK, device_at, play

ORDER = {
    "tenant": "tnt_silk",
    "reservation": "rsv_1",
    "by": "usr_7",
    "reason": "the PIN is refused at the door",
}
BEGUN = {"validFrom": "2026-03-01T08:00:00Z"}


async def kept(house):
    """Let the hotel's backup codes be made, and return their records by room."""
    status, answer = await house.on.send("keep-backups", {}, caller="operator")
    assert status == 200, answer
    await house.settled()
    return await records(house)


async def records(house):
    return {each["rooms"][0]: each for each in (await house.documents("backup_codes")).values()}


async def hand_out(house, expected=200, **order):
    status, answer = await house.on.send("hand-out-backup", {**ORDER, **order}, caller="operator")
    assert status == expected, answer
    return answer


async def key(house, name):
    return (await house.documents("credentials"))[name]


def test_each_set_of_rooms_gets_one_code_beforehand_which_nobody_is_told(tmp_path):
    async def scenario(house):
        assert await kept(house) == {}  # the policy wants none
        await house.policy(backupCodes=True)
        made = await kept(house)
        assert sorted(made) == ["rmu_101", "rmu_102", "rmu_203", "rmu_204"]
        for record in made.values():
            entry = (await key(house, record["key"]))["credential"]
            assert entry["state"]["type"] == "active"
            assert entry["core"]["holder"]["user_id"] == "usr_backup"
        assert len(await house.keys_at("101")) == 1
        assert len(await house.keys_at("front")) == 4
        assert await house.documents("notices") == {}
        assert await kept(house) == made  # once
        await house.policy(backupCodes=False)
        await asyncio.sleep(20)
        assert [each.get("key") for each in (await kept(house)).values()] == [None] * 4
        assert await house.keys_at("101") == []

    play(tmp_path, scenario)


async def handed_out(house):
    """Hand 101's code out to its guest; return the key it was, its digits, and the order's answer."""
    await house.policy(backupCodes=True)
    code = (await kept(house))["rmu_101"]["key"]
    (digits,) = await codes(house, "101")
    await house.publish("evt_1", **BEGUN)
    await house.settled()
    answer = await hand_out(house)
    await house.settled()
    return code, digits, answer


async def codes(house, door):
    return [row["code"] for row in await house.keys_at(door)]


async def core_of(house, name):
    return (await key(house, name))["credential"]["core"]


def test_code_is_handed_out_once_and_another_is_made_in_its_place(tmp_path):
    async def scenario(house):
        code, digits, answer = await handed_out(house)
        assert (answer["key"], answer["reservation"]) == (code, "rsv_1")
        record = (await records(house))["rmu_101"]
        assert record["key"] == answer["following"] != code
        (out,) = record["handed_out"]
        assert (out["by"], out["because"], out["reservation"]) == ("usr_7", ORDER["reason"], "rsv_1")
        core = await core_of(house, code)
        assert core["holder"] == {"guest_id": "gst_1", "reservation_id": "rsv_1", "type": "guest"}
        assert core["window"]["end"] == "2026-03-05T07:30:00Z"  # the stay's
        # The guest's own, the one handed out, and the next.
        assert len(await codes(house, "101")) == 3
        assert digits in await codes(house, "101")
        assert (await hand_out(house))["key"] == code  # ordered again, it is the same

    play(tmp_path, scenario)


def test_code_that_was_handed_out_follows_the_stay_and_ends_with_it_and_the_next_one_stays(tmp_path):
    async def scenario(house):
        code, digits, answer = await handed_out(house)
        longer = {"reservationId": "rsv_1", "validUntil": "2026-03-06T07:30:00Z", "version": 2}
        await house.publish("evt_2", "dates_changed", time="2026-03-01T09:30:00Z", **longer)
        await house.settled()
        assert (await core_of(house, code))["window"]["end"] == "2026-03-06T07:30:00Z"
        assert digits in await codes(house, "101")
        await house.publish("evt_3", "checked_out", time="2026-03-01T10:00:00Z")
        await house.settled()
        assert (await key(house, code))["credential"]["state"]["type"] == "revoked"
        (left,) = await codes(house, "101")
        assert left != digits
        assert (await key(house, answer["following"]))["credential"]["state"]["type"] == "active"

    play(tmp_path, scenario)


def test_code_is_refused_for_a_stay_that_is_held_or_over_and_where_none_stands_ready(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", **BEGUN)
        await house.settled()
        refused = await hand_out(house, expected=400)
        assert "no backup code stands ready" in str(refused)
        await house.policy(backupCodes=True)
        await kept(house)
        assert "say why" in str(await hand_out(house, expected=400, reason=" "))
        assert "none of this stay's" in str(await hand_out(house, expected=400, room="rmu_204"))
        await house.publish("evt_2", "fraud_flagged", time="2026-03-01T09:30:00Z")
        await house.settled()
        assert "held: fraud_review" in str(await hand_out(house, expected=400))
        await house.publish("evt_3", "cancelled", time="2026-03-01T09:40:00Z")
        await asyncio.sleep(30)
        assert "not over" in str(await hand_out(house, expected=400))
        assert all(
            "handed_out" not in each or not each["handed_out"] for each in (await records(house)).values()
        )

    play(tmp_path, scenario)


def test_code_is_refused_before_the_stay_begins_for_another_may_have_the_room(tmp_path):
    async def scenario(house):
        await house.policy(backupCodes=True)
        code = (await kept(house))["rmu_101"]["key"]
        await house.publish("evt_1", validFrom="2026-03-01T12:00:00Z")
        await house.settled()
        assert "not begun" in str(await hand_out(house, expected=400))
        await asyncio.sleep(4 * 3600)
        assert (await hand_out(house))["key"] == code

    play(tmp_path, scenario)


def test_code_opens_at_once_so_it_is_for_nobody_whose_stay_is_yet_to_begin(tmp_path):
    async def scenario(house):
        await house.policy(backupCodes=True)
        code = (await kept(house))["rmu_101"]["key"]
        await house.publish("evt_1")
        await house.settled()
        assert "not begun" in str(await hand_out(house, expected=400))
        assert (await core_of(house, code))["holder"]["user_id"] == "usr_backup"

    play(tmp_path, scenario)


def test_code_that_was_handed_out_and_ended_is_not_handed_out_again(tmp_path):
    async def scenario(house):
        code, _, answer = await handed_out(house)
        status, told = await order(house, "end-key", code, reason="lost")
        assert status == 200, told
        await house.settled()
        again = await hand_out(house)
        assert again["key"] == answer["following"]

    play(tmp_path, scenario)


def test_code_of_locks_that_were_mapped_to_other_rooms_is_handed_out_to_nobody_and_made_anew(tmp_path):
    async def scenario(house):
        await house.policy(backupCodes=True)
        before = {each["key"] for each in (await kept(house)).values()}
        await house.publish("evt_1", **BEGUN)
        await house.settled()
        for door, room in (("101", "rmu_102"), ("102", "rmu_101")):
            await house.lead(door, room)
        assert "no backup code stands ready" in str(await hand_out(house, expected=400))
        made = await kept(house)
        await asyncio.sleep(20)
        assert len(before - {each["key"] for each in made.values()}) == 2
        handed = (await hand_out(house))["key"]
        await house.settled()
        assert handed == made["rmu_101"]["key"]
        assert (await core_of(house, handed))["rooms"] == ["rmu_101"]

    play(tmp_path, scenario)


def test_code_that_cannot_be_kept_keeps_no_other_from_being_made(tmp_path):
    async def scenario(house):
        await house.policy(backupCodes=True)
        broken = Create(Ref("backup_codes", device_at("101")), {"schema_version": 99, "rooms": ["rmu_101"]})
        await house.fleet.documents.tenant(SILK).commit([broken])
        made = await kept(house)
        assert all("key" in made[room] for room in ("rmu_102", "rmu_203", "rmu_204"))
        (line,) = house.logged("ERROR")
        assert (line["message"], line["deviceId"]) == ("a backup code could not be kept", device_at("101"))

    play(tmp_path, scenario)


def test_backup_code_of_a_lock_that_leaves_is_taken_back_with_it_and_not_made_again(tmp_path):
    async def scenario(house):
        await house.policy(backupCodes=True)
        await look(house)
        code = (await kept(house))["rmu_102"]["key"]
        leaving = {"tenant": str(SILK), "device": device_at("102"), "by": "usr_7", "because": "bricked up"}
        status, answer = await house.on.send("take-out-of-use", leaving, caller="operator")
        assert (status, answer["keys"] in ([], [code])) == (200, True), answer
        await house.settled()
        assert (await key(house, code))["credential"]["state"]["type"] == "revoked"
        assert await house.keys_at("102") == []
        assert len(await house.keys_at("front")) == 3
        assert (await kept(house))["rmu_102"].get("key") is None
        assert await house.keys_at("102") == []

    play(tmp_path, scenario)
