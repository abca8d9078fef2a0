"""keyfleet timeline."""

KEY, RUN = "key_01KSAMP1E00000000000000101", "01KSAMP1E0000000000000RUN1"


def _line(at, source, kind, what, about=KEY, branch=""):
    return {"at": at, "source": source, "kind": kind, "about": about, "what": what, "branch": branch}


TOLD = {
    "id": "rsv_7",
    "tenant": "tnt_silk",
    "credentials": [KEY],
    "timeline": [
        _line("2026-03-01T23:59:59.000Z", "booking", "applied", "booked (evt_1)", "rsv_7"),
        _line("2026-03-02T00:00:00.250Z", "event", "published", "1. requested (evt_2)"),
        _line("2026-03-02T00:00:00.300Z", "saga", "started", "work_on_key, generation 1", RUN),
        _line("2026-03-02T00:00:00.301Z", "saga", "retry", "attempt 2 in 4 s", RUN, "rooms/1"),
        _line("2026-03-02T00:00:04.000Z", "attempt", "refused", "attempt 1 of 6: VendorUnreachable"),
        _line("2026-03-02T00:00:05.000Z", "lock", "residual", "Room 101: residual", "grt_1"),
    ],
}


def _will(fleet, told=TOLD, path="/timeline/rsv_7"):
    fleet.will("GET", path, told)


def test_a_timeline_is_printed_as_the_fleet_tells_it(fleet, facts):
    _will(fleet)
    assert facts("timeline", "rsv_7") == TOLD


def test_the_tenant_reaches_the_fleet(fleet, facts):
    _will(fleet, path="/timeline/rsv_7?tenant=tnt_silk")
    assert facts("timeline", "rsv_7", "--tenant", "tnt_silk") == TOLD


def test_everything_is_said_in_order_under_its_day(fleet, ask):
    _will(fleet)
    said = [line.rstrip() for line in ask("timeline", "rsv_7").stdout.splitlines()]
    assert said == [
        f"rsv_7 of tnt_silk: {KEY}",
        "2026-03-01 (UTC)",
        "23:59:59.000  booking ▸ applied: booked (evt_1)",
        "2026-03-02 (UTC)",
        "00:00:00.250  event   ▸ published: 1. requested (evt_2)  …000101",
        "00:00:00.300  saga    ▸ work_on_key, generation 1  …00RUN1",
        "00:00:00.301  saga    ↻ attempt 2 in 4 s  [rooms/1]  …00RUN1",
        "00:00:04.000  attempt ▸ attempt 1 of 6: VendorUnreachable  …000101",
        "00:00:05.000  lock    ▸ Room 101: residual  …grt_1",
    ]


def test_timeline_of_a_hotel_is_told_by_the_clock_on_its_wall_too(fleet, ask):
    _will(fleet, {**TOLD, "zone": "Asia/Kabul"})
    said = [line.rstrip() for line in ask("timeline", "rsv_7").stdout.splitlines()]
    assert said[1] == "2026-03-01 (UTC, and at the hotel)"
    assert said[2] == "23:59:59.000 (2026-03-02 04:29)  booking ▸ applied: booked (evt_1)"
    assert said[4].startswith("00:00:00.250 (04:30)  event ")


def test_a_booking_without_keys_says_so(fleet, ask):
    _will(fleet, {**TOLD, "credentials": [], "timeline": []})
    assert ask("timeline", "rsv_7").stdout == "rsv_7 of tnt_silk: no key\n"


def test_what_is_not_known_is_refused_with_the_fleets_words(fleet, ask):
    fleet.will("GET", "/timeline/rsv_8", {"error": {"kind": "UnknownRecord", "detail": "no booking"}}, 404)
    refused = ask("timeline", "rsv_8")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "no booking" in refused.stderr


def test_how_each_key_stands_ends_the_story_whatever_its_saga_came_to(fleet, ask):
    told = {**TOLD, "standing": [{"id": KEY, "state": "failed", "reason": "key_issue_failed"}]}
    _will(fleet, told)
    said = f"Now {KEY} is failed: the vendor made no key (key_issue_failed)."
    assert ask("timeline", "rsv_7").stdout.splitlines()[-1] == said


def test_a_vendors_code_is_told_with_its_meaning(fleet, ask):
    call = _line("2026-03-02T00:00:05.000Z", "vendor", "call", "ttlock keyboardPwd/add: -3002", "grt_1")
    _will(fleet, {**TOLD, "timeline": [call]})
    assert "ttlock keyboardPwd/add: -3002 (gateway offline)" in ask("timeline", "rsv_7").stdout
