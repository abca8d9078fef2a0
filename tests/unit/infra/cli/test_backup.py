"""keyfleet backup: a home is copied once, and put back only where nothing is."""

import sqlite3

from tests.support.simulated import play


async def nothing(_simulated):
    """Live, and stop."""


def test_a_home_is_copied_and_put_back_where_nothing_is(run, tmp_path):
    play(tmp_path / "home", nothing)
    home, copy, scratch = (str(tmp_path / name) for name in ("home", "copy", "scratch"))
    assert run("backup", "make", copy, "--home", home).exit_code == 0
    assert run("backup", "make", copy, "--home", home).exit_code == 2
    assert run("backup", "restore", copy, "--home", home).exit_code == 2
    restored = run("backup", "restore", copy, "--home", scratch)
    assert (restored.exit_code, "keyfleet finding list" in restored.stdout) == (0, True)


def test_what_is_no_home_and_no_backup_is_refused(run, tmp_path):
    nowhere, scratch = str(tmp_path / "nowhere"), str(tmp_path / "scratch")
    assert run("backup", "make", str(tmp_path / "copy"), "--home", nowhere).exit_code == 2
    refused = run("backup", "restore", nowhere, "--home", scratch)
    assert (refused.exit_code, "holds no backup" in refused.output) == (1, True)


def test_a_home_is_made_behind_a_link_and_nowhere_that_anything_is(run, tmp_path, monkeypatch):
    play(tmp_path / "home", nothing)
    copy, here, link, file = (tmp_path / name for name in ("copy", "here", "link", "file"))
    assert run("backup", "make", str(copy), "--home", str(tmp_path / "home")).exit_code == 0
    here.mkdir()
    file.touch()
    link.symlink_to(here)
    monkeypatch.chdir(here)
    for home, said in (
        (".", "where you are"),
        (str(file), "something is in"),
        (f"{file}/x", "no home can be"),
    ):
        refused = run("backup", "restore", str(copy), "--home", home)
        assert (refused.exit_code, said in refused.output) == (2, True), refused.output
    monkeypatch.chdir(tmp_path)
    assert run("backup", "restore", str(copy), "--home", str(link)).exit_code == 0
    assert (here / "fleet.db").exists()
    assert [*tmp_path.glob("*.restoring")] == []


def test_a_copy_that_cannot_be_made_is_one_sentence(run, tmp_path, monkeypatch):
    play(tmp_path / "home", nothing)
    (tmp_path / "file").touch()
    home = str(tmp_path / "home")
    under = run("backup", "make", str(tmp_path / "file" / "copy"), "--home", home)
    assert (under.exit_code, "cannot be made" in under.output) == (2, True)

    def full(_path):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("infra.local.backup._digest", full)
    broken = run("backup", "make", str(tmp_path / "copy"), "--home", home)
    assert (broken.exit_code, "nothing is left in" in " ".join(broken.output.split())) == (1, True)
    assert not (tmp_path / "copy").exists()
