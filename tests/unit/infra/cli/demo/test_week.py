"""How a week is told: moment by moment, and what its verdict says of one that was not so."""

import asyncio

import pytest

from infra.cli.demo import week
from infra.cli.demo.claim import Claim, Proof
from infra.cli.demo.week_house import DAYS_OF_WEEK, hotel_time
from infra.cli.demo.week_story import MOMENTS, Moment
from infra.cli.polling import Patience

LACKING = {"melmastoon.lock.encoder_session.opened.v1": "no desk"}
SEEN = {
    "subjects": ["melmastoon.lock.credential.issued.v1"],
    "lacking": LACKING,
    "told": 11,
    "tries": 37,
}


def told(claims, monkeypatch):
    monkeypatch.setattr(week, "played", lambda _: (claims, SEEN))
    telling, parts = week.week(), []
    while True:
        try:
            parts.append(str(next(telling)))
        except StopIteration as end:
            return parts, end.value


def claims(count):
    return [Claim(each.name, each.claim, True, 0.1) for each in MOMENTS[:count]]


def test_week_that_held_names_every_subject_that_was_told(monkeypatch):
    parts, answer = told(claims(len(MOMENTS)), monkeypatch)
    assert "Mon 14:05  ✓ Each guest opens their room" in parts[2]
    assert (answer.exit_code, answer.facts["held"], answer.facts["subjects"]) == (0, True, SEEN["subjects"])
    assert str(answer.said[-1]).strip() == "melmastoon.lock.encoder_session.opened.v1: no desk"


def test_week_of_which_a_moment_was_not_so_ends_with_it_and_says_so(monkeypatch):
    wrong = Claim("arrived", "Each guest opens their room.", False, 0.1, {"own": {"rsv_late": False}})
    parts, answer = told([*claims(1), wrong], monkeypatch)
    assert (answer.exit_code, answer.facts["held"]) == (1, False)
    assert "seen instead: {'own': {'rsv_late': False}}" in parts[-1]
    assert "It was not so" in str(answer.said[0])


def test_week_lives_in_memory_where_there_is_room_and_on_the_disk_elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(week, "MEMORY", tmp_path)
    with week.home() as folder:
        assert (folder.parent.parent, folder.parent.stat().st_mode & 0o777) == (tmp_path, 0o700)
    assert not folder.parent.exists()
    for without in ({"MEMORY": tmp_path / "none"}, {"MEMORY": tmp_path, "ROOM": float("inf")}):
        for name, value in without.items():
            monkeypatch.setattr(week, name, value)
        with week.home() as folder:
            assert folder.parent.parent != tmp_path


def test_moments_come_in_the_order_of_the_hotel_s_clock():
    times = [hotel_time(*moment.when) for moment in MOMENTS]
    assert times == sorted(times)
    assert hotel_time("Mon", "14:00").isoformat() == "2026-03-02T14:00:00+04:30"
    assert len(DAYS_OF_WEEK) == 7


@pytest.mark.parametrize("held", [True, False])
def test_moment_is_claimed_as_it_was_seen_at_its_time(held):
    came = []

    class Nowhere:
        async def until(self, day, clock):
            came.append((day, clock))

    async def play(_):
        return Proof(held, {"seen": 1})

    moment = Moment("m", ("Tue", "02:02"), "It is so.", play)
    claim = asyncio.run(week._claimed(moment, Nowhere(), Patience()))
    assert (claim.held, claim.seen, came) == (held, {"seen": 1}, [("Tue", "02:02")])
