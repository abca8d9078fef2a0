"""Locks compared with the ledger: what nobody knows is told, what lingers goes, what vanished comes back."""

import asyncio
from dataclasses import replace
from datetime import datetime

import pytest

from infra.simulators.kit.door import Written
from infra.simulators.kit.windows import Window
from tests.support.compared import booked, compare, findings, judge, lose, opens, restored, stranger, swept
from tests.support.sample_hotel import DOORS, device_at, play


async def last(house):
    (comparison,) = (await house.documents("comparisons")).values()
    return comparison


def test_a_key_that_vanished_from_its_lock_is_placed_again_with_the_same_pin(tmp_path):
    async def scenario(house):
        await booked(house)
        (before,) = await house.keys_at("101")
        lose(house, "101")
        await compare(house)
        (finding,) = await findings(house)
        assert (finding["kind"], finding["device_id"]) == ("vanished", device_at("101"))
        await swept(house)
        (after,) = await house.keys_at("101")
        assert (after["code"], after["name"]) == (before["code"], before["name"])
        assert opens(house, "101", before["code"])
        await compare(house)
        assert not await findings(house)

    play(tmp_path, scenario)


def test_nothing_is_found_where_locks_are_as_the_ledger_has_them(tmp_path):
    async def scenario(house):
        await booked(house, 3)
        await compare(house)
        assert not await house.documents("findings")
        comparison = await last(house)
        assert (comparison["progress"], comparison["compared"], comparison["expected"]) == ("done", 5, 6)

    play(tmp_path, scenario)


def test_a_key_that_nobody_knows_is_told_once_without_its_secret_and_removed_by_a_persons_word(tmp_path):
    async def scenario(house):
        await booked(house)
        stranger(house, "101")
        stranger(house, "101", "731905")
        await compare(house)
        await compare(house)
        first, second = await findings(house, "unknown")
        assert {first["name"], second["name"]} == {None}
        assert "Cleaner" not in str(await house.documents("findings"))
        assert len([line for line in house.logged("ALERT") if "nobody" in line["message"]]) == 2
        gone = "905173" if opens(house, "101", "905173") else None
        await judge(house, first, "remove")
        left = [each["id"] for each in await findings(house)]
        assert left == [second["id"]]
        # Of two of one name the one that was meant is gone, and the guest's key stays.
        assert [opens(house, "101", code) for code in ("905173", "731905")].count(True) == 1
        assert gone
        assert len(await house.keys_at("101")) == 2

    play(tmp_path, scenario)


def test_words_given_at_once_about_several_locks_are_all_heeded(tmp_path):
    async def scenario(house):
        await booked(house, 4)
        doors = ("101", "102", "203", "204")
        for door in doors:
            stranger(house, door)
        await compare(house)
        found = await findings(house, "unknown")
        await asyncio.gather(*(judge(house, finding, "remove") for finding in found))
        assert [opens(house, door, "905173") for door in doors] == [False] * 4
        assert not await findings(house)

    play(tmp_path, scenario)


def test_what_vanished_and_is_wanted_no_more_is_settled_within_the_hour(tmp_path):
    async def scenario(house):
        await booked(house)
        lose(house, "101")
        await compare(house, "restored")
        await house.publish("evt_off", "cancelled", time="2026-03-01T09:30:00Z", reservationId="rsv_0")
        await house.settled()
        assert await findings(house)
        await asyncio.sleep(3600)
        assert not await findings(house)

    play(tmp_path, scenario)


def test_a_key_that_somebody_adopted_is_asked_about_no_more_until_its_time(tmp_path):
    async def scenario(house):
        await booked(house)
        stranger(house, "101")
        await compare(house)
        (finding,) = await findings(house)
        until = "2026-03-01T12:00:00Z"
        status, _ = await judge(house, finding, "adopt", because="the cleaners", until=until)
        assert status == 200
        await compare(house)
        (kept,) = await findings(house)
        assert (kept["given"]["by"], kept["given"]["because"]) == ("usr_7", "the cleaners")
        assert "open" not in kept
        assert "adopted" in kept
        assert opens(house, "101", "905173")
        await asyncio.sleep(5 * 3600)  # the hourly round finds that its time is over
        await house.settled()
        assert not opens(house, "101", "905173")
        assert not await findings(house)

    play(tmp_path, scenario)


def test_a_key_of_ours_that_the_ledger_calls_gone_is_removed(tmp_path):
    async def scenario(house):
        await booked(house, 2)
        (row,) = await house.keys_at("101")
        await house.publish("evt_off", "cancelled", time="2026-03-01T09:30:00Z", reservationId="rsv_0")
        await house.settled()
        assert not await house.keys_at("101")
        stranger_of = await house.keys_at("102")
        assert stranger_of
        restored(house, "101", row)
        await compare(house)
        assert not opens(house, "101", row["code"])
        (finding,) = (await house.documents("findings")).values()
        assert (finding["kind"], finding["end"]) == ("lingering", "removed")

    play(tmp_path, scenario)


