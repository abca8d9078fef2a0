"""A backup is put back: what was made since is told, what was taken away since stays away (trial ES2)."""

import shutil

import pytest

from shared.usecases.reconcile import begin_comparison
from tests.chaos.power_cut import Street
from tests.support.verdict import Books
from tests.workflows.residues.test_locks_compared import booked, findings, judge, swept

OFF = {"subject": "cancelled", "time": "2026-03-01T09:30:00Z", "reservationId": "rsv_0"}


async def booked_later(house):
    """Have a stay that no backup knows."""
    guest = {"id": "gst_9"}
    await house.publish("evt_9", reservationId="rsv_9", guest=guest, rooms=["rmu_102"])
    await house.keys_active(2)
    await house.settled()


@pytest.fixture
def street(tmp_path):
    """A home whose backup knows one stay; since then it was called off, and another was booked."""
    street = Street(tmp_path / "home")
    assert street.live(booked)
    shutil.copytree(street.home, tmp_path / "backup")

    async def since(house):
        await booked_later(house)
        await house.publish("evt_off", **OFF)
        await house.settled()

    assert street.live(since)
    shutil.rmtree(street.home)
    shutil.copytree(tmp_path / "backup", street.home)
    return street


def test_es2_keys_made_since_the_backup_are_told_and_none_that_was_taken_back_returns(street):
    async def restored(house):
        await swept(house)
        found = {(each["kind"], each["held"]) for each in await findings(house)}
        assert found == {("unknown", True), ("vanished", True)}
        assert not await house.keys_at("101")
        told = [line for line in house.logged("ALERT") if "nobody" in line["message"]]
        there = [row for door in ("102", "front") for row in await house.keys_at(door)]
        assert {line["name"] for line in told} == {row["name"] for row in there}
        await told_again(house)
        for finding in await findings(house, "unknown"):
            assert (await judge(house, finding, "remove"))[0] == 200
        assert not await findings(house, "unknown")
        assert [len(await house.keys_at(door)) for door in ("101", "102", "front")] == [0, 1, 1]

    assert street.live(restored)


def test_a_hotel_that_could_not_be_compared_after_a_restore_is_compared_at_the_next_start(
    street, monkeypatch
):
    async def look(house):
        await swept(house)

    async def broken(*_):
        raise OSError("this hotel cannot be read")

    with monkeypatch.context() as patched:
        patched.setattr(begin_comparison, "_begun_at", broken)
        assert street.live(idle)
    assert not Books(street.home).of("comparisons")
    assert street.live(look)
    (compared,) = Books(street.home).of("comparisons").values()
    assert compared["occasion"] == "restored"


async def idle(house):
    """Start, and do nothing."""
    await house.settled()


async def told_again(house):
    """Have the booking system tell again what it told since the backup."""
    await house.publish("evt_off", **OFF)
    await house.publish("evt_9", reservationId="rsv_9", guest={"id": "gst_9"}, rooms=["rmu_102"])
    await house.keys_active(1)
    await house.settled()


def test_a_restore_is_known_once_however_often_the_fleet_starts_after_it(street):
    async def look(house):
        await swept(house)

    assert street.live(look)
    runs = [each["run"] for each in Books(street.home).of("comparisons").values()]
    assert street.live(look)
    assert [each["run"] for each in Books(street.home).of("comparisons").values()] == runs
