"""keyfleet reconcile, and keyfleet finding list, adopt, remove and place."""

import pytest

FINDING, OTHER = "fnd_01KSAMP1E00000000000000001", "fnd_01KSAMP1E00000000000000002"
ALL = "/findings"
UNKNOWN = {
    "finding": FINDING,
    "kind": "unknown",
    "tenant": "tnt_silk",
    "property": "ppt_kabul",
    "vendor": "ttlock",
    "device": "lck_01KSAMP1E00000000000000101",
    "label": "Room 101",
    "key_kind": "pin_code",
    "vendor_name": None,
    "key": None,
    "grant": None,
    "opens_from": "2026-03-01T10:00:00Z",
    "opens_until": "2026-03-02T10:00:00Z",
    "found_at": "2026-03-01T10:05:00.000Z",
    "held": False,
    "cause": None,
    "word": None,
    "by": None,
    "because": None,
    "until": None,
}
LOST = {**UNKNOWN, "finding": OTHER, "kind": "vanished", "held": True, "key": "key_7", "vendor_name": "MM-7"}
WALKED = {
    "tenant": "tnt_silk",
    "property": "ppt_kabul",
    "vendor": "ttlock",
    "run": "run-1",
    "occasion": "asked",
    "progress": "done",
    "compared": 5,
    "expected": 6,
    "gone": 1,
    "unread": [],
    "cause": None,
}
GIVEN = {"finding": FINDING, "word": "remove"}


def _found(*findings, comparisons=(WALKED,), adopted=()):
    return {"findings": list(findings), "adopted": list(adopted), "comparisons": list(comparisons)}


def test_what_was_found_is_listed_with_what_it_is_and_the_ways_out(fleet, ask):
    fleet.will("GET", ALL, _found(UNKNOWN, LOST))
    head, _, unknown, lost, way, page = ask("finding", "list").stdout.splitlines()
    assert head == "ttlock at ppt_kabul: 5 locks compared, 6 keys expected, 1 gone. "
    assert " ".join(unknown.split()).startswith(f"{FINDING} unknown Room 101 pin code a name people gave")
    assert " ".join(lost.split()).startswith(f"{OTHER} vanished, waits for a word Room 101 pin code MM-7")
    assert way.endswith(f"FINDING --by USER{fleet.place.flags}")
    assert page.endswith("infra/runbooks/lock/findings.md")


@pytest.mark.parametrize(
    ("news", "said"),
    [
        ({"progress": "braked"}, "So many are gone that nothing is placed without a word."),
        (
            {"progress": "broken_off", "cause": "no_connection"},
            "It broke off: no connection to the vendor (no_connection); it is",
        ),
        ({"unread": ["lck_1"]}, "1 lock could not be listed"),
    ],
)
def test_a_comparison_says_what_it_could_not_do(fleet, ask, news, said):
    fleet.will("GET", ALL, _found(comparisons=[{**WALKED, **news}]))
    assert said in ask("finding", "list").stdout


def test_where_nothing_was_compared_yet_nobody_says_that_all_is_well(fleet, ask):
    fleet.will("GET", ALL, _found(comparisons=()))
    assert ask("finding", "list").stdout.startswith("No lock was compared yet: keyfleet reconcile")
    fleet.will("GET", ALL, _found())
    assert "is as the ledger has it" in ask("finding", "list").stdout


@pytest.mark.parametrize("progress", ["broken_off", "under_way"])
def test_where_no_comparison_came_to_its_end_nobody_says_that_all_is_well(fleet, ask, progress):
    fleet.will(
        "GET", ALL, _found(comparisons=[{**WALKED, "progress": progress, "compared": 0, "cause": "x"}])
    )
    told = ask("finding", "list").stdout
    assert "No comparison came to its end" in told
    assert "as the ledger has it" not in told


def test_locks_are_compared_and_waited_for(fleet, facts):
    fleet.serves("compare-locks", {"begun": [WALKED]})
    fleet.will("GET", f"{ALL}?tenant=tnt_silk", _found(UNKNOWN))
    asked = ["--tenant", "tnt_silk", "--hotel", "ppt_kabul", "--restored"]
    assert facts("reconcile", *asked)["findings"] == [UNKNOWN]
    body = {"occasion": "restored", "tenant": "tnt_silk", "property": "ppt_kabul"}
    assert ("POST", "/compare-locks", body) in fleet.asked


@pytest.mark.parametrize("given", [["--hotel", "ppt_kabul"], ["--tenant", "tnt_silk", "--lock", "lck_1"]])
def test_a_place_is_named_from_the_tenant_down(fleet, ask, given):
    assert ask("reconcile", *given).exit_code == 2


def test_locks_that_there_are_not_are_refused(fleet, ask):
    fleet.serves("compare-locks", {"begun": []})
    assert "no such locks" in ask("reconcile").stderr


@pytest.mark.parametrize(("which", "meant"), [([FINDING], [FINDING]), (["all"], [FINDING])])
def test_a_person_decides_by_name_or_about_all_that_fit(fleet, ask, which, meant):
    fleet.will("GET", ALL, _found(UNKNOWN, LOST))
    fleet.serves("judge-finding", GIVEN)
    result = ask("finding", "remove", *which, "--by", "usr_7", "--because", "not ours")
    said = {"tenant": "tnt_silk", "word": "remove", "by": "usr_7", "because": "not ours"}
    told = [body for _, path, body in fleet.asked if path == "/judge-finding"]
    assert told == [{**said, "finding": each} for each in meant]
    assert f"{FINDING}: remove, by usr_7." in result.stdout


def test_a_finding_that_there_is_not_is_refused_before_anything_is_done(fleet, ask):
    fleet.will("GET", ALL, _found(UNKNOWN))
    result = ask("finding", "place", FINDING, "fnd_2", "--by", "usr_7")
    assert result.exit_code == 2
    assert "no finding 'fnd_2'" in result.stderr
    assert not [path for _, path, _ in fleet.asked if path == "/judge-finding"]