def test_a_lingering_key_that_its_lock_keeps_is_asked_for_each_hour_and_told(tmp_path):
    async def scenario(house):
        await booked(house)
        (row,) = await house.keys_at("101")
        await house.publish("evt_off", "cancelled", time="2026-03-01T09:30:00Z", reservationId="rsv_0")
        await house.settled()
        restored(house, "101", row)
        await house.fault("errcode:-3036", "keyboardPwd/delete")
        await compare(house)
        (finding,) = await findings(house, "lingering")
        assert finding["cause"] == "gateway_offline"
        assert [line for line in house.logged("ALERT") if line.get("finding") == finding["id"]]
        await house.mend()
        await asyncio.sleep(2 * 3600)
        await house.settled()
        assert not opens(house, "101", row["code"])
        assert not await findings(house)

    play(tmp_path, scenario)


def test_a_key_that_somebody_moved_by_a_year_is_put_right(tmp_path):
    async def scenario(house):
        from dataclasses import replace

        await booked(house)
        cloud, lock = house.sim.cloud, int(DOORS["101"])
        (row,) = cloud.passcodes.of(lock)
        late = Window(row.window.start, row.window.end + 365 * 86_400_000)
        cloud.passcodes.put(row.passcode_id, replace(row, window=late))
        cloud.doors[lock].codes[row.code] = Written(late)
        await compare(house)
        (finding,) = await findings(house)
        assert finding["kind"] == "altered"
        await swept(house)
        (after,) = await house.keys_at("101")
        assert after["window"]["end"] == row.window.end
        await compare(house)
        assert not await findings(house)

    play(tmp_path, scenario)


def test_a_key_that_somebody_renamed_is_known_by_its_number(tmp_path):
    async def scenario(house):
        from dataclasses import replace

        await booked(house)
        cloud, lock = house.sim.cloud, int(DOORS["101"])
        (row,) = cloud.passcodes.of(lock)
        cloud.passcodes.put(row.passcode_id, replace(row, name="Mr Khan"))
        await compare(house)
        assert not await house.documents("findings")

    play(tmp_path, scenario)


def test_when_too_much_is_gone_nobody_believes_it_without_a_word(tmp_path):
    async def scenario(house):
        await booked(house, 4)
        rows = await house.keys_at("front")
        for door in ("front", "101"):
            lose(house, door)
        await compare(house)
        assert (await last(house))["progress"] == "braked"
        (alert,) = [line for line in house.logged("ALERT") if "vanished" in line["message"]]
        assert (alert["gone"], alert["expected"], alert["runbook"]) == (5, 8, "lock/findings")
        assert alert["because"] == "5 of 8 keys at ttlock's locks"
        await swept(house)
        assert not await house.keys_at("front")
        for finding in await findings(house, "vanished"):
            assert (await judge(house, finding, "place"))[0] == 200
        await swept(house)
        assert {row["code"] for row in await house.keys_at("front")} == {row["code"] for row in rows}
        await compare(house)
        assert not await findings(house)

    play(tmp_path, scenario)


@pytest.mark.parametrize("fault", ["http_500", "drop", "http_403", "errcode:-4037", "errcode:90000"])
def test_a_list_that_is_none_says_nothing_of_its_lock(tmp_path, fault):
    async def scenario(house):
        await booked(house, 2)
        await house.fault(fault, "lock/listKeyboardPwd")
        await compare(house)
        comparison = await last(house)
        assert comparison["gone"] == comparison["expected"] == 0
        assert comparison["progress"] == "broken_off" or len(comparison["unread"]) == 5
        assert not await house.documents("findings")
        await house.mend()
        await asyncio.sleep(2 * 3600)
        await compare(house)
        assert (await last(house))["expected"] == 4

    play(tmp_path, scenario)


def test_after_a_restore_what_vanished_waits_for_a_word(tmp_path):
    async def scenario(house):
        await booked(house)
        lose(house, "101")
        await compare(house, "restored")
        await swept(house)
        (finding,) = await findings(house)
        assert (finding["kind"], finding["held"]) == ("vanished", True)
        assert not await house.keys_at("101")
        await compare(house)
        await swept(house)
        assert not await house.keys_at("101")
        await judge(house, finding, "place")
        await swept(house)
        assert await house.keys_at("101")

    play(tmp_path, scenario)


def test_doors_that_were_started_anew_get_all_their_keys_back(tmp_path):
    async def scenario(house):
        await booked(house, 4)
        for door in DOORS:
            lose(house, door)
        await compare(house, "emptied")
        await swept(house)
        assert len(await house.keys_at("front")) == 4
        assert all([len(await house.keys_at(door)) == 1 for door in ("101", "102", "203", "204")])

    play(tmp_path, scenario)


