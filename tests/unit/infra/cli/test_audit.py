"""keyfleet audit: what it asks of a fleet, what it writes, and what it says."""

import base64

import pytest

LATE = {"log": "tnt_silk", "closed": "2026-11-15", "size": 9, "closed_at": "2026-11-16T02:00:05Z", "key": "k"}
OPEN = {**LATE, "log": "cell", "closed": None, "size": 0, "closed_at": None, "next": None, "overdue": False}
HANDED = {
    "export": "exp_1",
    "closed_up_to": "2026-11-18",
    "entries": 6,
    "complete_for": "streams",
    "pack": base64.b64encode(b"lines\n").decode(),
    "page": "<!doctype html>",
    "policy": "log a+1+b\n",
}
WHO = ("--tenant", "tnt_silk", "--by", "usr_7")


def test_an_overdue_log_is_told_of_and_the_exit_status_says_so(fleet, ask):
    fleet.serves("audit-status", {"logs": [{**LATE, "next": "2026-11-16", "overdue": True}, OPEN]})
    said = ask("audit", "status")
    assert said.exit_code == 1
    assert "tnt_silk 2026-11-15 9" in " ".join(said.stdout.split())
    assert "2026-11-16, overdue" in said.stdout
    assert "infra/runbooks/audit/anchor.md" in said.stdout


def test_logs_that_stand_well_are_shown(fleet, ask):
    fleet.serves("audit-status", {"logs": [OPEN]})
    said = ask("audit", "status")
    assert (said.exit_code, "never" in said.stdout) == (0, True)


def test_a_stays_evidence_is_written_into_files_of_ones_own(fleet, ask, tmp_path):
    fleet.serves("audit-pack", HANDED)
    said = ask("audit", "pack", "--stay", "rsv_1", *WHO, "--out", str(tmp_path), "--language", "ps")
    assert said.exit_code == 0, said.stdout
    assert (tmp_path / "audit-stay-rsv_1.jsonl").read_bytes() == b"lines\n"
    assert (tmp_path / "audit-stay-rsv_1.html").read_text() == "<!doctype html>"
    assert (tmp_path / "audit-stay-rsv_1.policy").stat().st_mode & 0o777 == 0o600
    assert "keyfleet verify" in said.stdout
    (_, _, asked) = fleet.asked[-1]
    assert asked | {"kind": "stay", "reservation": "rsv_1", "by": "usr_7", "language": "ps"} == asked


def test_no_file_is_replaced(fleet, ask, tmp_path):
    fleet.serves("audit-pack", HANDED)
    (tmp_path / "audit-stay-rsv_1.jsonl").write_text("mine")
    said = ask("audit", "pack", "--stay", "rsv_1", *WHO, "--out", str(tmp_path))
    assert said.exit_code != 0
    assert (tmp_path / "audit-stay-rsv_1.jsonl").read_text() == "mine"


def test_a_folder_is_made_for_its_owner_alone(fleet, ask, tmp_path):
    fleet.serves("audit-pack", HANDED)
    out = tmp_path / "evidence" / "of_room_101"
    said = ask("audit", "pack", "--stay", "rsv_1", *WHO, "--out", str(out))
    assert (said.exit_code, out.stat().st_mode & 0o777) == (0, 0o700)
    (tmp_path / "file").touch()
    under = ask("audit", "pack", "--stay", "rsv_1", *WHO, "--out", str(tmp_path / "file"))
    assert (under.exit_code, "is there already" in under.output) == (2, True)


@pytest.mark.parametrize(
    ("given", "remedy"),
    [
        ("2026-11-22", "write it as 2026-11-22T00:00:00Z"),
        ("2026-11-22T09:30", "write it as 2026-11-22T09:30:00Z"),
        ("yesterday", "is no time"),
    ],
)
@pytest.mark.parametrize("option", ["--since", "--until"])
def test_a_time_without_its_zone_is_given_back_as_it_is_written(fleet, ask, option, given, remedy):
    said = ask("audit", "pack", "--staff", "usr_1", *WHO, option, given)
    told = " ".join(said.output.split())
    assert (said.exit_code, remedy in told, option in told, fleet.asked) == (2, True, True, [])


