"""keyfleet sim calls, clock, reset: what the vendor was asked, its time, a new beginning."""

import pytest

ROOM = 1000101


def test_calls_shows_what_was_asked_and_masks_what_opens_anything(vendor, ask, facts):
    vendor.add_code(ROOM, "482913")
    last = facts("calls", "--operation", "keyboardPwd/add")["calls"][-1]
    assert (last["fields"]["lockId"], last["errcode"]) == (str(ROOM), 0)
    said = ask("calls").stdout
    assert "lockId=1000101 keyboardPwd=***" in said
    assert "482913" not in said + str(last)


def test_calls_tells_refusals_faults_and_broken_connections_apart(vendor, ask):
    vendor.add_code(ROOM, "482913")
    vendor.add_code(ROOM, "482913")
    ask("fault", "add", "keyboardPwd/add", "errcode:-3003")
    vendor.add_code(ROOM, "593024")
    said = ask("calls").stdout
    assert "done" in said
    assert "errcode -3007" in said
    assert "errcode -3003 (errcode:-3003)" in said


def test_calls_shows_the_last_ones(vendor, facts):
    for code in ("482913", "593024"):
        vendor.add_code(ROOM, code)
    shown = facts("calls", "--limit", "2")["calls"]
    assert [call["operation"] for call in shown] == ["keyboardPwd/add", "keyboardPwd/add"]


def test_no_calls_are_said_to_be_none(ask):
    assert ask("calls").stdout == "The vendor was asked nothing.\n"


def test_the_clock_moves_only_when_told_to(ask, facts):
    assert facts("clock")["aheadSeconds"] == 0
    assert ask("clock", "--advance", "3600").stdout == "2026-05-01 13:00:00 UTC, 1 hour ahead of here\n"
    assert facts("clock")["aheadSeconds"] == 3600


@pytest.mark.parametrize("time", ["2026-05-03T15:00:00Z", "2026-05-03T19:30:00+04:30", "2026-05-03 15:00"])
def test_the_clock_goes_to_a_time_that_is_named_from_wherever_it_is(ask, time):
    ask("clock", "--advance", "86400")
    assert ask("clock", "--to", time).stdout == "2026-05-03 15:00:00 UTC, 2 days 3 hours ahead of here\n"


def test_the_clock_says_where_it_is_by_the_clock_here(ask):
    assert ask("clock").stdout == "2026-05-01 12:00:00 UTC, as here\n"
    assert ask("clock", "--advance", "-90").stdout.endswith(" UTC, 1 minute 30 seconds behind here\n")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--to", "noon"), "'noon' is no time"),
        (("--to", "9999-12-31"), "more than a century away"),
        (("--advance", "inf"), "more than a century away"),
        (("--advance", "nan"), "more than a century away"),
        (("--to", "2026-05-03", "--advance", "1"), "pass one of them"),
    ],
)
def test_a_time_that_cannot_be_meant_leaves_the_clock_alone(ask, facts, given, said):
    refused = ask("clock", *given)
    assert (refused.exit_code, said in refused.stderr) == (2, True)
    assert facts("clock")["aheadSeconds"] == 0


def test_calls_of_an_operation_that_is_none_are_refused_with_those_there_are(vendor, ask):
    assert ask("calls", "--operation", "lock/list").stdout == "The vendor was asked nothing.\n"
    refused = ask("calls", "--operation", "nope")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: no operation 'nope'\n  fix: name one of ")
    assert "lock/list" in refused.stderr


def test_reset_empties_every_door(vendor, ask, facts):
    vendor.add_code(ROOM, "482913")
    assert ask("reset").stdout == "5 doors, and nothing opens them.\n"
    assert not any(lock["codes"] for lock in facts("locks")["locks"])