@pytest.mark.parametrize("nights", [1, pytest.param(3, marks=pytest.mark.soak)])
def test_locks_are_compared_once_a_night_by_the_hotels_clock(tmp_path, nights):
    async def scenario(house):
        await booked(house)
        lose(house, "101")
        await asyncio.sleep(12 * 3600)
        kept = (await house.documents("comparisons")).values()
        assert "nightly" not in {each["occasion"] for each in kept}  # in Kabul it is not yet three
        await asyncio.sleep(nights * 24 * 3600)
        await house.settled()
        comparison = await last(house)
        assert comparison["progress"] == "done"
        assert await house.keys_at("101")
        listed = [each for each in house.vendor.paths if each == "/v3/lock/listKeyboardPwd"]
        assert len(listed) < 20 * nights

    play(tmp_path, scenario)


def test_a_finding_takes_no_word_that_does_not_fit_it(tmp_path):
    async def scenario(house):
        await booked(house)
        lose(house, "101")
        await compare(house, "restored")
        (finding,) = await findings(house)
        status, answer = await judge(house, finding, "adopt")
        assert (status, answer["error"]["field"]) == (400, "word")
        assert (await judge(house, {"id": "fnd_00000000000000000000000000"}, "place"))[0] == 400

    play(tmp_path, scenario)


def test_what_ended_meanwhile_is_not_placed_again(tmp_path):
    async def scenario(house):
        await booked(house)
        lose(house, "101")
        await compare(house, "restored")
        (finding,) = await findings(house)
        await house.publish("evt_off", "cancelled", time="2026-03-01T09:30:00Z", reservationId="rsv_0")
        await house.settled()
        await judge(house, finding, "place")
        await swept(house)
        assert not await house.keys_at("101")
        assert not await findings(house)

    play(tmp_path, scenario)


def test_a_computed_code_has_all_of_its_stay_once_its_lock_is_compared_in_reach_of_its_gateway(tmp_path):
    """Ten to three, and noon and ten minutes, on the wall in Kabul: the code is of whole hours within."""
    stay = {"validFrom": "2026-03-01T10:20:00Z", "validUntil": "2026-03-03T07:40:00Z"}
    whole, all_of_it = (
        [int(datetime.fromisoformat(each).timestamp() * 1000) for each in window]
        for window in (("2026-03-01T10:30:00Z", "2026-03-03T07:30:00Z"), stay.values())
    )

    async def scenario(house):
        async def opens_in():
            (row,) = await house.keys_at("101")
            return row["code"], [row["window"][each] for each in ("start", "end")]

        await house.unmap("front")
        await house.steer("PATCH", "gateways/501", online=False)
        await booked(house, **stay)
        code, window = await opens_in()
        assert window == whole
        await compare(house)
        await swept(house)
        assert await opens_in() == (code, whole)
        await house.steer("PATCH", "gateways/501", online=True)
        await compare(house)
        await swept(house)
        assert await opens_in() == (code, all_of_it)
        await compare(house)
        assert not await findings(house)

    play(tmp_path, scenario)


def second_code(house, door):
    """Let a lock have another code of the same key, as a call that nobody heard of makes late."""
    cloud, lock = house.sim.cloud, int(DOORS[door])
    (first,) = cloud.passcodes.of(lock)
    known = cloud.doors[lock].algorithmic
    window = Window(first.window.start, first.window.end - 3_600_000)
    code, number = "7350912", cloud.next_id()
    known[code] = replace(known[first.code], code=code, window=window)
    cloud.passcodes.put(number, replace(first, passcode_id=number, code=code, window=window))
    return code


async def left(house):
    """Return what residue list shows, and whether doctor says that locks keep something."""
    _, shown = await house.on.send("_cloud/residues", caller="operator", method="GET")
    _, facts = await house.on.send("_cloud/attention", caller="operator", method="GET")
    return [(each["cause"], each["device"]) for each in shown["residues"]], facts["residual_locks"]


def test_a_second_code_of_a_key_is_listed_as_left_until_the_gateway_lets_it_be_deleted(tmp_path):
    async def scenario(house):
        await house.unmap("front")
        await house.steer("PATCH", "gateways/501", online=False)
        await booked(house, validFrom="2026-03-01T10:30:00Z", validUntil="2026-03-03T07:30:00Z")
        ours = {row["code"] for row in await house.keys_at("101")}
        assert await left(house) == ([], 0)
        other = second_code(house, "101")
        await compare(house)
        await swept(house)
        assert {row["code"] for row in await house.keys_at("101")} == {*ours, other}
        assert await left(house) == ([("second_code", device_at("101"))], 1)
        await house.steer("PATCH", "gateways/501", online=True)
        await compare(house)
        await swept(house)
        assert {row["code"] for row in await house.keys_at("101")} == ours
        assert await left(house) == ([], 0)

    play(tmp_path, scenario)
