"""keyfleet sim calls, clock, reset: what the vendor was asked, its time, a new beginning."""

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
    assert ask("clock", "--advance", "3600").stdout == "2026-05-01 13:00:00 UTC, 3600 s ahead of here\n"
    assert facts("clock")["aheadSeconds"] == 3600


def test_reset_empties_every_door(vendor, ask, facts):
    vendor.add_code(ROOM, "482913")
    assert ask("reset").stdout == "5 doors, and nothing opens them.\n"
    assert not any(lock["codes"] for lock in facts("locks")["locks"])
