"""What no lock would let go of, until somebody was at the door and says so."""

import asyncio

import orjson
import pytest

from tests.support.left_at_locks import settlements, stuck_at_its_locks
from tests.support.sample_hotel import SILK, device_at, play


async def residues(house):
    """Return the ids of what is left, by door."""
    kept = [grant["grant"] for grant in (await house.documents("grants")).values()]
    return {each["device_id"]: each["id"] for each in kept if each["state"]["type"] == "residual"}


async def close(house, grant, by="usr_7", tenant=str(SILK), caller="operator"):
    """Say that somebody was at the door."""
    return await house.on.send("close-residue", {"tenant": tenant, "grant": grant, "by": by}, caller=caller)


async def left_at_both_doors(house):
    """Leave a cancelled key at both of its doors, and return the grants, front door first."""
    await stuck_at_its_locks(house)
    await asyncio.sleep(30 * 60)
    left = await residues(house)
    return left[device_at("front")], left[device_at("101")]


async def proofs(house):
    kept = [grant["grant"]["state"] for grant in (await house.documents("grants")).values()]
    return sorted((each.get("proof"), each.get("closed_by")) for each in kept if each["type"] == "removed")


def test_a_residue_that_somebody_closed_is_over_told_in_their_name_and_never_asked_for_again(tmp_path):
    async def scenario(house):
        front, room = await left_at_both_doors(house)
        status, answer = await close(house, front)
        assert (status, answer["proof"]) == (200, "closed_by_staff")
        ok, locks = (await settlements(house))[-1]
        assert not ok
        assert {lock["deviceId"] for lock in locks if lock["ok"]} == {device_at("front")}
        assert await close(house, room, by="usr_8") == (200, {**answer, "grant": room})
        assert (await settlements(house))[-1][0]
        assert await proofs(house) == [("closed_by_staff", "usr_7"), ("closed_by_staff", "usr_8")]
        rows = [row for row in (await house.documents("outbox")).values() if "settled" in row["subject"]]
        assert [row["audit"]["operatorId"] for row in rows] == ["saga", "usr_7", "usr_8"]
        asked = await house.steer("GET", "requests")
        await asyncio.sleep(3 * 3600)
        assert await house.steer("GET", "requests") == asked

    play(tmp_path, scenario)


def test_the_secret_goes_with_the_last_residue_and_nothing_is_owed_any_more(tmp_path):
    async def scenario(house):
        front, room = await left_at_both_doors(house)
        await close(house, front)
        assert await secrets(house)
        await close(house, room)
        assert not await secrets(house)
        (entry,) = (await house.documents("credentials")).values()
        assert "due_at" not in entry
        assert entry["announced"] == entry["credential"]["sequence"]

    play(tmp_path, scenario)


async def secrets(house):
    return house.fleet.means.engine.read(
        "SELECT id FROM packed WHERE db = 'sealed' AND collection = 'key_secrets'"
    )


def test_closing_twice_says_the_same_and_tells_it_once(tmp_path):
    async def scenario(house):
        front, _ = await left_at_both_doors(house)
        first, second = await asyncio.gather(close(house, front), close(house, front, by="usr_8"))
        assert first == second
        assert await close(house, front) == first
        assert len(await settlements(house)) == 2
        assert len(await proofs(house)) == 1

    play(tmp_path, scenario)


def test_a_key_whose_removal_is_still_asked_for_is_not_closed(tmp_path):
    async def scenario(house):
        await stuck_at_its_locks(house)
        await asyncio.sleep(3)
        grant = next(iter(await house.documents("grants")))
        status, answer = await close(house, grant)
        assert (status, answer["error"]["field"]) == (400, "grant")
        assert "removing, not residual" in answer["error"]["problem"]
        assert "saga" in answer["error"]["remedy"]

    play(tmp_path, scenario)


def test_a_residue_that_a_lost_call_may_still_place_anew_is_not_closed_yet(tmp_path):
    async def scenario(house):
        front, _ = await left_at_both_doors(house)
        await house.change("grants", front, lambda kept: {**kept, "busy_until": milliseconds_from(house, 60)})
        status, answer = await close(house, front)
        assert (status, answer["error"]["problem"]) == (400, "a call may still place it")
        await asyncio.sleep(61)
        assert (await close(house, front))[0] == 200

    play(tmp_path, scenario)


def milliseconds_from(house, seconds):
    return round((house.fleet.platform.clock.now().timestamp() + seconds) * 1000)


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("grant", {"grant": "grt_01KSAMP1E00000000000000999"}),
        ("grant", {"grant": "key_1"}),
        ("by", {"by": "a clerk"}),
        ("tenant", {"tenant": "silk"}),
        ("tenantId", {"tenant": "tnt_nobody"}),
    ],
)
def test_what_cannot_be_closed_is_refused_by_field_and_nothing_changes(tmp_path, field, change):
    async def scenario(house):
        front, _ = await left_at_both_doors(house)
        before = await house.documents("grants")
        status, answer = await close(house, **{"grant": front, **change})
        assert (status, answer["error"]["field"]) == (400, field)
        assert answer["error"]["remedy"]
        assert await house.documents("grants") == before

    play(tmp_path, scenario)


def test_nobody_but_an_operator_may_close_a_residue(tmp_path):
    async def scenario(house):
        front, _ = await left_at_both_doors(house)
        assert (await close(house, front, caller=None))[0] == 401
        assert (await close(house, front, caller="workflow-work-on-key"))[0] == 403
        assert len(await residues(house)) == 2

    play(tmp_path, scenario)


def test_who_closed_a_residue_is_in_the_log_and_no_pin_is(tmp_path):
    async def scenario(house):
        front, _ = await left_at_both_doors(house)
        pins = {each["code"] for each in await house.keys_at("front")}
        assert pins
        await close(house, front)
        (line,) = [line for line in house.logged("INFO") if line["message"] == "a residue was closed"]
        assert (line["grantId"], line["by"]) == (front, "usr_7")
        assert not any(pin in orjson.dumps(line).decode() for pin in pins)

    play(tmp_path, scenario)