def test_one_thing_is_asked_about_at_a_time(fleet, ask):
    assert ask("audit", "pack", *WHO).exit_code == 2
    assert ask("audit", "pack", "--stay", "rsv_1", "--staff", "usr_1", *WHO).exit_code == 2


def test_an_export_is_of_one_guest(fleet, ask, tmp_path):
    fleet.serves("audit-rights", {**HANDED, "stays": []})
    assert ask("audit", "export", "gst_1", *WHO, "--out", str(tmp_path)).exit_code == 0
    assert fleet.asked[-1][2]["do"] == "export"
    assert (tmp_path / "audit-guest-gst_1.jsonl").exists()


PHONES = {"accounts_kept": [{"key": "key_1", "because": "it opens until Sunday"}]}


def test_erasure_says_until_when_audit_stays_and_why(fleet, ask):
    kept = {"erased": False, "kept_until": "2033-11-18", "because": "the law"}
    fleet.serves("audit-rights", {"request": "exp_1", "audit": kept, "contacts_erased": 1, **PHONES})
    said = ask("audit", "erase", "gst_1", *WHO).stdout
    assert "Contacts erased: 1." in said
    assert "key_1: it opens until Sunday." in said
    assert "Audit is kept until 2033-11-18: the law." in said


def test_holds_are_named(fleet, ask):
    fleet.serves("audit-rights", {"request": "exp_1", "holds": ["police_request"]})
    assert "police_request" in ask("audit", "hold", "gst_1", *WHO, "--reason", "police_request").stdout
    fleet.serves("audit-rights", {"request": "exp_1", "holds": []})
    said = ask("audit", "release", "gst_1", *WHO, "--reason", "police_request").stdout
    assert "Nobody holds it" in said


def test_a_closed_night_is_told_and_one_that_failed_too(fleet, ask):
    fleet.serves("anchor-due", {"date": "2026-11-18", "execution": "exe_1"})
    done = {"id": "exe_1", "state": "SUCCEEDED", "result": {"date": "2026-11-18", "open": ["tnt_x"]}}
    fleet.will("GET", "/executions/exe_1", done)
    said = ask("audit", "anchor")
    assert (said.exit_code, said.stdout) == (1, "Closed up to 2026-11-18, but for tnt_x.\n")
    fleet.will("GET", "/executions/exe_1", {**done, "state": "FAILED"})
    failed = ask("audit", "anchor")
    assert (failed.exit_code, "could not be closed" in failed.output) == (1, True)


def test_what_leaves_the_cell_is_listed(fleet, ask):
    vendors = [{"vendor": "ttlock", "locks": 5, "properties": ["ppt_kabul"]}]
    fleet.serves("audit-status", {"vendors": vendors, "witness": "bucket (eu-central-1)"})
    said = ask("audit", "egress", "--tenant", "tnt_silk").stdout
    assert "ttlock 5 ppt_kabul" in " ".join(said.split())
    assert "bucket (eu-central-1)" in said


def test_keys_lists_and_witnesses_are_asked_for(fleet, ask):
    fleet.serves("audit-pack", {"policy": "log a+1+b\n"})
    assert ask("audit", "policy", "--tenant", "tnt_silk").stdout == "log a+1+b\n"
    fleet.serves("audit-keys", {"tenant": "tnt_silk", "coming": "a+2+c"})
    assert "a+2+c" in ask("audit", "rotate", "--tenant", "tnt_silk").stdout
    fleet.serves("audit-witness", {"witness": "b+3+d"})
    fleet.serves("audit-cosign", {"witnesses": ["c+4+e"]})
    assert "1 desk may" in ask("audit", "desk", "c+4+e").stdout
    assert "b+3+d" in ask("audit", "witness", "--bucket", "b", "--region", "r").stdout
    listed = {
        "id": "exp_1",
        "at": "2026-11-18T10:00:00Z",
        "what": "export",
        "kind": "guest",
        "about": "alias:1",
    }
    fleet.serves("audit-rights", {"requests": [{**listed, "by": "usr_7", "outcome": "shown"}]})
    assert "guest alias:1" in " ".join(ask("audit", "log", "--tenant", "tnt_silk").stdout.split())
    fleet.serves("audit-rights", {"tenant": "tnt_silk", "days": 3650})
    assert "3650 days" in ask("audit", "keep", "3650", "--tenant", "tnt_silk").stdout
