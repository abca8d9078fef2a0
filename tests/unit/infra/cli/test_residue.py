"""keyfleet residue list and close."""

from tests.unit.infra.cli.test_credentials import KEY

GRANT = KEY["grants"][0]["id"]
ALL = "/residues"
RESIDUE = {
    "grant": GRANT,
    "tenant": "tnt_silk",
    "property": "ppt_kabul",
    "key": KEY["id"],
    "device": "lck_01KSAMP1E00000000000000101",
    "label": "Room 101",
    "vendor_name": "MM-cdcdcdcdcdcd",
    "vendor": "ttlock",
    "reservation": "rsv_7",
    "state": "removing",
    "cause": "gateway_offline",
    "since": "2026-03-01T10:00:00Z",
    "asked_last": "2026-03-01T10:05:00.000Z",
    "next_try": "2026-03-01T10:30:00.000Z",
    "exposure_until": "2026-03-02T10:00:00Z",
}
CLOSED = {"grant": GRANT, "keyCredentialId": KEY["id"], "proof": "closed_by_staff"}


def _will(fleet, *residues):
    fleet.will("GET", ALL, {"residues": list(residues)})


def test_what_is_left_is_listed_lock_by_lock(fleet, facts):
    _will(fleet, RESIDUE)
    assert facts("residue", "list") == {"residues": [RESIDUE]}


def test_each_residue_is_named_as_the_vendor_s_app_shows_it(fleet, ask):
    _will(fleet, RESIDUE)
    heads, row, *_ = ask("residue", "list").stdout.splitlines()
    assert row[heads.index("in the app") :].startswith("MM-cdcdcdcdcdcd ")


def test_residue_of_a_hotel_that_is_known_is_told_by_its_clock_too(fleet, ask):
    _will(fleet, {**RESIDUE, "zone": "Asia/Kabul"})
    row = " ".join(ask("residue", "list").stdout.splitlines()[1].split())
    assert "2026-03-02 10:00:00 UTC, 14:30 at the hotel" in row
    assert "2026-03-01 10:30:00 UTC, 15:00 at the hotel" in row


def test_each_residue_says_until_when_it_may_open_and_why_it_stayed(fleet, ask):
    endless = {**RESIDUE, "exposure_until": None, "label": None, "next_try": None}
    _will(fleet, RESIDUE, endless)
    _, ending, unending, *_ = ask("residue", "list").stdout.splitlines()
    why = "the lock’s gateway is offline (gateway_offline)"
    times = f"{why} 2026-03-01 10:00:00 UTC 2026-03-01 10:30:00 UTC"
    said = f"{GRANT} Room 101 MM-cdcdcdcdcdcd 2026-03-02 10:00:00 UTC {times} {KEY['id']} tnt_silk"
    assert " ".join(ending.split()) == said
    assert f"{RESIDUE['device']} MM-cdcdcdcdcdcd it is removed {why}" in " ".join(unending.split())


def test_both_ways_out_of_a_residue_are_told(fleet, ask):
    _will(fleet, RESIDUE)
    *_, asking, closing = ask("residue", "list").stdout.splitlines()
    assert asking.endswith(f": keyfleet ask-again GRANT{fleet.place.flags}")
    assert closing.endswith(f": keyfleet residue close GRANT --by USER{fleet.place.flags}")


def test_nothing_left_is_said_so(fleet, ask):
    _will(fleet)
    assert ask("residue", "list").stdout == "Nothing is left anywhere.\n"


def test_one_tenant_s_residues_are_asked_for_by_its_name(fleet, facts):
    fleet.will("GET", f"{ALL}?tenant=tnt_silk", {"residues": [RESIDUE]})
    assert facts("residue", "list", "--tenant", "tnt_silk") == {"residues": [RESIDUE]}


def test_whose_a_residue_is_need_not_be_said_to_close_it(ask):
    assert "Whose it is" in ask("residue", "close", "--help").stdout


def test_closing_tells_the_fleet_who_was_at_the_door(fleet, facts, ask):
    _will(fleet, RESIDUE)
    fleet.serves("close-residue", CLOSED)
    assert facts("residue", "close", GRANT, "--by", "usr_7") == CLOSED
    assert fleet.asked[-1] == (
        "POST",
        "/close-residue",
        {"tenant": "tnt_silk", "grant": GRANT, "by": "usr_7"},
    )
    said = ask("residue", "close", GRANT, "--by", "usr_7").stdout
    assert said == f"{GRANT} at Room 101 is closed, by usr_7.\n"


def test_what_is_no_residue_is_refused_before_anything_is_done(fleet, ask):
    _will(fleet, RESIDUE)
    refused = ask("residue", "close", "grt_other", "--by", "usr_7")
    assert refused.exit_code == 2
    assert "no residue 'grt_other'" in refused.stderr
    assert "keyfleet residue list" in refused.stderr
    assert len(fleet.asked) == 1


def test_a_refusal_of_the_function_names_field_and_remedy(fleet, ask):
    _will(fleet, RESIDUE)
    problem = {"field": "by", "problem": "does not start with 'usr_'", "remedy": "Give a user"}
    fleet.serves("close-residue", {"error": problem}, status=400)
    refused = ask("residue", "close", GRANT, "--by", "me")
    assert refused.exit_code == 2
    assert "by: does not start with 'usr_'" in refused.stderr
    assert "Give a user" in refused.stderr


def test_a_key_that_is_nobodys_is_listed_with_where_to_decide_about_it(fleet, ask):
    _will(fleet, {**RESIDUE, "grant": "fnd_01KSAMP1E00000000000000001", "cause": "unknown", "next_try": None})
    *_, way = ask("residue", "list").stdout.splitlines()
    assert way == f"About each that begins with fnd_: keyfleet finding list{fleet.place.flags}"
