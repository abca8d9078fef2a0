"""keyfleet tenant: what is kept is shown, exported, proven; nothing is removed but on a word said twice."""

import json

import pytest

STANDING = {
    "tenant": "tnt_silk",
    "documents": {"audit_logs": 1, "credentials": 2},
    "sealed": {"guest_keys": 1},
    "secrets": 3,
    "audit_files": 9,
    "audit_kept_until": "2033-11-19",
    "audit": ["audit_logs", "guest_keys"],
    "hindered": [],
    "digest": "d1",
}
HINDERED = {**STANDING, "hindered": ["ppt_kabul is not closed"]}
PAGES = (
    ("", [{"collection": "audit_logs", "id": "a"}], ["audit_logs", "a"]),
    ("?collection=audit_logs&id=a", [{"collection": "credentials", "id": "b"}], None),
)


@pytest.fixture
def known(fleet):
    fleet.will("GET", "/tenants/tnt_silk", STANDING)
    for asked, documents, after in PAGES:
        fleet.will("GET", f"/tenants/tnt_silk/documents{asked}", {"documents": documents, "next": after})
    removed = {**STANDING, "removed": {"main": 2, "secrets": 3}}
    fleet.will("POST", "/tenants/tnt_silk/removal", removed)
    return fleet


def test_what_outlives_a_company_is_told(known, ask):
    said = " ".join(ask("tenant", "show", "tnt_silk").stdout.split())
    assert "audit_logs 1 outlives it" in said
    assert "files of the audit log: 9, until 2033-11-19" in said


def test_an_export_is_proven_and_a_changed_one_is_not(known, ask, run, tmp_path):
    folder = tmp_path / "out"
    said = ask("tenant", "export", "tnt_silk", "--out", str(folder), "--json")
    assert (said.exit_code, json.loads(said.stdout)["counts"]) == (0, {"audit_logs": 1, "credentials": 1})
    assert run("tenant", "prove", str(folder)).exit_code == 0
    whole = (folder / "documents.jsonl").read_bytes()
    (folder / "documents.jsonl").write_bytes(whole.replace(b'"b"', b'"c"'))
    changed = run("tenant", "prove", str(folder))
    assert (changed.exit_code != 0, "is not what was exported" in changed.output) == (True, True)


def test_nobody_else_may_read_an_export(known, ask, tmp_path):
    ask("tenant", "export", "tnt_silk", "--out", str(tmp_path / "out"))
    files = [*(tmp_path / "out").iterdir()]
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o700
    assert (len(files), {file.stat().st_mode & 0o777 for file in files}) == (2, {0o600})


def test_an_export_during_which_the_company_changed_is_not_whole(known, ask, run, tmp_path):
    folder = tmp_path / "out"
    ask("tenant", "export", "tnt_silk", "--out", str(folder))
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "still": False}))
    proof = run("tenant", "prove", str(folder))
    assert (proof.exit_code, "changed meanwhile" in proof.output, "Whole" in proof.output) == (1, True, False)


@pytest.mark.parametrize(
    ("file", "content", "why"),
    [
        ("documents.jsonl", None, "documents.jsonl cannot be read"),
        (
            "documents.jsonl",
            b'{"collection": "audit_logs", "id": "a"}\n{"collec',
            "line 2 of documents.jsonl",
        ),
        ("documents.jsonl", b"garbage\n", "line 1 of documents.jsonl"),
        ("documents.jsonl", b"[]\n", "line 1 of documents.jsonl"),
        ("manifest.json", b"[]", "manifest.json is none of an export"),
        ("manifest.json", b"{", "manifest.json is none of an export"),
        ("manifest.json", b"{}", "manifest.json is none of an export"),
    ],
)
def test_what_is_left_of_an_export_is_not_what_was_exported(known, ask, run, tmp_path, file, content, why):
    folder = tmp_path / "out"
    ask("tenant", "export", "tnt_silk", "--out", str(folder))
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_bytes(content)
    proof = run("tenant", "prove", str(folder))
    said = " ".join(proof.output.split())
    assert (proof.exit_code, "is not what was exported" in said, why in said) == (1, True, True), said


def test_a_folder_that_cannot_be_made_is_one_sentence(known, ask, tmp_path):
    (tmp_path / "file").touch()
    said = ask("tenant", "export", "tnt_silk", "--out", str(tmp_path / "file" / "out"))
    assert (said.exit_code, "cannot be made" in said.output) == (2, True)


def test_an_export_replaces_nothing_and_says_when_the_company_moved_on(known, ask, fleet, tmp_path):
    assert ask("tenant", "export", "tnt_silk", "--out", str(tmp_path)).exit_code == 2


@pytest.mark.parametrize("more", [(), ("--really", "tnt_other")])
def test_nothing_is_removed_but_on_a_word_said_twice(known, ask, more):
    ask("tenant", "remove", "tnt_silk", "--by", "usr_7", *more)
    assert all(method == "GET" for method, _, _ in known.asked)


def test_nothing_is_removed_while_something_hinders(known, ask):
    known.will("GET", "/tenants/tnt_silk", HINDERED)
    said = ask("tenant", "remove", "tnt_silk", "--by", "usr_7", "--really", "tnt_silk")
    assert (said.exit_code, "ppt_kabul is not closed" in said.stdout) == (1, True)
    assert all(method == "GET" for method, _, _ in known.asked)


def test_what_was_removed_and_what_remains_are_told(known, ask):
    said = ask("tenant", "remove", "tnt_silk", "--by", "usr_7", "--really", "tnt_silk")
    assert "Removed: 2 of main, 3 of secrets." in said.stdout
    assert known.asked[-1][2] == {"tenant": "tnt_silk", "by": "usr_7"}
